// SPDX-License-Identifier: MIT

#include "os/sandbox.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include "os/in_child.h"
#include "os/scratch.h"

namespace manactl::os::sandbox_test {
namespace {

// Opens and closes a file. Returns 0 or the errno.
int try_open(const std::string& path, int flags = O_RDONLY) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  close(file);
  return 0;
}

// A hexadecimal field of /proc/self/status, such as "CapEff".
std::uint64_t status_field(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1), nullptr, 16);
  }
  return ~0ULL;
}

constexpr std::uint64_t kReadSearch = 1U << CAP_DAC_READ_SEARCH;
constexpr std::uint64_t kOverride = 1U << CAP_DAC_OVERRIDE;

class SandboxTest : public testing::Test {
 protected:
  SandboxTest() {
    for (const auto* name : {"in/file", "out/old", "secret"}) scratch_.file(name, "text");
  }

  std::string path(const std::string& name) const { return scratch_.path() / name; }

  Sandbox sandbox() const { return {{path("in"), path("missing")}, {path("out")}}; }

  // The errno of denied accesses: 0 on a kernel without Landlock.
  const int denied_ = landlock_version() == 0 ? 0 : EACCES;

 private:
  test::Scratch scratch_;
};

TEST_F(SandboxTest, OpensOnlyTheNamedFiles) {
  EXPECT_EQ(in_child([&] { return enter_sandbox(sandbox()), try_open(path("in/file")); }), 0);
  EXPECT_EQ(in_child([&] { return enter_sandbox(sandbox()), try_open(path("secret")); }), denied_);
  EXPECT_EQ(in_child([&] { return enter_sandbox(sandbox()), try_open("/etc/passwd"); }), denied_);
  EXPECT_EQ(in_child([&] {
              enter_sandbox({{path("in/file")}, {}});
              return try_open(path("in/file"));
            }),
            0);
}

TEST_F(SandboxTest, AllowsNothingThroughALinkThatIsNoInput) {
  EXPECT_EQ(in_child([&] {
              if (chdir(path("").c_str()) != 0) return errno;
              enter_sandbox({{"/proc/self/cwd"}, {}});
              return try_open(path("secret"));
            }),
            denied_);
}

TEST_F(SandboxTest, WritesOnlyToTheNamedDirectories) {
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL;
  EXPECT_EQ(in_child([&] { return enter_sandbox(sandbox()), try_open(path("in/file"), O_WRONLY); }),
            denied_);
  EXPECT_EQ(in_child([&] { return enter_sandbox(sandbox()), try_open(path("in/new"), kNew); }),
            denied_);
  EXPECT_EQ(in_child([&] {
              enter_sandbox(sandbox());
              const auto created = try_open(path("out/new"), kNew);
              if (created != 0) return created;
              if (rename(path("out/new").c_str(), path("out/old").c_str()) != 0) return errno;
              if (truncate(path("out/old").c_str(), 0) != 0) return errno;
              return unlink(path("out/old").c_str()) == 0 ? try_open(path("out")) : errno;
            }),
            0);
}

TEST_F(SandboxTest, StartsNoProgramAndConnectsNowhere) {
  EXPECT_EQ(in_child([&] {
              enter_sandbox(sandbox());
              execl("/bin/true", "true", nullptr);
              return errno;
            }),
            denied_);
  if (landlock_version() < 4) return;  // Linux 6.7
  EXPECT_EQ(in_child([&] {
              enter_sandbox(sandbox());
              const int tcp = socket(AF_INET, SOCK_STREAM, 0);
              sockaddr address{AF_INET, {}};
              return connect(tcp, &address, sizeof address) == 0 ? 0 : errno;
            }),
            EACCES);
  if (landlock_version() < 6) return;  // Linux 6.12
  EXPECT_EQ(in_child([&] {
              enter_sandbox(sandbox());
              return kill(getppid(), 0) == 0 ? 0 : errno;
            }),
            EPERM);
}

TEST_F(SandboxTest, UsesEachVersionOfLandlock) {
  for (unsigned version = 1; version <= landlock_version(); ++version) {
    EXPECT_EQ(in_child([&] {
                enter_sandbox(sandbox(), version);
                return try_open(path("in/file")) + (try_open(path("out/old"), O_WRONLY | O_TRUNC));
              }),
              0)
        << version;
    EXPECT_EQ(in_child([&] { return enter_sandbox(sandbox(), version), try_open(path("secret")); }),
              EACCES)
        << version;
  }
}

TEST_F(SandboxTest, LoadsLibrariesAndReadsPipes) {
  EXPECT_EQ(in_child([&] {
              enter_sandbox({});
              return dlopen("libarchive.so.13", RTLD_NOW) == nullptr ? 1 : 0;
            }),
            0);
  EXPECT_EQ(in_child([&] {
              int ends[2] = {-1, -1};
              if (pipe(ends) != 0) return errno;
              const auto name = "/dev/fd/" + std::to_string(ends[0]);
              enter_sandbox({{name}, {}});
              const int denied = try_open(path("secret"));
              return denied == EACCES || landlock_version() == 0 ? try_open(name) : 1;
            }),
            0);
}

// Only Unix sockets can be created there, and nothing can be read.
TEST_F(SandboxTest, CreatesSocketsOnlyInTheNamedDirectories) {
  Sandbox server;
  server.sockets = {path("out")};
  const auto bind_to = [](const std::string& path) {
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  };
  EXPECT_EQ(in_child([&] {
              enter_sandbox(server);
              const auto name = path("out/socket"), other = path("out/other");
              if (const int error = bind_to(name)) return error;
              if (link(name.c_str(), other.c_str()) != 0) return errno;
              return unlink(name.c_str()) == 0 && unlink(other.c_str()) == 0 ? 0 : errno;
            }),
            0);
  EXPECT_EQ(in_child([&] { return enter_sandbox(server), bind_to(path("in/socket")); }), denied_);
  EXPECT_EQ(in_child([&] { return enter_sandbox(server), try_open(path("out/old")); }), denied_);
  EXPECT_EQ(in_child([&] { return enter_sandbox(server), try_open(path("out/new"), O_CREAT); }),
            denied_);
}

class ServerTest : public SandboxTest {
 protected:
  // Returns the result of `attempt` in a server that is confined without Landlock.
  static int in_server(const std::function<int()>& attempt) {
    return in_child([&] {
      Sandbox server;
      server.is_server = true;
      return enter_sandbox(server, 0).system_calls ? attempt() : kNotConfined;
    });
  }

  static bool can_confine() {
    return in_server([] { return 0; }) == 0;
  }

  static int errno_unless(bool failed) { return failed ? errno : 0; }

  static constexpr int kNotConfined = 200;  // with a sanitizer
};

TEST_F(ServerTest, MakesNoOtherSystemCalls) {
  if (!can_confine()) GTEST_SKIP() << "this build or kernel cannot limit system calls";
  const std::vector<std::pair<const char*, std::function<long()>>> attempts = {
      {"execve", [] { return execl("/bin/true", "true", nullptr); }},
      {"fork", [] { return fork(); }},
      {"ptrace", [] { return ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr); }},
      {"process_vm_readv", [] { return process_vm_readv(getppid(), nullptr, 0, nullptr, 0, 0); }},
      {"mount", [] { return mount("none", "/tmp", "tmpfs", 0, nullptr); }},
      {"unshare", [] { return unshare(CLONE_NEWUSER); }},
      {"init_module", [] { return syscall(SYS_init_module, nullptr, 0, ""); }},
      {"bpf", [] { return syscall(SYS_bpf, 0, nullptr, 0); }},
      {"io_uring_setup", [] { return syscall(SYS_io_uring_setup, 1, nullptr); }},
      {"kill", [] { return kill(getppid(), 0); }},
      {"tgkill", [] { return syscall(SYS_tgkill, getppid(), getppid(), 0); }},
      {"F_SETOWN", [] { return fcntl(STDIN_FILENO, F_SETOWN, getppid()); }},
      {"F_SETOWN_EX", [] { return fcntl(STDIN_FILENO, F_SETOWN_EX, nullptr); }},
      {"F_SETSIG", [] { return fcntl(STDIN_FILENO, F_SETSIG, SIGKILL); }},
      {"F_NOTIFY", [] { return fcntl(STDIN_FILENO, F_NOTIFY, 0); }},
      {"F_SETLEASE", [] { return fcntl(STDIN_FILENO, F_SETLEASE, F_RDLCK); }},
      {"chmod", [] { return chmod("/nonexistent", 0); }},
      {"setuid", [] { return setuid(0); }},
      {"socket", [] { return socket(AF_INET, SOCK_STREAM, 0); }},
      {"netlink", [] { return socket(AF_NETLINK, SOCK_RAW, 0); }},
      {"seccomp", [] { return syscall(SYS_seccomp, 99, 0, nullptr); }},
  };
  for (const auto& [name, attempt] : attempts) {
    EXPECT_EQ(in_server([&] { return errno_unless(attempt() == -1); }), EPERM) << name;
  }
  EXPECT_EQ(in_server([] {
              const auto* at =
                  mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return errno_unless(at == MAP_FAILED);
            }),
            EPERM);
  EXPECT_EQ(in_server([] {
              auto* at =
                  mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              if (at == MAP_FAILED) return 1;
              return errno_unless(mprotect(at, 4096, PROT_READ | PROT_EXEC) != 0);
            }),
            EPERM);
}

TEST_F(ServerTest, StillServes) {
  EXPECT_THAT(in_server([&] {
                const int file = open(path("in/file").c_str(), O_RDONLY | O_CLOEXEC);
                if (file < 0 || socket(AF_UNIX, SOCK_SEQPACKET, 0) < 0) return 1;
                char bytes[8] = "";
                if (read(file, bytes, sizeof bytes) != 4) return 2;
                const int flags = fcntl(file, F_GETFL);
                if (flags < 0 || fcntl(file, F_SETFL, flags | O_NONBLOCK) != 0) return 4;
                const int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
                if (fcntl(copy, F_GETFD) != FD_CLOEXEC || fcntl(copy, F_SETFD, 0) != 0) return 5;
                const std::vector<char> large(64U << 20U, 'x');
                pollfd waiting{file, POLLIN, 0};
                return large.back() == 'x' && poll(&waiting, 1, 0) == 1 ? 0 : 3;
              }),
              testing::AnyOf(0, kNotConfined));
}

TEST_F(ServerTest, CanAbort) {
  const pid_t child = fork();
  if (child == 0) {
    Sandbox server;
    server.is_server = true;
    enter_sandbox(server, 0);
    std::abort();
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
}

TEST_F(SandboxTest, ReportsWhatIsActive) {
  EXPECT_EQ(in_child([&] {
              const auto active = enter_sandbox(sandbox());
              return active.no_new_privileges && active.landlock == landlock_version() &&
                             !active.system_calls
                         ? 0
                         : 1;
            }),
            0);
}

// As on a kernel without Landlock.
TEST_F(SandboxTest, DropsPrivilegesWithoutLandlock) {
  EXPECT_EQ(in_child([&] {
              const auto before = status_field("CapEff");
              enter_sandbox({{path("in")}, {}}, 0);
              if (try_open(path("secret")) != 0) return 1;
              if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 2;
              if (status_field("CapEff") != (before & kReadSearch)) return 3;
              if (status_field("CapPrm") != (before & kReadSearch)) return 4;
              return status_field("CapInh") + status_field("CapAmb") == 0 ? 0 : 5;
            }),
            0);
}

TEST_F(SandboxTest, KeepsOnlyCapabilitiesForTheNamedFiles) {
  EXPECT_EQ(in_child([] { return enter_sandbox({}), status_field("CapEff") == 0 ? 0 : 1; }), 0);
  EXPECT_EQ(in_child([&] {
              const auto before = status_field("CapEff");
              enter_sandbox(sandbox());
              if (status_field("CapEff") != (before & (kReadSearch | kOverride))) return 1;
              // Only root can reduce the bounding set.
              return geteuid() != 0 || status_field("CapBnd") == 0 ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace manactl::os::sandbox_test
