// SPDX-License-Identifier: MIT

#include "os/process.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/text.h"

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
    return KernelIdentity{
        name.release, name.machine, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
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

  std::vector<std::string> ssh_connections() const override {
    std::vector<std::string> found;
    const char* own = std::getenv("SSH_CONNECTION");  // NOLINT(concurrency-mt-unsafe): read only
    if (own != nullptr && *own != '\0') found.emplace_back(own);
    const auto files = open_files("/");
    if (!files) return found;
    for (const auto& pid : own_ancestry(**files)) {
      const auto environment = (*files)->read("proc/" + pid + "/environ", kMaxEnvironment);
      if (environment) add_connections(*environment, found);
    }
    return found;
  }

 private:
  static constexpr std::size_t kMaxEnvironment = 16U << 20;

  static void add_connections(std::string_view environment, std::vector<std::string>& found) {
    constexpr std::string_view kVariable = "SSH_CONNECTION=";
    for (const auto variable : split(environment, '\0')) {
      if (!variable.starts_with(kVariable)) continue;
      std::string value(variable.substr(kVariable.size()));
      if (std::ranges::find(found, value) == found.end()) found.push_back(std::move(value));
    }
  }
};

}  // namespace

// "1398 (sshd) S 1 ...": the name may contain blanks and parentheses, so it ends at the last ')'.
std::optional<ProcessStat> read_process_stat(const Files& files, const std::string& pid) {
  const auto text = files.read("proc/" + pid + "/stat");
  if (!text) return std::nullopt;
  const auto open = text->find('(');
  const auto close = text->rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const auto rest = words(std::string_view(*text).substr(close + 1));
  if (rest.size() < 2 || !parse_unsigned(rest[1])) return std::nullopt;
  return ProcessStat{text->substr(open + 1, close - open - 1), std::string(rest[1])};
}

std::vector<std::string> own_ancestry(const Files& files) {
  constexpr std::size_t kMaxProcesses = 64;
  std::vector<std::string> pids;
  auto pid = files.link_target("proc/self");
  if (!pid) return pids;
  while (pids.size() < kMaxProcesses && *pid != "0" && *pid != "1") {
    const auto stat = read_process_stat(files, *pid);
    if (!stat) break;
    pids.push_back(*pid);
    *pid = stat->parent;
  }
  return pids;
}

std::unique_ptr<Process> open_process() {
  return std::make_unique<OwnProcess>();
}

}  // namespace manactl::os
