// SPDX-License-Identifier: MIT

#include "adapter/launch/launch.h"

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

#include "adapter/launch/cleanup_process.h"
#include "adapter/launch/sysfs_tree.h"
#include "base/text.h"
#include "base/trusted_directory.h"

namespace manactl::adapter {
namespace {

// Relative to the directory of the program in the build tree.
constexpr std::string_view kBuiltLibrary = "../../lib/manactl/libmanactl-sim.so";
constexpr int kSignalBase = 128;
constexpr auto kForwarded = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

std::vector<std::string> environment_of(const LaunchOptions& options,
                                        const SysfsTree& tree,
                                        std::string_view descriptors) {
  std::vector<std::string> variables;
  std::string preload = "LD_PRELOAD=" + options.library;
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
  variables.push_back(
      fmt::format("{}{} root={}{}", setup, options.settings, tree.root(), descriptors));
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// Blocks the signals that wait_for() handles.
struct BlockedSignals {
  sigset_t handled{}, before{};

  BlockedSignals() {
    sigemptyset(&handled);
    sigaddset(&handled, SIGCHLD);
    for (const int signal : kForwarded) sigaddset(&handled, signal);
    sigprocmask(SIG_BLOCK, &handled, &before);
    std::signal(SIGCHLD, SIG_DFL);  // with an inherited SIG_IGN, waitpid() returns no status
  }

  ~BlockedSignals() { sigprocmask(SIG_SETMASK, &before, nullptr); }

  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
};

// The arguments of execvpe() and the descriptors, prepared before fork().
struct Program {
  std::vector<char*> arguments, variables;
  std::vector<int> descriptors;  // inherited by the program
  bool stdout_to_stderr = false;
};

// Runs after fork(), so nothing here may allocate. Writes errno to the pipe `report` on failure.
[[noreturn]] void exec_program(const Program& program, int report) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // Descriptors, LD_PRELOAD and the configuration must not reach a program with other rights.
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  bool ready = !program.stdout_to_stderr || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
  for (const int fd : program.descriptors) ready = ready && fcntl(fd, F_SETFD, 0) == 0;
  if (ready) execvpe(program.arguments[0], program.arguments.data(), program.variables.data());
  const int number = errno;
  [[maybe_unused]] const auto written = write(report, &number, sizeof number);
  _exit(kSignalBase - 1);
}

// Forwards only signals from kill(): terminal signals (si_code > 0) reach the program anyway.
int wait_for(pid_t child, const BlockedSignals& signals) {
  for (;;) {
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals.handled, &info);
    if (signal > 0 && signal != SIGCHLD && info.si_code <= 0) kill(child, signal);
    int status = 0;
    const auto ended = waitpid(child, &status, WNOHANG);
    if (ended == child && (WIFEXITED(status) || WIFSIGNALED(status))) return status;
  }
}

Result<pid_t> start(const Program& program, const BlockedSignals& signals) {
  int report[2] = {-1, -1};
  if (pipe2(report, O_CLOEXEC) != 0) return fail_errno(errno, "cannot create a pipe");
  const auto child = fork();
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &signals.before, nullptr);
    std::signal(SIGXFSZ, SIG_DFL);  // execve(2) would keep the SIG_IGN of main()
    exec_program(program, report[1]);
  }
  close(report[1]);
  int number = child < 0 ? errno : 0;
  const bool failed = child < 0 || read(report[0], &number, sizeof number) == sizeof number;
  close(report[0]);
  if (!failed) return child;
  if (child > 0) waitpid(child, nullptr, 0);
  return fail(Errc::invalid,
              fail_errno(number, fmt::format("cannot run '{}'", printable(program.arguments[0])))
                  .value()
                  .message);
}

}  // namespace

const std::string_view kInstalledLibrary = MANACTL_INSTALLED_LIBRARY;

Result<std::string> find_library(const std::string& self, std::string_view installed) {
  namespace fs = std::filesystem;
  const auto folder = fs::path(self).parent_path();
  const bool built = folder.filename() == "cli" && folder.parent_path().filename() == "src";
  // Without "..", open_trusted_file() checks only the directories that lead to the library.
  auto path = (folder / (built ? kBuiltLibrary : installed)).lexically_normal().string();
  if (access(path.c_str(), F_OK) != 0) {
    return fail(
        Errc::unsupported,
        fmt::format("the software adapter '{}' is missing: install the package manactl-sim, or "
                    "keep the folders bin and lib of the archive together",
                    path));
  }
  // LD_PRELOAD runs the library as this user.
  const auto trusted = open_trusted_file(path, O_PATH);
  if (!trusted) return because(trusted.error(), fmt::format("cannot use '{}'", path));
  return path;
}

Result<SharedCounters> SharedCounters::make() {
  SharedCounters shared;
  shared.fd_ = memfd_create("manactl-counters", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (shared.fd_ < 0 || ftruncate(shared.fd_, sizeof(AdapterCounters)) != 0) {
    return fail_errno(errno, "cannot create memory for the counters");
  }
  // Otherwise the program could truncate the file, so that reading the counters raises SIGBUS.
  if (fcntl(shared.fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return fail_errno(errno, "cannot fix the size of the memory for the counters");
  }
  auto* at =
      mmap(nullptr, sizeof(AdapterCounters), PROT_READ | PROT_WRITE, MAP_SHARED, shared.fd_, 0);
  if (at == MAP_FAILED) return fail_errno(errno, "cannot map the counters");
  shared.counters_ = static_cast<AdapterCounters*>(at);
  return shared;
}

SharedCounters::~SharedCounters() {
  if (counters_ != nullptr) munmap(counters_, sizeof(AdapterCounters));
  if (fd_ >= 0) close(fd_);
}

SharedCounters::SharedCounters(SharedCounters&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), counters_(std::exchange(other.counters_, nullptr)) {}

SharedCounters& SharedCounters::operator=(SharedCounters&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(counters_, other.counters_);
  return *this;
}

Result<Outcome> launch(const LaunchOptions& options) {
  const auto config = Config::parse(options.settings);
  if (!config) return tl::unexpected<Error>(config.error());
  auto counters = SharedCounters::make();
  if (!counters) return tl::unexpected<Error>(counters.error());
  const auto files = LaunchFiles::open(*config, options.paths);
  if (!files) return tl::unexpected<Error>(files.error());
  const auto tree = SysfsTree::make(*config);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const auto cleanup = CleanupProcess::start(tree->root());
  if (!cleanup) return tl::unexpected<Error>(cleanup.error());
  const BlockedSignals signals;
  auto command = options.command;
  auto variables = environment_of(
      options, *tree, fmt::format(" counters={}{}", counters->fd(), files->settings()));
  auto descriptors = files->fds();
  descriptors.push_back(counters->fd());
  const auto child = start(
      {pointers(command), pointers(variables), std::move(descriptors), options.stdout_to_stderr},
      signals);
  if (!child) return tl::unexpected<Error>(child.error());
  const int status = wait_for(*child, signals);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return Outcome{
      signal != 0 ? kSignalBase + signal : WEXITSTATUS(status), signal, std::move(*counters)};
}

}  // namespace manactl::adapter
