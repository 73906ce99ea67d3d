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
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "base/number_names.h"

namespace manactl {
namespace {

using End = ChildResult::End;

constexpr std::size_t kMaxText = 1U << 16;

// Removes the environment variables that select RDMA providers or enable their debug output.
void clear_environment() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    for (const std::string_view prefix : {"RDMAV_", "IBV_", "VERBS_", "MLX", "MANA_"}) {
      if (text.starts_with(prefix)) names.emplace_back(text.substr(0, text.find('=')));
    }
  }
  for (const auto& name : names) unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): 1 thread
}

void detach_streams_and_signals() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Inherited handlers must not hide a crash from the parent.
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT}) {
    signal(number, SIG_DFL);
  }
}

[[noreturn]] void work_and_exit(const std::function<void(int)>& work, int pipe) {
  clear_environment();
  detach_streams_and_signals();
  work(pipe);
  _exit(0);
}

// Kills and reaps the child process in the destructor.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ~Child() { kill_and_reap(); }

  // Waits for the child and returns its status from waitpid(2); empty if other code has reaped it.
  std::optional<int> wait() {
    int status = 0;
    pid_t reaped = -1;
    do {
      reaped = waitpid(pid_, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    pid_ = -1;
    return reaped < 0 ? std::nullopt : std::optional<int>(status);
  }

  // Kills the child, waits at most one second and returns whether it was reaped. A child in an
  // uninterruptible system call exits only when the call returns, which may take 30 s in a driver.
  bool kill_and_reap() {
    constexpr int kAttempts = 100;
    constexpr auto kPause = std::chrono::milliseconds(10);
    if (pid_ > 0) kill(pid_, SIGKILL);
    for (int i = 0; pid_ > 0 && i < kAttempts; ++i) {
      if (waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = -1;
      if (pid_ > 0) std::this_thread::sleep_for(kPause);
    }
    return std::exchange(pid_, -1) == -1;
  }

 private:
  pid_t pid_;
};

// Reads until the child closes its end of the pipe or the timeout expires.
Result<ChildResult> read_all(int pipe, std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  ChildResult result;
  std::array<char, 4096> chunk{};
  auto deadline = Clock::now() + timeout;
  while (result.text.size() < kMaxText) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd events{pipe, POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&events, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return fail_errno(errno, "cannot wait for a child process");
    if (ready == 0) {
      result.end = End::timed_out;
      return result;
    }
    const ssize_t got = read(pipe, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "cannot read from a child process");
    if (got == 0) return result;
    result.text.append(chunk.data(), static_cast<std::size_t>(got));
    deadline = Clock::now() + timeout;
  }
  return fail(Errc::io, fmt::format("a child process wrote more than {} bytes", kMaxText));
}

Result<ChildResult> wait_for(Child& child, int pipe, std::chrono::milliseconds timeout) {
  auto result = read_all(pipe, timeout);
  if (!result) return result;
  if (result->end == End::timed_out) {
    result->reaped = child.kill_and_reap();
    return result;
  }
  const auto status = child.wait();
  if (status && WIFSIGNALED(*status)) {
    result->end = End::crashed;
    result->signal = signal_name(WTERMSIG(*status));
  }
  return result;
}

}  // namespace

Result<ChildResult> run_in_child(const std::function<void(int pipe)>& work,
                                 std::chrono::milliseconds timeout) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot create a pipe");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent died before prctl
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
  auto result = wait_for(child, ends[0], timeout);
  close(ends[0]);
  return result;
}

void write_to_pipe(int pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(pipe, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace manactl
