// SPDX-License-Identifier: MIT

#include "base/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/descriptor.h"
#include "base/text.h"

namespace manactl {
namespace {

constexpr std::size_t kMaxErrorText = 4096;
constexpr int kSignalBase = 128;
constexpr int kCannotExecute = 126;  // as in a shell

struct Pipe {
  Descriptor reader, writer;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot create a pipe");
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// The standard streams of the program.
struct Streams {
  Descriptor in;
  Pipe out, err;
};

Result<Streams> make_streams() {
  Streams streams;
  streams.in = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!streams.in) return fail_errno(errno, "cannot open /dev/null");
  for (auto* pipe : {&streams.out, &streams.err}) {
    auto made = make_pipe();
    if (!made) return tl::unexpected<Error>(made.error());
    *pipe = std::move(*made);
  }
  return streams;
}

// Runs after fork(), so nothing here may allocate.
[[noreturn]] void exec_program(char* const* arguments, const Streams& streams) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none{};
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGXFSZ, SIG_DFL);  // execve(2) would keep the SIG_IGN of main()
  if (dup2(streams.in.get(), STDIN_FILENO) >= 0 &&
      dup2(streams.out.writer.get(), STDOUT_FILENO) >= 0 &&
      dup2(streams.err.writer.get(), STDERR_FILENO) >= 0) {
    execv(arguments[0], arguments);
  }
  _exit(kCannotExecute);
}

// Kills and reaps the process in the destructor, unless wait() has reaped it.
class RunningProgram {
 public:
  explicit RunningProgram(pid_t pid) : pid_(pid) {}

  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  ~RunningProgram() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    wait();
  }

  void terminate() const { kill(pid_, SIGTERM); }

  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_;
};

// Appends what can be read. Returns false at the end of the file.
bool read_some(const Descriptor& from, std::string& text) {
  std::array<char, 65536> chunk{};
  const auto got = read(from.get(), chunk.data(), chunk.size());
  if (got < 0) return errno == EINTR;
  text.append(chunk.data(), static_cast<std::size_t>(got));
  return got > 0;
}

// Reads both pipes until the program has closed them.
Result<> read_output(const RunningProgram& program,
                     const Streams& streams,
                     const std::stop_token& stop,
                     std::size_t max_output,
                     ProgramResult& result) {
  constexpr int kStopCheck = 50;  // milliseconds between two checks of `stop`
  bool terminated = false;
  std::array<pollfd, 2> events{
      {{streams.out.reader.get(), POLLIN, 0}, {streams.err.reader.get(), POLLIN, 0}}};
  while (events[0].fd >= 0 || events[1].fd >= 0) {
    const int ready = poll(events.data(), events.size(), kStopCheck);
    if (ready < 0 && errno != EINTR) return fail_errno(errno, "cannot wait for a program");
    if (stop.stop_requested() && !terminated) {
      program.terminate();
      terminated = true;
    }
    if (ready <= 0) continue;
    if (events[0].revents != 0 && !read_some(streams.out.reader, result.out)) events[0].fd = -1;
    if (events[1].revents != 0 && !read_some(streams.err.reader, result.err)) events[1].fd = -1;
    if (result.out.size() > max_output) {
      return fail(Errc::io, fmt::format("it wrote more than {} bytes", max_output));
    }
    if (result.err.size() > kMaxErrorText) {
      result.err.erase(0, result.err.size() - kMaxErrorText);
    }
  }
  return {};
}

}  // namespace

Result<ProgramResult> run_program(const std::vector<std::string>& command,
                                  std::size_t max_output,
                                  const std::stop_token& stop) {
  auto streams = make_streams();
  if (!streams) return tl::unexpected<Error>(streams.error());
  auto words = command;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::signal(SIGCHLD, SIG_DFL);  // with an inherited SIG_IGN, waitpid() returns no status
  const pid_t pid = fork();
  if (pid == 0) exec_program(arguments.data(), *streams);
  if (pid < 0) return fail_errno(errno, "cannot start a process");
  RunningProgram program(pid);
  streams->out.writer = Descriptor();
  streams->err.writer = Descriptor();
  ProgramResult result;
  const auto cause = fmt::format("cannot run '{}'", printable(command.front()));
  const auto complete = read_output(program, *streams, stop, max_output, result);
  if (!complete) return because(complete.error(), cause);
  result.status = program.wait();
  if (result.status == kCannotExecute) {
    return fail(Errc::invalid, cause + ": it is missing or not executable");
  }
  return result;
}

}  // namespace manactl
