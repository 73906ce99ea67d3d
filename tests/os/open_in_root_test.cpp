// SPDX-License-Identifier: MIT

#include "os/open_in_root.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "os/files.h"
#include "os/kernel_calls.h"
#include "os/owned.h"
#include "os/scratch.h"

namespace manactl::os::open_in_root_test {
namespace {

struct Case {
  const char* name;
  std::string path;
  int flags;
  int error;              // 0: success
  const char* file = "";  // the expected file, below the scratch directory
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

class OpenInRoot : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    tree_.file("secret", "outside");
    tree_.file("root/secret", "inside");
    tree_.file("root/a/b/file", "");
    tree_.link("root/absolute", "/secret");
    tree_.link("root/parent", "../../../secret");
    tree_.link("root/a/b/top", "/");
    tree_.link("root/a/up", "..");
    tree_.link("root/link", "a/b");
    tree_.link("root/slashed", "a/b/");
    tree_.link("root/file-slashed", "secret/");
    tree_.link("root/dangling", "nowhere");
    tree_.link("root/loop", "pool");
    tree_.link("root/pool", "loop");
    tree_.link("root/chain0", "secret");
    for (int i = 1; i <= 40; ++i) {
      tree_.link("root/chain" + std::to_string(i), "chain" + std::to_string(i - 1));
    }
    root_ = Descriptor(open((tree_.path() / "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(root_);
  }

  void check(int opened, int error) const {
    const Descriptor found(opened);
    EXPECT_EQ(opened < 0 ? error : 0, GetParam().error);
    if (opened < 0) return;

    struct stat is{}, wanted{};

    ASSERT_EQ(fstat(opened, &is), 0);
    ASSERT_EQ(lstat((tree_.path() / GetParam().file).c_str(), &wanted), 0);
    EXPECT_EQ(is.st_ino, wanted.st_ino);
    EXPECT_NE(fcntl(opened, F_GETFD) & FD_CLOEXEC, 0);
  }

  test::Scratch tree_;
  Descriptor root_;
};

TEST_P(OpenInRoot, BothImplementationsAgree) {
  const auto& asked = GetParam();
  const int with_openat2 = open_in_root(root_.get(), asked.path, asked.flags);
  check(with_openat2, errno);
  const int with_steps = open_by_steps(root_.get(), asked.path, asked.flags);
  check(with_steps, errno);
}

constexpr int kLook = O_PATH;
constexpr int kLink = O_PATH | O_NOFOLLOW;
constexpr int kList = O_RDONLY | O_DIRECTORY;

INSTANTIATE_TEST_SUITE_P(
    Paths,
    OpenInRoot,
    testing::Values(
        Case{"Plain", "secret", O_RDONLY, 0, "root/secret"},
        Case{"FromTheTop", "/secret", O_RDONLY, 0, "root/secret"},
        Case{"Deep", "a//b/./file", O_RDWR, 0, "root/a/b/file"},
        Case{"Root", ".", kList, 0, "root"},
        Case{"Slash", "/", kLook, 0, "root"},
        Case{"AboveTheRoot", "..", kLook, 0, "root"},
        Case{"ParentPath", "../../secret", O_RDONLY, 0, "root/secret"},
        Case{"Back", "a/b/../b/file", O_RDONLY, 0, "root/a/b/file"},
        Case{"BackFromAFile", "secret/../secret", O_RDONLY, ENOTDIR},
        Case{"BackFromNowhere", "nowhere/../secret", O_RDONLY, ENOENT},
        Case{"Absolute", "absolute", O_RDONLY, 0, "root/secret"},
        Case{"ParentLink", "parent", O_RDONLY, 0, "root/secret"},
        Case{"ThroughTheTop", "a/b/top/absolute", O_RDONLY, 0, "root/secret"},
        Case{"ThroughUp", "a/up/a/b/file", O_RDONLY, 0, "root/a/b/file"},
        Case{"BackFromALink", "link/../b/file", O_RDONLY, 0, "root/a/b/file"},
        Case{"LastIsFollowed", "link", kLook, 0, "root/a/b"},
        Case{"LastIsKept", "link", kLink, 0, "root/link"},
        Case{"LastIsRefused", "link", O_RDONLY | O_NOFOLLOW, ELOOP},
        Case{"LastWithSlash", "link/", kLink, 0, "root/a/b"},
        Case{"Slashed", "slashed", kList, 0, "root/a/b"},
        Case{"SlashedFile", "file-slashed", O_RDONLY, ENOTDIR},
        Case{"FileWithSlash", "secret/", O_RDONLY, ENOTDIR},
        Case{"FileAsDirectory", "secret", kList, ENOTDIR},
        Case{"DirectoryToWrite", "a", O_WRONLY, EISDIR},
        Case{"ListedThroughLinks", "a/b/top/link", kList, 0, "root/a/b"},
        Case{"Dangling", "dangling", O_RDONLY, ENOENT},
        Case{"DanglingIsALink", "dangling", kLink, 0, "root/dangling"},
        Case{"Absent", "a/absent", O_RDONLY, ENOENT},
        Case{"Empty", "", O_RDONLY, ENOENT},
        Case{"Loop", "loop", O_RDONLY, ELOOP},
        Case{"LoopOnTheWay", "loop/file", O_RDONLY, ELOOP},
        Case{"FortyLinks", "chain39", O_RDONLY, 0, "root/secret"},
        Case{"TooManyLinks", "chain40", O_RDONLY, ELOOP},
        Case{"LongName", std::string(256, 'x'), O_RDONLY, ENAMETOOLONG},
        Case{"LongestGoodPath",
             std::string(PATH_MAX - 1 - 6, '/') + "secret",
             O_RDONLY,
             0,
             "root/secret"},
        Case{"TooLongPath", std::string(PATH_MAX - 6, '/') + "secret", O_RDONLY, ENAMETOOLONG},
        Case{"LongPath", std::string(5000, '/'), O_RDONLY, ENAMETOOLONG}),
    case_name);

// Magic links of procfs lead out of every root.
TEST(MagicLinks, AreRejectedByBothImplementations) {
  const Descriptor proc(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(proc);
  for (auto* open_one : {&open_in_root, &open_by_steps}) {
    for (const char* path : {"self/fd/0", "self/exe", "self/cwd", "self/root/etc", "self/ns/net"}) {
      EXPECT_EQ(Descriptor(open_one(proc.get(), path, O_RDONLY)).get(), -1) << path;
      EXPECT_EQ(errno, ELOOP) << path;
    }
    EXPECT_TRUE(Descriptor(open_one(proc.get(), "self/status", O_RDONLY)));
    EXPECT_TRUE(Descriptor(open_one(proc.get(), "mounts", O_RDONLY)));
    EXPECT_TRUE(Descriptor(open_one(proc.get(), "self/exe", O_PATH | O_NOFOLLOW)));
  }
}

// Makes openat2(2) fail with `error` in this process from now on.
bool forbid_openat2(unsigned error) {
  std::array filter = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat2, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{filter.size(), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
         syscall(__NR_openat2, -1, "", nullptr, 0) == -1 && static_cast<unsigned>(errno) == error;
}

class FailingCalls : public testing::Test {
 protected:
  FailingCalls() {
    tree_.file("file", "");
    root_ = Descriptor(open(tree_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }

  // Makes the first `failures` calls of openat2(2) fail with `error`, and the next return 0.
  void fail_openat2(int error, int failures) {
    openat2_calls_ = 0;
    calls_.syscall = [=, this](long number, const std::array<long, 6>&) -> std::optional<long> {
      if (number != __NR_openat2) return std::nullopt;
      errno = error;
      return openat2_calls_++ < failures ? -1 : 0;
    };
  }

  test::Scratch tree_;
  Descriptor root_;
  test::KernelCalls calls_;
  int openat2_calls_ = 0;
};

TEST_F(FailingCalls, OfOpenat2AreRepeatedIfTheyMaySucceed) {
  for (const int error : {EINTR, EAGAIN}) {
    fail_openat2(error, 100);
    EXPECT_EQ(open_in_root(root_.get(), "file", O_RDONLY), 0);
    EXPECT_EQ(openat2_calls_, 101);
    fail_openat2(error, 1000);
    EXPECT_EQ(open_in_root(root_.get(), "file", O_RDONLY), -1);
    EXPECT_EQ(errno, error);
    EXPECT_EQ(openat2_calls_, 101);
  }
  fail_openat2(EACCES, 1000);
  EXPECT_EQ(open_in_root(root_.get(), "file", O_RDONLY), -1);
  EXPECT_EQ(openat2_calls_, 1);
}

TEST_F(FailingCalls, OfOpenat2LeadToStepsOnlyIfItIsNotAvailable) {
  for (const int error : {ENOSYS, EPERM}) {
    fail_openat2(error, 1);
    EXPECT_GT(Descriptor(open_in_root(root_.get(), "file", O_RDONLY)).get(), 0);
    fail_openat2(error, 0);
    EXPECT_EQ(open_in_root(root_.get(), "file", O_RDONLY), 0) << "an old errno means nothing";
  }
}

TEST_F(FailingCalls, OfStepsAreReported) {
  calls_.openat = test::failing(EINTR);
  EXPECT_TRUE(Descriptor(open_by_steps(root_.get(), "file", O_RDONLY)));
  calls_.openat = test::failing(EMFILE);
  EXPECT_EQ(open_by_steps(root_.get(), "file", O_RDONLY), -1);
  EXPECT_EQ(errno, EMFILE);
  calls_.openat = nullptr;
  calls_.fstat = test::failing(EIO);
  EXPECT_EQ(open_by_steps(root_.get(), "file", O_RDONLY), -1);
  EXPECT_EQ(errno, EIO);
}

class WithoutOpenat2 : public testing::TestWithParam<int> {};

TEST_P(WithoutOpenat2, ACapturedTreeCanBeRead) {
  const test::Scratch tree;
  tree.file("secret", "outside");
  tree.file("root/secret", "inside");
  tree.link("root/parent", "../../secret");
  const pid_t child = fork();
  if (child == 0) {
    const auto files = open_files(tree.path() / "root");
    const bool forbidden = forbid_openat2(static_cast<unsigned>(GetParam()));
    EXPECT_TRUE(forbidden);
    EXPECT_EQ((*files)->read("parent").value_or(""), "inside");
    EXPECT_EQ((*files)->link_target("parent").value_or(""), "../../secret");
    EXPECT_EQ((*files)->list("..").value_or(std::vector<std::string>{}).size(), 2U);
    EXPECT_TRUE((*files)->write("secret", "new"));
    EXPECT_EQ((*files)->read("absent").error().sys, ENOENT);
    _exit(HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

INSTANTIATE_TEST_SUITE_P(Errnos, WithoutOpenat2, testing::Values(ENOSYS, EPERM));

}  // namespace
}  // namespace manactl::os::open_in_root_test
