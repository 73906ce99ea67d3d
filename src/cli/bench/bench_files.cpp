// SPDX-License-Identifier: MIT

#include "cli/bench/bench_files.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <optional>

#include "base/text.h"
#include "report/result_store.h"

namespace manactl::cli {
namespace {

std::string new_id() {
  return report::result_id(std::time(nullptr), static_cast<std::uint64_t>(getpid()));
}

constexpr std::uint64_t kMaxResult = 64U << 20U;  // more cannot be read again

Result<> check_size(const std::string& text) {
  if (text.size() <= kMaxResult) return {};
  return fail(Errc::invalid,
              fmt::format("the result is larger than {}: use fewer samples, that is, a shorter "
                          "--duration or a longer --interval",
                          human_bytes(kMaxResult)));
}

class LocalFiles : public BenchFiles {
 public:
  LocalFiles(std::string id, std::unique_ptr<StopFile> stop_file, SaveResult save)
      : BenchFiles(std::move(id)), stop_file_(std::move(stop_file)), save_(std::move(save)) {}

  Result<bool> was_deleted() override {
    return stop_file_ ? stop_file_->was_deleted() : Result<bool>(false);
  }

  Result<> save(const std::string& text) override {
    const auto checked = check_size(text);
    if (!checked) return checked;
    return save_ ? save_(id(), text) : fail(Errc::invalid, "this run saves no result");
  }

 private:
  std::unique_ptr<StopFile> stop_file_;
  SaveResult save_;
};

// One end of the socket between the process that measures and the one that writes files, which
// exchange numbers and texts. Both run the same program, so a number has the same size and byte
// order on both sides.
class Channel {
 public:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  bool send(std::uint64_t number) { return send(&number, sizeof number); }

  bool send(const std::string& text) {
    return send(std::uint64_t{text.size()}) && send(text.data(), text.size());
  }

  bool receive(std::uint64_t& number) { return receive(&number, sizeof number); }

  bool receive(std::string& text, std::uint64_t max_bytes) {
    std::uint64_t size = 0;
    if (!receive(size) || size > max_bytes) return false;
    text.resize(size);
    return receive(text.data(), text.size());
  }

 private:
  bool send(const void* bytes, std::size_t size) {
    const auto* next = static_cast<const char*>(bytes);
    while (size > 0) {
      const auto sent = ::send(socket_.get(), next, size, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      next += sent;
      size -= static_cast<std::size_t>(sent);
    }
    return true;
  }

  bool receive(void* bytes, std::size_t size) {
    auto* next = static_cast<char*>(bytes);
    while (size > 0) {
      const auto got = ::recv(socket_.get(), next, size, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      next += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

  Descriptor socket_;
};

enum Request : std::uint64_t { kWasDeleted, kSave };

constexpr std::uint64_t kMaxMessage = 64U << 10U;

// A reply is a number, and for kError the error.
enum Reply : std::uint64_t { kFalse, kTrue, kError };

bool reply(Channel& channel, const Result<bool>& result) {
  if (result) return channel.send(*result ? kTrue : kFalse);
  const auto& error = result.error();
  return channel.send(kError) && channel.send(static_cast<std::uint64_t>(error.code)) &&
         channel.send(static_cast<std::uint64_t>(error.sys)) &&
         channel.send(error.message.substr(0, kMaxMessage));
}

Result<bool> receive_reply(Channel& channel) {
  std::uint64_t number = 0;
  bool good = channel.receive(number);
  if (good && number != kError) return number == kTrue;
  Error error;
  std::uint64_t code = 0, sys = 0;
  good = good && channel.receive(code) && channel.receive(sys) &&
         channel.receive(error.message, kMaxMessage);
  if (!good) return fail(Errc::io, "the process that writes the files of bench has ended");
  error.code = static_cast<Errc>(code);
  error.sys = static_cast<int>(sys);
  return tl::unexpected<Error>(std::move(error));
}

// Serves the measuring process, which an attacker may control.
void serve(Channel& channel, LocalFiles& files) {
  bool saved = false;
  std::uint64_t request = 0;
  while (channel.receive(request)) {
    Result<bool> result = fail(Errc::invalid, "unknown request");
    if (request == kWasDeleted) {
      result = files.was_deleted();
    } else if (request == kSave && !saved) {
      std::string text;
      saved = true;
      if (!channel.receive(text, kMaxResult)) return;
      const auto written = files.save(text);
      result = written ? Result<bool>(true) : tl::unexpected<Error>(written.error());
    }
    if (!reply(channel, result)) return;
  }
}

// A path at which the measuring process may create a socket.
class SocketCleanup {
 public:
  // Empty if the directory cannot be trusted or if something has this name already.
  static std::optional<SocketCleanup> of(const std::string& path) {
    auto place = split_file_path(path);
    if (!place) return {};
    auto directory = TrustedDirectory::open(place->directory, Trust::exclusive);
    if (!directory) return {};
    if (faccessat(directory->get(), place->name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return {};
    return SocketCleanup(std::move(*directory), std::move(place->name));
  }

  void delete_socket() const {
    struct stat status{};

    const bool is_socket =
        fstatat(directory_.get(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISSOCK(status.st_mode);
    if (is_socket) unlinkat(directory_.get(), name_.c_str(), 0);
  }

 private:
  SocketCleanup(TrustedDirectory directory, std::string name)
      : directory_(std::move(directory)), name_(std::move(name)) {}

  TrustedDirectory directory_;
  std::string name_;
};

// This process must outlive the measuring process, so it leaves the process group, to which a
// terminal sends its signals.
void detach() {
  setsid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
  prctl(PR_SET_NAME, "manactl-files");
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
}

// noexcept, because an exception must not reach the code of the measuring process.
[[noreturn]] void serve_and_exit(Channel channel,
                                 LocalFiles files,
                                 const std::vector<SocketCleanup>& sockets) noexcept {
  detach();
  serve(channel, files);
  for (const auto& socket : sockets) socket.delete_socket();
  files = LocalFiles({}, {}, {});  // deletes the file of --until-deleted
  _exit(0);
}

class RemoteFiles : public BenchFiles {
 public:
  RemoteFiles(std::string id, pid_t child, Descriptor socket)
      : BenchFiles(std::move(id)), child_(child), channel_(std::move(socket)) {}

  RemoteFiles(const RemoteFiles&) = delete;
  RemoteFiles& operator=(const RemoteFiles&) = delete;

  ~RemoteFiles() override {
    channel_ = Channel(Descriptor());
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  Result<bool> was_deleted() override {
    (void)channel_.send(std::uint64_t{kWasDeleted});
    return receive_reply(channel_);
  }

  Result<> save(const std::string& text) override {
    const auto checked = check_size(text);
    if (!checked) return checked;
    (void)(channel_.send(std::uint64_t{kSave}) && channel_.send(text));
    const auto saved = receive_reply(channel_);
    if (!saved) return tl::unexpected<Error>(saved.error());
    return {};
  }

 private:
  pid_t child_;
  Channel channel_;
};

}  // namespace

std::unique_ptr<BenchFiles> local_files(std::unique_ptr<StopFile> stop_file, SaveResult save) {
  return std::make_unique<LocalFiles>(new_id(), std::move(stop_file), std::move(save));
}

Result<std::unique_ptr<BenchFiles>> start_files_process(std::unique_ptr<StopFile> stop_file,
                                                        SaveResult save,
                                                        const std::vector<std::string>& sockets) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno(errno, "cannot create a socket");
  }
  Descriptor own(ends[0]), other(ends[1]);
  // Before fork(), because this process may create a socket at any time after it.
  std::vector<SocketCleanup> created;
  for (const auto& path : sockets) {
    if (auto socket = SocketCleanup::of(path)) created.push_back(std::move(*socket));
  }
  auto id = new_id();
  const pid_t child = fork();
  if (child < 0) return fail_errno(errno, "cannot start a child process");
  if (child > 0) return std::make_unique<RemoteFiles>(std::move(id), child, std::move(own));
  own = Descriptor();
  serve_and_exit(Channel(std::move(other)),
                 LocalFiles(std::move(id), std::move(stop_file), std::move(save)),
                 created);
}

}  // namespace manactl::cli
