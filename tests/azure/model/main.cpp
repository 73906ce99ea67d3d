// SPDX-License-Identifier: MIT
//
// manactl-azure-model: the MANA device of the virtual Azure VM, a process inside the VM.

#include <poll.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "azure/kernel/azpci/azgdma.h"
#include "azure/model/azgdma_guest.h"
#include "device/device.h"

namespace manactl::device {
namespace {

constexpr int kDone = 0, kFailed = 1, kUsage = 2;
constexpr timespec kRetry{0, 2'000'000};

volatile std::sig_atomic_t g_stop = 0;

void on_signal(int) {
  g_stop = 1;
}

// Blocks SIGTERM and SIGINT. Returns the mask with which ppoll() receives them.
sigset_t block_signals() {
  struct sigaction action{};

  action.sa_handler = on_signal;
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (const int number : {SIGTERM, SIGINT}) {
    sigaction(number, &action, nullptr);
    sigaddset(&blocked, number);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  return before;
}

std::string read_text(const std::string& path) {
  std::stringstream text;
  if (std::ifstream file(path); file.peek() != std::ifstream::traits_type::eof()) {
    text << file.rdbuf();
  }
  return text.str();
}

Trace make_trace(const Options& options) {
  if (!options.trace) return Trace();
  std::FILE* file =
      options.trace_file.empty() ? stderr : std::fopen(options.trace_file.c_str(), "ae");
  if (file == nullptr) file = stderr;
  return Trace([file](const std::string& line) {
    fmt::print(file, "{}\n", line);
    std::fflush(file);
  });
}

Result<> handle_stores(Device& device, Trace& trace, const std::vector<Store>& stores) {
  for (const auto& store : stores) {
    if (store.offset == AZGDMA_EVENT_OVERRUN) {
      return fail(Errc::io, fmt::format("{} stores were lost", store.value));
    }
    if (store.offset == AZGDMA_EVENT_PRESENCE) {
      trace.line(store.value == 0 ? "function removed" : "function added");
      device.reset();
      continue;
    }
    device.store(store.offset, store.value);
  }
  return {};
}

Result<> serve(AzgdmaGuest& guest, Device& device, Trace& trace) {
  const auto waiting_mask = block_signals();
  fmt::print("ready\n");
  std::fflush(stdout);
  while (g_stop == 0) {
    pollfd ready{guest.fd(), POLLIN, 0};
    const bool retry = device.retry_interrupts();
    const int count = ::ppoll(&ready, 1, retry ? &kRetry : nullptr, &waiting_mask);
    if (count < 0 && errno != EINTR) return fail_errno(errno, "cannot wait");
    if (count <= 0) continue;
    const auto stores = guest.stores();
    if (!stores) return tl::unexpected<Error>(stores.error());
    auto handled = handle_stores(device, trace, *stores);
    if (!handled) return handled;
  }
  return {};
}

Result<> run(const Options& options) {
  const auto guest = AzgdmaGuest::open(options.path);
  if (!guest) return tl::unexpected<Error>(guest.error());
  auto trace = make_trace(options);
  std::function<std::string()> read_fault_file;
  if (!options.fault_file.empty()) {
    read_fault_file = [&options] { return read_text(options.fault_file); };
  }
  Device device(**guest, options, trace, read_fault_file);
  auto served = serve(**guest, device, trace);
  fmt::print(stderr,
             "manactl-azure-model: {} messages, {} violations\n",
             device.messages(),
             trace.violations());
  return served;
}

int report(const Error& error, int status) {
  fmt::print(stderr, "manactl-azure-model: {}\n", error.message);
  return status;
}

int start(const std::vector<std::string>& arguments) {
  const auto options = parse_options(arguments);
  if (!options) return report(options.error(), kUsage);
  if (options->help) {
    fmt::print("{}", usage("manactl-azure-model", "DEVICE"));
    return kDone;
  }
  const auto done = run(*options);
  return done ? kDone : report(done.error(), kFailed);
}

}  // namespace
}  // namespace manactl::device

int main(int argc, char** argv) {
  return manactl::device::start({argv + 1, argv + argc});
}
