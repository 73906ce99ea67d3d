// SPDX-License-Identifier: MIT
//
// The calls with which the sandbox confines a process, without confining this one.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>

#include "os/kernel_calls.h"
#include "os/sandbox.h"
#include "os/scratch.h"

namespace manactl::os::sandbox_calls_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Rights that the header of the distribution may lack. They follow LANDLOCK_ACCESS_FS_REFER.
constexpr std::uint64_t kTruncate = LANDLOCK_ACCESS_FS_REFER << 1U;
constexpr std::uint64_t kIoctl = LANDLOCK_ACCESS_FS_REFER << 2U;
constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteOld = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                                    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE;
constexpr int kLastCapability = 40;

class SandboxCalls : public ::testing::Test {
 protected:
  SandboxCalls() {
    for (const auto* name : {"in/file", "file", "out/old"}) tree_.file(name, "text");
    calls_.syscall = [this](long number, const std::array<long, 6>& a) {
      return handle(number, a);
    };
    calls_.prctl = [this](int option, const std::array<unsigned long, 4>& a) {
      return handle_prctl(option, a);
    };
  }

  std::optional<long> handle(long number, const std::array<long, 6>& a) {
    switch (number) {
      case __NR_landlock_create_ruleset: {
        EXPECT_EQ(a[2], 0);
        const auto* words = reinterpret_cast<const std::uint64_t*>(a[0]);
        ruleset_.assign(words, words + static_cast<std::size_t>(a[1]) / sizeof(*words));
        errno = ENOTSUP;
        return can_create_ ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
      }
      case __NR_landlock_add_rule: {
        EXPECT_EQ(a[1], long{LANDLOCK_RULE_PATH_BENEATH});
        EXPECT_EQ(a[3], 0);
        const auto* rule = reinterpret_cast<const landlock_path_beneath_attr*>(a[2]);
        const auto link = "/proc/self/fd/" + std::to_string(rule->parent_fd);
        const auto path = std::filesystem::read_symlink(link).string();
        rules_[path] = rule->allowed_access;
        errno = rule_error_;
        return rule_error_ != 0 && path == failing_rule_ ? -1 : 0;
      }
      case __NR_landlock_restrict_self:
        EXPECT_EQ(a[1], 0);
        ++restricted_;
        return 0;
      case SYS_capget: {
        EXPECT_EQ(reinterpret_cast<__user_cap_header_struct*>(a[0])->pid, 0);
        auto* sets = reinterpret_cast<__user_cap_data_struct*>(a[1]);
        sets[0] = {effective_, ~0U, ~0U};
        sets[1] = {~0U, ~0U, ~0U};
        return can_read_sets_ ? 0 : -1;
      }
      case SYS_capset: {
        EXPECT_EQ(reinterpret_cast<__user_cap_header_struct*>(a[0])->pid, 0);
        const auto* sets = reinterpret_cast<const __user_cap_data_struct*>(a[1]);
        for (int i = 0; i < 2; ++i) {
          for (const auto set : {sets[i].effective, sets[i].permitted, sets[i].inheritable}) {
            sets_.push_back(set);
          }
        }
        return 0;
      }
      default:
        return std::nullopt;
    }
  }

  // The kernel rejects unused arguments that are not 0.
  int handle_prctl(int option, const std::array<unsigned long, 4>& a) {
    const bool tail = a[2] == 0 && a[3] == 0;
    switch (option) {
      case PR_CAPBSET_READ:
        EXPECT_TRUE(a[1] == 0 && tail);
        return a[0] > kLastCapability ? -1 : a[0] == 5 ? 0 : 1;  // one is dropped already
      case PR_CAPBSET_DROP:
        EXPECT_TRUE(a[1] == 0 && tail);
        dropped_.push_back(static_cast<int>(a[0]));
        return 0;
      case PR_CAP_AMBIENT:
        if (a[0] == PR_CAP_AMBIENT_CLEAR_ALL && a[1] == 0 && tail) ++cleared_ambient_;
        return 0;
      case PR_SET_NO_NEW_PRIVS:
        if (a[0] == 1 && a[1] == 0 && tail) ++no_new_privileges_;
        return 0;
      default:
        return -1;
    }
  }

  std::string path(const std::string& name) const { return tree_.path() / name; }

  Sandbox sandbox() const { return {{path("in"), path("file"), path("missing")}, {path("out")}}; }

  test::Scratch tree_;
  test::KernelCalls calls_;
  std::vector<std::uint64_t> ruleset_;
  std::map<std::string, std::uint64_t> rules_;
  std::vector<std::uint32_t> sets_;
  std::vector<int> dropped_;
  std::string failing_rule_ = path("in");
  std::uint32_t effective_ = ~0U;
  int rule_error_ = 0, restricted_ = 0, cleared_ambient_ = 0, no_new_privileges_ = 0;
  bool can_create_ = true, can_read_sets_ = true;
};

TEST_F(SandboxCalls, HandleAllRightsOfAVersion) {
  constexpr std::uint64_t kFirst = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;
  constexpr std::uint64_t kWithRefer = kFirst | LANDLOCK_ACCESS_FS_REFER;
  constexpr std::uint64_t kTcp = 3;     // LANDLOCK_ACCESS_NET_BIND_TCP and _CONNECT_TCP
  constexpr std::uint64_t kScopes = 3;  // LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET and _SIGNAL
  const std::vector<std::vector<std::uint64_t>> expected = {
      {},
      {kFirst, 0, 0},
      {kWithRefer, 0, 0},
      {kWithRefer | kTruncate, 0, 0},
      {kWithRefer | kTruncate, kTcp, 0},
      {kWithRefer | kTruncate | kIoctl, kTcp, 0},
      {kWithRefer | kTruncate | kIoctl, kTcp, kScopes},
      {kWithRefer | kTruncate | kIoctl, kTcp, kScopes}};
  for (unsigned version = 0; version < expected.size(); ++version) {
    ruleset_.clear();
    restricted_ = 0;
    enter_sandbox(sandbox(), version);
    EXPECT_EQ(ruleset_, expected[version]) << version;
    EXPECT_EQ(restricted_, version == 0 ? 0 : 1);
  }
}

TEST_F(SandboxCalls, AllowOnlyTheNamedFilesAndLibraries) {
  enter_sandbox(sandbox(), 3);
  EXPECT_EQ(rules_[path("in")], kRead);
  EXPECT_EQ(rules_[path("file")], LANDLOCK_ACCESS_FS_READ_FILE);
  EXPECT_EQ(rules_[path("out")], kWriteOld | kTruncate);
  EXPECT_EQ(rules_["/usr/lib"], kRead);
  EXPECT_EQ(rules_["/etc/ld.so.cache"], LANDLOCK_ACCESS_FS_READ_FILE);
  EXPECT_EQ(rules_.count(path("missing")), 0U);
  rules_.clear();
  enter_sandbox(sandbox(), 2);
  EXPECT_EQ(rules_[path("out")], kWriteOld) << "without a right that the version lacks";
  rules_.clear();
  enter_sandbox({{}, {path("file")}}, 3);
  EXPECT_EQ(rules_[path("file")], LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate);
}

TEST_F(SandboxCalls, DoNotRestrictFilesIfARuleIsRejected) {
  for (const auto& failing : {path("in"), path("out"), std::string("/usr/lib")}) {
    failing_rule_ = failing;
    rule_error_ = EINVAL;
    enter_sandbox(sandbox(), 3);
    EXPECT_EQ(restricted_, 0) << failing;
    EXPECT_EQ(rules_.count(path("out")), 1U);
  }
  rule_error_ = EBADFD;
  enter_sandbox(sandbox(), 3);
  EXPECT_EQ(restricted_, 1) << "Landlock does not restrict such a file";
  restricted_ = rule_error_ = 0;
  bool any = false;  // the calls that find a file use fstat(2) too
  for (unsigned call = 0; call < 40; ++call) {
    calls_.fstat = test::failing(EIO, call);
    restricted_ = 0;
    enter_sandbox({}, 3);
    any = any || restricted_ == 0;
  }
  EXPECT_TRUE(any) << "the type of a file is not known";
  calls_.fstat = nullptr;
  restricted_ = 0;
  can_create_ = false;
  enter_sandbox(sandbox(), 3);
  EXPECT_EQ(restricted_, 0);
}

TEST_F(SandboxCalls, DropCapabilitiesExceptThoseForTheNamedFiles) {
  constexpr std::uint32_t kSearch = 1U << CAP_DAC_READ_SEARCH;
  constexpr std::uint32_t kOverride = 1U << CAP_DAC_OVERRIDE;
  const std::vector<std::string> some = {path("in")};
  for (const auto& [asked, effective, kept] : {std::tuple{Sandbox{{}, {}}, ~0U, 0U},
                                               std::tuple{Sandbox{some, {}}, ~0U, kSearch},
                                               std::tuple{Sandbox{{}, some}, ~0U, kOverride},
                                               std::tuple{sandbox(), ~0U, kSearch | kOverride},
                                               std::tuple{sandbox(), kSearch, kSearch},
                                               std::tuple{sandbox(), 0U, 0U}}) {
    effective_ = effective;
    sets_.clear();
    enter_sandbox(asked, 0);
    EXPECT_THAT(sets_, ElementsAre(kept, kept, 0U, 0U, 0U, 0U));
  }
  can_read_sets_ = false;
  sets_.clear();
  enter_sandbox({}, 0);
  EXPECT_THAT(sets_, IsEmpty());
}

TEST_F(SandboxCalls, LeaveNoPrivilegesToOtherPrograms) {
  enter_sandbox({}, 0);
  ASSERT_EQ(dropped_.size(), std::size_t{kLastCapability} + 1);
  EXPECT_EQ(dropped_.front(), 0);
  EXPECT_EQ(dropped_.back(), kLastCapability);
  EXPECT_EQ(cleared_ambient_, 1);
  EXPECT_EQ(no_new_privileges_, 1);
}

TEST_F(SandboxCalls, AskForTheVersionOfLandlock) {
  for (const auto& [reported, version] : {std::pair{-1, 0U}, {0, 0U}, {1, 1U}, {7, 7U}}) {
    calls_.syscall = [=](long number, const std::array<long, 6>& a) -> std::optional<long> {
      const bool asks = number == __NR_landlock_create_ruleset && a[0] == 0 && a[1] == 0 &&
                        static_cast<unsigned>(a[2]) == LANDLOCK_CREATE_RULESET_VERSION;
      return asks ? reported : -2;
    };
    EXPECT_EQ(landlock_version(), version);
  }
}

}  // namespace
}  // namespace manactl::os::sandbox_calls_test
