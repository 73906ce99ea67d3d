// SPDX-License-Identifier: MIT
//
// mana-device: a MANA device in software, as a PCI device of a virtual machine.

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <system_error>

#include "adapter/link/capture.h"
#include "device/console.h"
#include "device/listener.h"
#include "device/pci_proxy/server.h"
#include "device/vfio_user/server.h"

namespace manactl::device {
namespace {

constexpr const char* kProgram = "mana-device";
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

void print_error(std::string_view message) {
  fmt::print(stderr, "{}: {}\n", kProgram, message);
}

std::uint64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// The file is closed with the last copy of the trace.
Result<Trace> make_trace(const Options& options) {
  if (!options.trace) return Trace();
  std::shared_ptr<std::FILE> file(stderr, [](std::FILE*) {});
  if (!options.trace_file.empty()) {
    auto* opened = std::fopen(options.trace_file.c_str(), "ae");
    if (opened == nullptr) {
      return fail_errno(errno, fmt::format("cannot open the trace file '{}'", options.trace_file));
    }
    file.reset(opened, std::fclose);
  }
  return Trace([file, path = options.trace_file, failed = false](const std::string& line) mutable {
    const auto text = line + '\n';
    const bool written = std::fputs(text.c_str(), file.get()) >= 0 && std::fflush(file.get()) == 0;
    if (written || failed) return;
    failed = true;
    const auto why = fail_errno(errno, fmt::format("cannot write the trace to '{}'", path));
    print_error(why.value().message);
  });
}

// The sockets, interfaces and files that the process uses.
struct Resources {
  Listener qemu;
  std::optional<Listener> console;
  std::vector<std::pair<std::size_t, std::unique_ptr<Uplink>>> uplinks;  // with their ports
  Descriptor capture;  // records frames; none without --pcap
};

// The process: waits for QEMU, for a client of the console, for their messages, and for frames.
class Process {
 public:
  Process(const Options& options, Resources& resources, FrontEnd& front_end, Trace& trace)
      : resources_(resources),
        front_end_(front_end),
        trace_(trace),
        device_(front_end.guest(), options, trace) {
    for (auto& [port, uplink] : resources_.uplinks) device_.packets().connect(port, *uplink);
    if (!resources_.capture) return;
    device_.packets().observe([this](std::span<const std::uint8_t> frame) { record(frame); });
  }

  void run() {
    const auto waiting_mask = block_signals();
    fmt::print("ready\n");
    std::fflush(stdout);
    while (g_stop == 0) wait(waiting_mask);
    disconnect();
  }

 private:
  // One QEMU and one client of the console are served at a time; others wait.
  void wait(const sigset_t& waiting_mask) {
    const bool console_waits = resources_.console && !client_;
    std::vector<pollfd> ready{{client_         ? client_.get()
                               : console_waits ? resources_.console->fd()
                                               : -1,
                               POLLIN,
                               0}};
    for (const auto& [port, uplink] : resources_.uplinks)
      ready.push_back({uplink->fd(), POLLIN, 0});
    const auto first_of_qemu = ready.size();
    for (const int fd : front_end_.descriptors()) ready.push_back({fd, POLLIN, 0});
    if (ready.size() == first_of_qemu) ready.push_back({resources_.qemu.fd(), POLLIN, 0});
    const bool retry = device_.retry_interrupts();
    if (::ppoll(ready.data(), ready.size(), retry ? &kRetry : nullptr, &waiting_mask) <= 0) return;
    if (ready[0].revents != 0) {
      if (console_waits) {
        client_ = resources_.console->accept();
      } else {
        read_console();
      }
    }
    for (std::size_t i = 0; i < resources_.uplinks.size(); ++i) {
      if (ready[i + 1].revents != 0) device_.packets().receive(resources_.uplinks[i].first);
    }
    const auto has_input = [](const pollfd& one) { return one.revents != 0; };
    if (std::ranges::any_of(std::span(ready).subspan(first_of_qemu), has_input)) read_qemu();
  }

  // Ends the capture if a frame cannot be written completely.
  void record(std::span<const std::uint8_t> frame) {
    if (!resources_.capture) return;
    auto header = adapter::record_header(now(), frame.size());
    const iovec parts[] = {{header.data(), header.size()},
                           {const_cast<std::uint8_t*>(frame.data()), frame.size()}};
    const auto written = ::writev(resources_.capture.get(), parts, std::size(parts));
    if (written == static_cast<ssize_t>(header.size() + frame.size())) return;
    print_error(
        fmt::format("cannot write to the capture file: {}; recording has stopped",
                    written < 0 ? std::generic_category().message(errno) : "the disk is full"));
    resources_.capture = Descriptor();
  }

  void read_qemu() {
    if (!front_end_.descriptors().empty()) {
      serve();
    } else if (auto connection = resources_.qemu.accept()) {
      front_end_.attach(std::move(connection));
    }
  }

  void serve() {
    const auto served = front_end_.serve(device_);
    if (!served) print_error(served.error().message);
    if (!served || !*served) disconnect();
  }

  void disconnect() {
    if (front_end_.descriptors().empty()) return;
    device_.reset();
    front_end_.detach();
    print_error(console_.execute("statistics"));
  }

  void read_console() {
    std::array<char, 1024> bytes{};
    const auto got = ::read(client_.get(), bytes.data(), bytes.size());
    if (got > 0) input_.append(bytes.data(), static_cast<std::size_t>(got));
    if (got <= 0 || input_.size() > kMaxLine) {
      client_ = Descriptor();
      input_.clear();
      return;
    }
    for (auto end = input_.find('\n'); end != std::string::npos; end = input_.find('\n')) {
      const auto response = console_.execute(input_.substr(0, end)) + '\n';
      input_.erase(0, end + 1);
      // Does not wait for a client that reads slowly; the response is then lost.
      (void)::send(client_.get(), response.data(), response.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
  }

  static constexpr std::size_t kMaxLine = 4096;

  Resources& resources_;
  FrontEnd& front_end_;
  Trace& trace_;
  Device device_;
  Console console_{device_, trace_};
  Descriptor client_;
  std::string input_;  // of the console, up to a newline
};

// The listener of an optional socket; no value inside if `path` is empty.
Result<std::optional<Listener>> open_console(const std::string& path) {
  if (path.empty()) return std::optional<Listener>();
  auto opened = Listener::open(path, SOCK_STREAM);
  if (!opened) return tl::unexpected<Error>(opened.error());
  return std::optional<Listener>(std::move(*opened));
}

Result<Resources> open_resources(const Options& options) {
  auto qemu = Listener::open(options.path, SOCK_STREAM);
  if (!qemu) return tl::unexpected<Error>(qemu.error());
  auto console = open_console(options.console);
  if (!console) return tl::unexpected<Error>(console.error());
  Resources resources{std::move(*qemu), std::move(*console), {}, {}};
  for (const auto& option : options.uplinks) {
    auto uplink = Uplink::open(option);
    if (!uplink) return tl::unexpected<Error>(uplink.error());
    resources.uplinks.emplace_back(option.port, std::move(*uplink));
  }
  if (options.capture_file.empty()) return resources;
  const auto capture = adapter::create_capture(options.capture_file);
  if (!capture) return tl::unexpected<Error>(capture.error());
  resources.capture = Descriptor(*capture);
  return resources;
}

std::unique_ptr<FrontEnd> make_front_end(const Options& options, Trace& trace) {
  if (options.qtest.empty()) return std::make_unique<vfio_user::Server>(trace);
  return std::make_unique<pci_proxy::Server>(options.qtest, trace);
}

Result<> run(const Options& options) {
  auto trace = make_trace(options);
  if (!trace) return tl::unexpected<Error>(trace.error());
  auto resources = open_resources(options);
  if (!resources) return tl::unexpected<Error>(resources.error());
  const auto front_end = make_front_end(options, *trace);
  Process(options, *resources, *front_end, *trace).run();
  return {};
}

int report(const Error& error, int status) {
  print_error(error.message);
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
