// SPDX-License-Identifier: MIT

#include "os/sandbox.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "base/descriptor.h"
#include "base/input_file.h"
#include "os/seccomp.h"

namespace manactl::os {
namespace {

// The interface of linux/landlock.h in version 6. The header of the distribution may be older.
namespace landlock {

constexpr std::uint64_t kWriteFile = 1U << 1U;
constexpr std::uint64_t kReadFile = 1U << 2U;
constexpr std::uint64_t kReadDirectory = 1U << 3U;
constexpr std::uint64_t kRemoveFile = 1U << 5U;
constexpr std::uint64_t kMakeRegular = 1U << 8U;
constexpr std::uint64_t kMakeSocket = 1U << 9U;
constexpr std::uint64_t kTruncate = 1U << 14U;
constexpr std::uint64_t kOfFiles = kWriteFile | kReadFile | kTruncate;

constexpr unsigned kVersionFlag = 1;  // LANDLOCK_CREATE_RULESET_VERSION
constexpr int kPathBeneath = 1;       // LANDLOCK_RULE_PATH_BENEATH

// The kernel accepts a structure that is longer than its own if the rest is zero.
struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

struct PathAttributes {
  std::uint64_t rights = 0;
  std::int32_t parent = -1;
};

// All rights of a version: those that no rule grants are denied.
RulesetAttributes all_rights(unsigned version) {
  // Version 2 added the right to move files between directories, 3 to truncate, 5 to control
  // devices.
  const unsigned bits =
      13U + (version >= 2 ? 1U : 0U) + (version >= 3 ? 1U : 0U) + (version >= 5 ? 1U : 0U);
  RulesetAttributes all;
  all.files = (1U << bits) - 1;
  if (version >= 4) all.network = 3;  // TCP: bind, connect
  if (version >= 6) all.scopes = 3;   // abstract sockets and signals
  return all;
}

// Allows access to a path and to everything below it. Returns false if the kernel rejects the rule.
bool allow(int ruleset, const std::string& path, std::uint64_t rights) {
  // A path that is not an input needs no rule: it does not exist, will be refused, or leads to a
  // pipe, which Landlock does not restrict.
  const auto found = find_input(path, "an input");
  if (!found) return true;

  struct stat status{};

  if (fstat(found->get(), &status) != 0) return false;
  if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
  const PathAttributes rule{rights, found->get()};
  // EBADFD: a file without a path, such as one of memfd_create(2). Landlock does not restrict it.
  return syscall(__NR_landlock_add_rule, ruleset, kPathBeneath, &rule, 0) == 0 || errno == EBADFD;
}

bool restrict_files(const Sandbox& sandbox, unsigned version) {
  const auto all = all_rights(version);
  const Descriptor ruleset(
      static_cast<int>(syscall(__NR_landlock_create_ruleset, &all, sizeof all, 0)));
  if (!ruleset) return false;
  // Libraries such as libarchive are loaded at their first use. Sanitizers read /proc/self.
  constexpr std::array kAlways = {"/lib",
                                  "/lib64",
                                  "/usr/lib",
                                  "/usr/lib64",
                                  "/usr/local/lib",
                                  "/etc/ld.so.cache",
                                  "/proc/self"};
  constexpr std::uint64_t kRead = kReadFile | kReadDirectory;
  const std::uint64_t write =
      (kWriteFile | kTruncate | kReadDirectory | kMakeRegular | kRemoveFile) & all.files;
  bool complete = true;
  for (const auto* path : kAlways) complete = allow(ruleset.get(), path, kRead) && complete;
  for (const auto& path : sandbox.read) complete = allow(ruleset.get(), path, kRead) && complete;
  for (const auto& path : sandbox.write) complete = allow(ruleset.get(), path, write) && complete;
  for (const auto& path : sandbox.sockets)
    complete = allow(ruleset.get(), path, kMakeSocket | kRemoveFile) && complete;
  // Without one of the rules, the command would fail.
  return complete && syscall(__NR_landlock_restrict_self, ruleset.get(), 0) == 0;
}

}  // namespace landlock

using CapabilitySets = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

// Those of the calling thread.
bool get_capabilities(CapabilitySets& sets) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  return syscall(SYS_capget, &header, sets.data()) == 0;
}

void drop_capabilities(const Sandbox& sandbox) {
  // Programs that are started later get no capabilities, not even those that this process keeps.
  for (unsigned long each = 0; prctl(PR_CAPBSET_READ, each, 0, 0, 0) >= 0; ++each) {
    (void)prctl(PR_CAPBSET_DROP, each, 0, 0, 0);
  }
  (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  CapabilitySets sets{};
  if (!get_capabilities(sets)) return;
  const std::uint32_t kept = (sandbox.read.empty() ? 0U : 1U << CAP_DAC_READ_SEARCH) |
                             (sandbox.write.empty() ? 0U : 1U << CAP_DAC_OVERRIDE);
  sets[0] = {sets[0].effective & kept, sets[0].effective & kept, 0};
  sets[1] = {};
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  (void)syscall(SYS_capset, &header, sets.data());
}

bool has_capabilities() {
  CapabilitySets sets{};
  if (!get_capabilities(sets)) return true;
  return std::ranges::any_of(sets, [](const auto& set) { return set.permitted != 0; });
}

}  // namespace

unsigned landlock_version() {
  const auto version = syscall(__NR_landlock_create_ruleset, nullptr, 0, landlock::kVersionFlag);
  return static_cast<unsigned>(std::max(version, 0L));
}

Result<> become_nobody() {
  constexpr unsigned kNobody = 65534;
  // Drivers have locked their memory when they opened their devices.
  constexpr rlimit kNoMore{0, 0};
  if (setrlimit(RLIMIT_MEMLOCK, &kNoMore) != 0)
    return fail_errno(errno, "cannot limit locked memory");
  // Unlike the system calls, these functions of libc change all threads.
  const bool changed = setresgid(kNobody, kNobody, kNobody) == 0 && setgroups(0, nullptr) == 0 &&
                       setresuid(kNobody, kNobody, kNobody) == 0;
  if (!changed) return fail_errno(errno, "cannot become user 65534");
  if (has_capabilities()) return fail(Errc::denied, "user 65534 keeps capabilities");
  (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const auto forbidden = forbid_programs();
  if (!forbidden && forbidden.error().code != Errc::unsupported) return forbidden;
#ifdef __SANITIZE_ADDRESS__
  // LeakSanitizer traces its own process.
  (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
#endif
  return {};
}

Confinement enter_sandbox(const Sandbox& sandbox, unsigned version) {
  Confinement result;
  drop_capabilities(sandbox);
  result.no_new_privileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  if (version > 0 && landlock::restrict_files(sandbox, version)) result.landlock = version;
  if (sandbox.is_server) result.system_calls = limit_system_calls().has_value();
  return result;
}

}  // namespace manactl::os
