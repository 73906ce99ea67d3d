// SPDX-License-Identifier: MIT

#include "adapter/shim/doorbell_trap.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <span>

#include "adapter/doorbell/store_decoder.h"
#include "adapter/shim/simulator.h"

namespace manactl::adapter {
namespace {

// One page per open context. Lock-free, because the signal handler reads it.
std::array<std::atomic<std::uintptr_t>, kMaxPorts * 8> trapped_pages;

struct sigaction previous = {};
std::atomic<bool> installed{false};

using Sigaction = int (*)(int, const struct sigaction*, struct sigaction*);

Sigaction real_sigaction() {
  static const auto function = reinterpret_cast<Sigaction>(dlsym(RTLD_NEXT, "sigaction"));
  return function;
}

std::uintptr_t page_of(std::uintptr_t address) {
  const auto page = address & ~std::uintptr_t{DoorbellPage::kBytes - 1};
  for (const auto& trapped : trapped_pages) {
    if (trapped.load(std::memory_order_relaxed) == page) return page;
  }
  return 0;
}

#if defined(__x86_64__)

constexpr std::size_t kMaxInstructionBytes = 15;

// For each register number in an instruction, the index into gregs.
constexpr int kRegisters[] = {REG_RAX,
                              REG_RCX,
                              REG_RDX,
                              REG_RBX,
                              REG_RSP,
                              REG_RBP,
                              REG_RSI,
                              REG_RDI,
                              REG_R8,
                              REG_R9,
                              REG_R10,
                              REG_R11,
                              REG_R12,
                              REG_R13,
                              REG_R14,
                              REG_R15};

auto& instruction_pointer(ucontext_t& context) {
  return context.uc_mcontext.gregs[REG_RIP];
}

std::uint64_t general_register(const ucontext_t& context, std::uint8_t reg) {
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[kRegisters[reg]]);
}

std::uint64_t vector_register(const ucontext_t& context, std::uint8_t reg) {
  std::uint64_t value = 0;
  std::memcpy(&value, &context.uc_mcontext.fpregs->_xmm[reg], sizeof value);
  return value;
}

std::optional<StoreInstruction> store_at(std::span<const std::uint8_t> code) {
  return decode_store(code);
}

#elif defined(__aarch64__)

constexpr std::size_t kMaxInstructionBytes = 4;

auto& instruction_pointer(ucontext_t& context) {
  return context.uc_mcontext.pc;
}

std::uint64_t general_register(const ucontext_t& context, std::uint8_t reg) {
  return context.uc_mcontext.regs[reg];
}

std::uint64_t vector_register(const ucontext_t&, std::uint8_t) {
  return 0;  // never called, because decode_arm64_store() rejects stores of vector registers
}

std::optional<StoreInstruction> store_at(std::span<const std::uint8_t> code) {
  std::uint32_t instruction = 0;
  std::memcpy(&instruction, code.data(), sizeof instruction);
  return decode_arm64_store(instruction);
}

#else
#error "Azure VMs are x86-64 or ARM64"
#endif

std::uint64_t value_of(const StoreInstruction& store, const ucontext_t& context) {
  std::uint64_t value = store.immediate;
  if (store.source == StoreSource::general) value = general_register(context, store.reg);
  if (store.source == StoreSource::vector) value = vector_register(context, store.reg);
  return store.bytes == 8 ? value : value & 0xffffffffU;
}

// The kernel may deliver a signal for the process to a thread in this handler. If the program's
// signal handler waits for that thread, the program hangs. Therefore each thread except the main
// thread blocks such signals from its first trap on.
void leave_signals_to_main(ucontext_t& context) {
  thread_local bool done __attribute__((tls_model("initial-exec"))) = false;
  if (done) return;
  done = true;
  if (gettid() == getpid()) return;
  for (const int signal : {SIGINT,
                           SIGTERM,
                           SIGHUP,
                           SIGQUIT,
                           SIGUSR1,
                           SIGUSR2,
                           SIGALRM,
                           SIGCHLD,
                           SIGPIPE,
                           SIGWINCH,
                           SIGCONT}) {
    sigaddset(&context.uc_sigmask, signal);
  }
}

bool handle_store(std::uintptr_t address, ucontext_t& context) {
  const auto page = page_of(address);
  if (page == 0) return false;
  auto& next = instruction_pointer(context);
  const std::span code(memory_at(static_cast<std::uint64_t>(next)), kMaxInstructionBytes);
  const auto store = store_at(code);
  if (!store) {
    constexpr char kText[] = "manactl sim: cannot decode the instruction that stores a doorbell:";
    std::array<char, sizeof kText + kMaxInstructionBytes * 3 + 1> line{};
    std::size_t at = sizeof kText - 1;
    std::memcpy(line.data(), kText, at);
    for (const auto byte : code) {
      line[at++] = ' ';
      line[at++] = "0123456789abcdef"[byte >> 4U];
      line[at++] = "0123456789abcdef"[byte & 0xfU];
    }
    line[at++] = '\n';
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), at);
    abort();
  }
  leave_signals_to_main(context);
  Simulator::get().ring(
      memory_at(page), static_cast<std::uint32_t>(address - page), value_of(*store, context));
  next += store->length;
  return true;
}

void forward(int signal, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
  const bool sent = info->si_code <= 0;  // e.g. by kill(); otherwise an instruction faulted
  if (sent && previous.sa_handler == SIG_IGN) return;
  if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    // A faulting instruction faults again after the return; a signal from kill() must be raised.
    struct sigaction fallback = {};
    fallback.sa_handler = SIG_DFL;
    real_sigaction()(signal, &fallback, nullptr);
    if (sent) raise(signal);
    return;
  }
  previous.sa_handler(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool handled =
      info->si_code == SEGV_ACCERR && handle_store(address, *static_cast<ucontext_t*>(context));
  if (!handled) forward(signal, info, context);
  errno = saved_errno;
}

Result<> install() {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  if (installed) return {};
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  sigdelset(&action.sa_mask, SIGSEGV);
  sigdelset(&action.sa_mask, SIGBUS);
  if (real_sigaction()(SIGSEGV, &action, &previous) != 0) {
    return fail_errno(errno, "cannot trap doorbells");
  }
  installed = true;
  return {};
}

}  // namespace

bool is_trap_installed() {
  return installed;
}

int replace_handler(const struct sigaction* action, struct sigaction* before) {
  if (before != nullptr) *before = previous;
  if (action != nullptr) previous = *action;
  return 0;
}

Result<> trap_doorbells(DoorbellPage& page) {
  auto good = install();
  if (!good) return good;
  const auto address = reinterpret_cast<std::uintptr_t>(page.address());
  for (auto& trapped : trapped_pages) {
    std::uintptr_t free = 0;
    if (trapped.compare_exchange_strong(free, address)) return page.protect();
  }
  return fail(Errc::busy, "too many doorbell pages are trapped");
}

void untrap_doorbells(const DoorbellPage& page) {
  for (auto& trapped : trapped_pages) {
    auto address = reinterpret_cast<std::uintptr_t>(page.address());
    if (trapped.compare_exchange_strong(address, 0)) return;
  }
}

}  // namespace manactl::adapter
