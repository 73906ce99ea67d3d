// SPDX-License-Identifier: MIT

#include "os/seccomp.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace manactl::os {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kArchitecture = 0;
#elif defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

constexpr int kPidfdGetfd = 438;  // SYS_pidfd_getfd; older headers lack it

// Calls that are allowed with any arguments. restart_syscall(2) continues a poll(2) after SIGCONT.
constexpr auto kAllowed = std::to_array<long>({
    SYS_read,          SYS_readv,        SYS_write,
    SYS_writev,        SYS_close,        SYS_recvmsg,
    SYS_recvfrom,      SYS_sendmsg,      SYS_sendto,
    SYS_ppoll,         SYS_futex,        SYS_munmap,
    SYS_mremap,        SYS_madvise,      SYS_brk,
    SYS_rt_sigreturn,  SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_exit,          SYS_exit_group,   SYS_getpid,
    SYS_gettid,        SYS_getuid,       SYS_geteuid,
    SYS_clock_gettime, SYS_getrandom,    SYS_restart_syscall,
    SYS_fstat,         SYS_newfstatat,   SYS_fstatfs,
    SYS_statx,         SYS_openat,       SYS_readlinkat,
    SYS_linkat,        SYS_unlinkat,     SYS_getcwd,
    SYS_lseek,         SYS_fchmod,       SYS_connect,
    SYS_bind,          SYS_listen,       SYS_accept4,
    SYS_getsockopt,    SYS_sched_yield,
#ifdef SYS_poll  // older calls, which ARM64 does not have
    SYS_poll,          SYS_readlink,     SYS_link,
    SYS_unlink,        SYS_stat,         SYS_lstat,
    SYS_open,
#endif
});

// The rule applies if (argument & bits) == value, in the lower 32 bits.
struct ArgumentRule {
  long number = 0;
  unsigned argument = 0;
  std::uint32_t bits = 0, value = 0;
};

tl::unexpected<Error> fail_unsupported() {
  return fail(Errc::unsupported, "this program cannot limit its system calls");
}

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    skip_unless(kArchitecture, 1);
    skip(1);
    result(kRefuse);
    load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
    // Calls of the x32 ABI, which have other numbers.
    add(BPF_JMP | BPF_JGE | BPF_K, 1U << 30U, 0, 1);
    result(kRefuse);
#endif
  }

  void add_rule(long number, std::uint32_t action) {
    skip_unless(static_cast<std::uint32_t>(number), 1);
    result(action);
  }

  void add_rule(const ArgumentRule& call, std::uint32_t action) {
    skip_unless(static_cast<std::uint32_t>(call.number), 4);
    // The lower half comes first on all architectures of kArchitecture.
    load(offsetof(seccomp_data, args) + call.argument * sizeof(std::uint64_t));
    add(BPF_ALU | BPF_AND | BPF_K, call.bits);
    skip_unless(call.value, 1);
    result(action);
    load(offsetof(seccomp_data, nr));
  }

  // `otherwise` is the action for calls without a rule.
  Result<> install(std::uint32_t otherwise) {
    result(otherwise);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    const auto refused =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (refused == 0) return {};
    // A positive result is the id of a thread that has another filter.
    return fail_errno(refused > 0 ? EBUSY : errno, "cannot limit the system calls");
  }

 private:
  void add(unsigned code, std::uint32_t value, unsigned if_true = 0, unsigned if_false = 0) {
    code_.push_back({static_cast<std::uint16_t>(code),
                     static_cast<std::uint8_t>(if_true),
                     static_cast<std::uint8_t>(if_false),
                     value});
  }

  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }

  // Skips `instructions` unless the loaded value is this one.
  void skip_unless(std::uint32_t value, unsigned instructions) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions);
  }

  void skip(std::uint32_t instructions) { add(BPF_JMP | BPF_JA, instructions); }

  void result(std::uint32_t action) { add(BPF_RET | BPF_K, action); }

  std::vector<sock_filter> code_;
};

}  // namespace

Result<> limit_system_calls() {
  if (kArchitecture == 0) return fail_unsupported();
  const ArgumentRule checked[] = {
      {SYS_socket, 0, ~0U, AF_UNIX},
      {SYS_mmap, 2, PROT_EXEC, 0},
      {SYS_mprotect, 2, PROT_EXEC, 0},
      {SYS_tgkill, 0, ~0U, static_cast<std::uint32_t>(getpid())},  // abort(3)
      // Not F_SETOWN, F_SETSIG, F_SETLEASE and F_NOTIFY, with which the kernel sends signals.
      {SYS_fcntl, 1, ~0U, F_DUPFD_CLOEXEC},
      {SYS_fcntl, 1, ~0U, F_GETFD},
      {SYS_fcntl, 1, ~0U, F_SETFD},
      {SYS_fcntl, 1, ~0U, F_GETFL},
      {SYS_fcntl, 1, ~0U, F_SETFL},
  };
  Filter filter;
  for (const auto number : kAllowed) filter.add_rule(number, kAllow);
  for (const auto& call : checked) filter.add_rule(call, kAllow);
  return filter.install(kRefuse);
}

Result<> forbid_programs() {
  if (kArchitecture == 0) return fail_unsupported();
  Filter filter;
  for (const auto number : {SYS_execve,
                            SYS_execveat,
                            SYS_ptrace,
                            SYS_process_vm_readv,
                            SYS_process_vm_writev,
                            kPidfdGetfd}) {
    filter.add_rule(number, kRefuse);
  }
  // These put characters into the input of a terminal, whose shell may be that of root.
  for (const auto request : {std::uint32_t{TIOCSTI}, std::uint32_t{TIOCLINUX}}) {
    filter.add_rule(ArgumentRule{SYS_ioctl, 1, ~0U, request}, kRefuse);
  }
  return filter.install(kAllow);
}

}  // namespace manactl::os
