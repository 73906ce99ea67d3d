// SPDX-License-Identifier: MIT

#include "base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

namespace manactl {
namespace {

using End = ChildAnswer::End;

constexpr std::size_t kMostText = 1U << 16;

// The environment chooses providers and prints to the terminal; the answer must not depend on it.
void clear_environment() {
  std::vector<std::string> doomed;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    for (const std::string_view prefix : {"RDMAV_", "IBV_", "VERBS_", "MLX", "MANA_"}) {
      if (text.starts_with(prefix)) doomed.emplace_back(text.substr(0, text.find('=')));
    }
  }
  for (const auto& name : doomed) unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): alone
}

void be_quiet() {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // The parent wants to see a crash as a crash, whatever handlers were inherited.
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT}) {
    signal(number, SIG_DFL);
  }
}

[[noreturn]] void work_and_exit(const std::function<void(int)>& work, int pipe) {
  clear_environment();
  be_quiet();
  work(pipe);
  _exit(0);
}

// Kills and reaps the child, whatever happens to the conversation with it.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ~Child() { end(); }

  // What waitpid(2) tells of its end, or nothing when somebody else has reaped it.
  std::optional<int> wait() {
    int status = 0;
    pid_t reaped = -1;
    do {
      reaped = waitpid(pid_, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    pid_ = -1;
    return reaped < 0 ? std::nullopt : std::optional<int>(status);
  }

  // A signal waits for the end of some calls into the kernel, up to half a minute in a driver.
  bool end() {
    constexpr int kLooks = 100;
    constexpr auto kPause = std::chrono::milliseconds(10);
    if (pid_ > 0) kill(pid_, SIGKILL);
    for (int i = 0; pid_ > 0 && i < kLooks; ++i) {
      if (waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = -1;
      if (pid_ > 0) std::this_thread::sleep_for(kPause);
    }
    return std::exchange(pid_, -1) == -1;
  }

 private:
  pid_t pid_;
};

// Everything until the child closes its end, or is silent for too long.
Result<ChildAnswer> listen(int pipe, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  ChildAnswer answer;
  std::array<char, 4096> piece{};
  auto deadline = Clock::now() + patience;
  while (answer.text.size() < kMostText) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd wanted{pipe, POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&wanted, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return fail_errno(errno, "cannot wait for a child process");
    if (ready == 0) {
      answer.end = End::silent;
      return answer;
    }
    const ssize_t got = read(pipe, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "cannot read from a child process");
    if (got == 0) return answer;
    answer.text.append(piece.data(), static_cast<std::size_t>(got));
    deadline = Clock::now() + patience;
  }
  return fail(Errc::io, "a child process wrote too much");
}

std::string name_of_signal(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

Result<ChildAnswer> talk(Child& child, int pipe, std::chrono::milliseconds patience) {
  auto answer = listen(pipe, patience);
  if (!answer) return answer;
  if (answer->end == End::silent) {
    answer->gone = child.end();
    return answer;
  }
  const auto status = child.wait();
  if (status && WIFSIGNALED(*status)) {
    answer->end = End::crashed;
    answer->signal = name_of_signal(WTERMSIG(*status));
  }
  return answer;
}

}  // namespace

Result<ChildAnswer> ask_child(const std::function<void(int pipe)>& work,
                              std::chrono::milliseconds patience) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it died before the line above
    close(ends[0]);
    work_and_exit(work, ends[1]);
  }
  const int number = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return fail_errno(number, "cannot start a child process");
  }
  Child child(pid);
  auto answer = talk(child, ends[0], patience);
  close(ends[0]);
  return answer;
}

void tell(int pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(pipe, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace manactl
