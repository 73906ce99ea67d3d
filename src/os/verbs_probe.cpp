// SPDX-License-Identifier: MIT

#include "os/verbs_probe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "os/owned.h"
#include "os/verbs_child.h"

namespace manactl::os {
namespace {

constexpr std::size_t kMostReply = 1U << 16;

// Kills and reaps the child, whatever happens to the conversation with it.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait();
    }
  }

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

 private:
  pid_t pid_;
};

// Everything until the child closes its end. Errc::timeout when it does not in time.
Result<std::string> read_reply(int pipe, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::string reply;
  std::array<char, 4096> piece{};
  while (reply.size() < kMostReply) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd wanted{pipe, POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&wanted, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return fail_errno(errno, "cannot wait for libibverbs");
    if (ready == 0) {
      return fail(Errc::timeout,
                  fmt::format("libibverbs did not answer in {} ms", patience.count()));
    }
    const ssize_t got = read(pipe, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "cannot read what libibverbs answered");
    if (got == 0) return reply;
    reply.append(piece.data(), static_cast<std::size_t>(got));
  }
  return fail(Errc::io, "libibverbs answered too much");
}

class ForkedProbe final : public VerbsProbe {
 public:
  ForkedProbe(std::string library, std::chrono::milliseconds patience)
      : library_(std::move(library)), patience_(patience) {}

  Result<std::vector<ProviderChoice>> providers() const override;

 private:
  std::string library_;
  std::chrono::milliseconds patience_;
};

Result<std::vector<ProviderChoice>> ForkedProbe::providers() const {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return fail_errno(errno, "cannot start a process for libibverbs");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it died before the line above
    answer_and_exit(library_, writing.get());
  }
  Child child(pid);
  if (close(writing.release()) != 0) return fail_errno(errno, "cannot close a pipe");
  auto reply = read_reply(reading.get(), patience_);
  if (!reply) return tl::unexpected<Error>(std::move(reply.error()));
  const auto status = child.wait();
  if (status && WIFSIGNALED(*status)) {
    const char* name = sigabbrev_np(WTERMSIG(*status));
    return fail(Errc::io,
                fmt::format("libibverbs or a provider of it crashed with SIG{}",
                            name == nullptr ? "?" : name));
  }
  return decode_reply(*reply);
}

}  // namespace

std::unique_ptr<VerbsProbe> open_verbs_probe(std::string library,
                                             std::chrono::milliseconds patience) {
  return std::make_unique<ForkedProbe>(std::move(library), patience);
}

}  // namespace manactl::os
