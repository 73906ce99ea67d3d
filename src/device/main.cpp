// SPDX-License-Identifier: MIT
//
// manactl-mana-device: a MANA adapter in software, as a PCI device of a virtual machine.

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "device/vfio_user/server.h"

namespace manactl::device {
namespace {

constexpr const char* kProgram = "manactl-mana-device";
constexpr int kDone = 0, kFailed = 1, kUsage = 2;
constexpr timespec kRetry{0, 2'000'000};

volatile std::sig_atomic_t g_stop = 0;

void on_signal(int) {
  g_stop = 1;
}

// Blocks SIGTERM and SIGINT. Returns the mask with which ppoll() receives them.
sigset_t block_signals() {
  struct sigaction action{};

  action.sa_handler = on_signal;
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (const int number : {SIGTERM, SIGINT}) {
    sigaction(number, &action, nullptr);
    sigaddset(&blocked, number);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  return before;
}

std::string read_text(const std::string& path) {
  std::stringstream text;
  if (std::ifstream file(path); file.peek() != std::ifstream::traits_type::eof()) {
    text << file.rdbuf();
  }
  return text.str();
}

Trace make_trace(const Options& options) {
  if (!options.trace) return Trace();
  std::FILE* file =
      options.trace_file.empty() ? stderr : std::fopen(options.trace_file.c_str(), "ae");
  if (file == nullptr) file = stderr;
  return Trace([file](const std::string& line) {
    fmt::print(file, "{}\n", line);
    std::fflush(file);
  });
}

// The socket in the file system, which is removed at the end.
class Listener {
 public:
  static Result<Listener> open(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return fail(Errc::invalid, "the path is too long");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    auto removed = remove_stale(path, address);
    if (!removed) return tl::unexpected<Error>(removed.error());
    Listener listener;
    listener.socket_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto mask = ::umask(S_IRWXG | S_IRWXO);
    const int bound =
        ::bind(listener.socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int number = errno;
    ::umask(mask);
    if (bound != 0) return fail_errno(number, "cannot create the socket");
    listener.path_ = path;
    if (::listen(listener.socket_.get(), 1) != 0) return fail_errno(errno, "cannot listen");
    return listener;
  }

  Listener(Listener&& other) noexcept
      : socket_(std::move(other.socket_)), path_(std::exchange(other.path_, {})) {}

  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  ~Listener() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  int fd() const { return socket_.get(); }

 private:
  Listener() = default;

  // Removes a socket that a killed process left. Anything else is kept.
  static Result<> remove_stale(const std::string& path, const sockaddr_un& address) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) return {};
    if (!S_ISSOCK(status.st_mode)) return fail(Errc::busy, "it exists and is not a socket");
    const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int connected =
        ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (connected == 0 || errno != ECONNREFUSED) return fail(Errc::busy, "another process uses it");
    ::unlink(path.c_str());
    return {};
  }

  Descriptor socket_;
  std::string path_;
};

// Waits until `fd` is readable. False if a signal stops the program first.
bool wait_for(int fd, Device& device, const sigset_t& waiting_mask) {
  while (g_stop == 0) {
    pollfd ready{fd, POLLIN, 0};
    const bool retry = device.retry_interrupts();
    if (::ppoll(&ready, 1, retry ? &kRetry : nullptr, &waiting_mask) > 0) return true;
  }
  return false;
}

// Serves one virtual machine until it ends.
Result<> serve(vfio_user::Channel& channel,
               vfio_user::Server& server,
               Device& device,
               const sigset_t& waiting_mask) {
  while (wait_for(channel.fd(), device, waiting_mask)) {
    auto message = channel.receive();
    if (!message) return tl::unexpected<Error>(message.error());
    if (!*message) break;
    auto handled = server.handle(channel, std::move(**message));
    if (!handled) return handled;
  }
  return {};
}

Result<> run(const Options& options) {
  const auto listener = Listener::open(options.path);
  if (!listener) return because(listener.error(), fmt::format("cannot use '{}'", options.path));
  auto trace = make_trace(options);
  std::function<std::string()> read_fault_file;
  if (!options.fault_file.empty()) {
    read_fault_file = [&options] { return read_text(options.fault_file); };
  }
  vfio_user::PciFunction function;
  Device device(function, options, trace, read_fault_file);
  vfio_user::Server server(function, device, trace);
  const auto waiting_mask = block_signals();
  fmt::print("ready\n");
  std::fflush(stdout);
  while (wait_for(listener->fd(), device, waiting_mask)) {
    vfio_user::Channel channel(
        Descriptor(::accept4(listener->fd(), nullptr, nullptr, SOCK_CLOEXEC)));
    const auto served = serve(channel, server, device, waiting_mask);
    if (!served) fmt::print(stderr, "{}: {}\n", kProgram, served.error().message);
    device.reset();
    function.disconnect();
    fmt::print(stderr,
               "{}: {} messages, {} violations\n",
               kProgram,
               device.messages(),
               trace.violations());
  }
  return {};
}

int report(const Error& error, int status) {
  fmt::print(stderr, "{}: {}\n", kProgram, error.message);
  return status;
}

int start(const std::vector<std::string>& arguments) {
  const auto options = parse_options(arguments);
  if (!options) return report(options.error(), kUsage);
  if (options->help) {
    fmt::print("{}", usage(kProgram, "SOCKET"));
    return kDone;
  }
  const auto done = run(*options);
  return done ? kDone : report(done.error(), kFailed);
}

}  // namespace
}  // namespace manactl::device

int main(int argc, char** argv) {
  return manactl::device::start({argv + 1, argv + argc});
}
