// SPDX-License-Identifier: MIT

#include "os/process.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace manactl::os {
namespace {

std::uint64_t limit_bytes(rlim_t limit) {
  return limit == RLIM_INFINITY ? UINT64_MAX : limit;
}

Result<std::uint64_t> effective_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> words{};
  if (syscall(SYS_capget, &header, words.data()) != 0) {
    return fail_errno(errno, "cannot read the capabilities of this process");
  }
  return (std::uint64_t{words[1].effective} << 32U) | words[0].effective;
}

constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);

CpuList cpus_of(const std::vector<unsigned long>& mask) {
  CpuList list;
  for (std::size_t cpu = 0; cpu < mask.size() * kWordBits; ++cpu) {
    const bool set = ((mask[cpu / kWordBits] >> (cpu % kWordBits)) & 1U) != 0;
    if (set) list.cpus.push_back(static_cast<unsigned>(cpu));
  }
  return list;
}

class OwnProcess final : public Process {
 public:
  Result<Privileges> privileges() const override {
    const auto capabilities = effective_capabilities();
    if (!capabilities) return tl::unexpected<Error>(capabilities.error());
    const auto has = [&](unsigned number) { return ((*capabilities >> number) & 1U) != 0; };
    rlimit memlock{};
    if (getrlimit(RLIMIT_MEMLOCK, &memlock) != 0) {
      return fail_errno(errno, "cannot read RLIMIT_MEMLOCK");
    }
    Privileges own;
    own.uid = geteuid();
    own.net_admin = has(CAP_NET_ADMIN);
    own.net_raw = has(CAP_NET_RAW);
    own.ipc_lock = has(CAP_IPC_LOCK);
    own.sys_admin = has(CAP_SYS_ADMIN);
    own.memlock_soft = limit_bytes(memlock.rlim_cur);
    own.memlock_hard = limit_bytes(memlock.rlim_max);
    return own;
  }

  Result<KernelIdentity> kernel() const override {
    utsname name{};
    if (uname(&name) != 0) return fail_errno(errno, "cannot read the kernel release (uname)");
    return KernelIdentity{name.release, name.machine};
  }

  Result<CpuList> affinity() const override {
    // Double the mask after EINVAL: the kernel supports more CPUs than the mask has bits.
    constexpr std::size_t kMaxCpus = 65536;
    for (std::size_t cpus = 1024; cpus <= kMaxCpus; cpus *= 2) {
      std::vector<unsigned long> mask(cpus / kWordBits);
      if (sched_getaffinity(0, cpus / 8, reinterpret_cast<cpu_set_t*>(mask.data())) == 0) {
        return cpus_of(mask);
      }
      if (errno != EINVAL) break;
    }
    return fail_errno(errno, "cannot read the CPU affinity of this process");
  }

  std::string ssh_connection() const override {
    const char* text = std::getenv("SSH_CONNECTION");  // NOLINT(concurrency-mt-unsafe): read only
    return text == nullptr ? "" : text;
  }
};

}  // namespace

std::unique_ptr<Process> open_process() {
  return std::make_unique<OwnProcess>();
}

}  // namespace manactl::os
