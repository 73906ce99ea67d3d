// SPDX-License-Identifier: MIT

#include "adapter/launch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <utility>

#include "adapter/device_tree.h"
#include "adapter/sweeper.h"
#include "base/text.h"

namespace manactl::adapter {
namespace {

constexpr std::string_view kLibrary = "lib/manactl/libmanactl-sim.so";
constexpr int kSignalBase = 128;
constexpr auto kPassedOn = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

bool trusted_owner(uid_t owner) {
  return owner == 0 || owner == geteuid();
}

// In a sticky directory others can add names, but not take ours away.
bool others_may_change(const struct stat& status) {
  const bool writable = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  return writable && !(S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0);
}

std::vector<std::string> environment_of(const Launch& launch,
                                        const DeviceTree& tree,
                                        std::string_view descriptors) {
  std::vector<std::string> variables;
  std::string preload = "LD_PRELOAD=" + launch.library;
  const std::string setup = fmt::format("{}=", kConfigVariable);
  constexpr std::string_view kTree = "SYSFS_PCI_DEVICES=", kPreload = "LD_PRELOAD=";
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with(kPreload)) {
      preload += fmt::format(":{}", text.substr(kPreload.size()));
    } else if (!text.starts_with(kTree) && !text.starts_with(setup)) {
      variables.emplace_back(text);
    }
  }
  variables.push_back(std::move(preload));
  variables.push_back(fmt::format("{}{}", kTree, tree.pci_devices()));
  variables.push_back(fmt::format("{}{} root={}{}", setup, launch.words, tree.root(), descriptors));
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

struct Signals {
  sigset_t watched{}, before{};

  Signals() {
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    for (const int signal : kPassedOn) sigaddset(&watched, signal);
    sigprocmask(SIG_BLOCK, &watched, &before);
    std::signal(SIGCHLD,
                SIG_DFL);  // ignored, as we may have inherited it, nobody could be waited for
  }

  ~Signals() { sigprocmask(SIG_SETMASK, &before, nullptr); }

  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
};

// What a child needs, made before there is one.
struct Child {
  std::vector<char*> words, variables;
  std::vector<int> descriptors;  // that the program gets
  bool stdout_to_stderr = false;
};

// In the child, before the program: nothing here may allocate. Its errno comes back through
// `report`.
[[noreturn]] void become(const Child& child, int report) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  bool ready = !child.stdout_to_stderr || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
  for (const int fd : child.descriptors) ready = ready && fcntl(fd, F_SETFD, 0) == 0;
  if (ready) execvpe(child.words[0], child.words.data(), child.variables.data());
  const int number = errno;
  [[maybe_unused]] const auto written = write(report, &number, sizeof number);
  _exit(kSignalBase - 1);
}

// A terminal sends its signals to the program, too; those of a process come to us alone.
int wait_for(pid_t child, const Signals& signals) {
  for (;;) {
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals.watched, &info);
    if (signal > 0 && signal != SIGCHLD && info.si_code <= 0) kill(child, signal);
    int status = 0;
    const auto ended = waitpid(child, &status, WNOHANG);
    if (ended == child && (WIFEXITED(status) || WIFSIGNALED(status))) return status;
  }
}

Result<pid_t> start(const Child& made, const Signals& signals) {
  int report[2] = {-1, -1};
  if (pipe2(report, O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  const auto child = fork();
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &signals.before, nullptr);
    become(made, report[1]);
  }
  close(report[1]);
  int number = child < 0 ? errno : 0;
  const bool failed = child < 0 || read(report[0], &number, sizeof number) == sizeof number;
  close(report[0]);
  if (!failed) return child;
  if (child > 0) waitpid(child, nullptr, 0);
  return fail(
      Errc::invalid,
      fail_errno(number, fmt::format("cannot run '{}'", printable(made.words[0]))).value().message);
}

}  // namespace

Result<> check_trusted(const std::string& path) {
  namespace fs = std::filesystem;
  for (fs::path at = path;; at = at.parent_path()) {
    struct stat status {};

    if (lstat(at.c_str(), &status) != 0)
      return fail_errno(errno, fmt::format("cannot use '{}'", at.string()));
    const bool expected = at == fs::path(path) ? S_ISREG(status.st_mode) : S_ISDIR(status.st_mode);
    if (!expected || !trusted_owner(status.st_uid) || others_may_change(status)) {
      return fail(Errc::denied,
                  fmt::format("'{}' is not used: others than root and you could have written '{}'",
                              path,
                              at.string()));
    }
    if (at == at.parent_path()) return {};
  }
}

Result<std::string> find_library(const std::string& self) {
  namespace fs = std::filesystem;
  const auto folder = fs::path(self).parent_path();
  // In the build tree the program is where its sources are.
  const bool built = folder.parent_path().filename() == "src";
  const auto root = built ? folder.parent_path().parent_path() : folder.parent_path();
  const auto path = (root / kLibrary).string();
  if (access(path.c_str(), F_OK) != 0) {
    return fail(Errc::unsupported,
                fmt::format("'{}' is missing: the software adapter is not installed", path));
  }
  const auto trusted = check_trusted(path);
  if (!trusted) return tl::unexpected<Error>(trusted.error());
  return path;
}

Result<SharedLedger> SharedLedger::make() {
  SharedLedger made;
  made.fd_ = memfd_create("manactl-ledger", MFD_CLOEXEC);
  if (made.fd_ < 0 || ftruncate(made.fd_, sizeof(Ledger)) != 0) {
    return fail_errno(errno, "cannot make memory for the counters");
  }
  auto* at = mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED, made.fd_, 0);
  if (at == MAP_FAILED) return fail_errno(errno, "cannot map the counters");
  made.ledger_ = static_cast<Ledger*>(at);
  return made;
}

SharedLedger::~SharedLedger() {
  if (ledger_ != nullptr) munmap(ledger_, sizeof(Ledger));
  if (fd_ >= 0) close(fd_);
}

SharedLedger::SharedLedger(SharedLedger&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), ledger_(std::exchange(other.ledger_, nullptr)) {}

SharedLedger& SharedLedger::operator=(SharedLedger&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(ledger_, other.ledger_);
  return *this;
}

Result<Outcome> launch(const Launch& launch) {
  const auto config = Config::parse(launch.words);
  if (!config) return tl::unexpected<Error>(config.error());
  auto ledger = SharedLedger::make();
  if (!ledger) return tl::unexpected<Error>(ledger.error());
  const auto files = LaunchFiles::open(*config, launch.paths);
  if (!files) return tl::unexpected<Error>(files.error());
  const auto tree = DeviceTree::make(*config);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const auto sweeper = Sweeper::start(tree->root());
  if (!sweeper) return tl::unexpected<Error>(sweeper.error());
  const Signals signals;
  auto command = launch.command;
  auto variables =
      environment_of(launch, *tree, fmt::format(" ledger={}{}", ledger->fd(), files->words()));
  auto descriptors = files->fds();
  descriptors.push_back(ledger->fd());
  const auto child = start(
      {pointers(command), pointers(variables), std::move(descriptors), launch.stdout_to_stderr},
      signals);
  if (!child) return tl::unexpected<Error>(child.error());
  const int status = wait_for(*child, signals);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return Outcome{
      signal != 0 ? kSignalBase + signal : WEXITSTATUS(status), signal, std::move(*ledger)};
}

}  // namespace manactl::adapter
