// SPDX-License-Identifier: MIT

#include "device/process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <system_error>

#include "adapter/link/capture.h"

namespace manactl::device {
namespace {

constexpr int kRetryMs = 2;    // masked interrupts
constexpr int kPausedMs = 50;  // listeners that lack descriptors

std::uint64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

void print_message(std::string_view message) {
  fmt::print(stderr, "mana-device: {}\n", message);
}

Process::Process(const Options& options, Resources& resources, FrontEnd& front_end, Trace& trace)
    : resources_(resources),
      front_end_(front_end),
      device_(front_end.guest(), options, trace),
      console_(device_, trace) {
  for (auto& [port, uplink] : resources_.uplinks) device_.packets().connect(port, *uplink);
  if (!resources_.capture) return;
  device_.packets().observe([this](std::span<const std::uint8_t> frame) { record(frame); });
}

Result<> Process::run(const Descriptor& stop) {
  auto goes_on = Result<bool>(true);
  while (goes_on && *goes_on) goes_on = serve_once(stop);
  disconnect();
  if (!goes_on) return tl::unexpected<Error>(goes_on.error());
  return {};
}

bool Process::is_paused() const {
  return resources_.qemu.is_paused() || (resources_.console && resources_.console->is_paused()) ||
         std::ranges::any_of(resources_.uplinks,
                             [](const auto& uplink) { return uplink.second->is_paused(); });
}

// Waits for events and handles them. Returns false if `stop` is readable. One QEMU and one client
// of the console are served at a time; others wait.
Result<bool> Process::serve_once(const Descriptor& stop) {
  const bool paused = is_paused();  // before the calls of Listener::fd()
  const bool console_waits = resources_.console && !client_;
  const int console = client_ ? client_.get() : console_waits ? resources_.console->fd() : -1;
  std::vector<pollfd> ready{{stop.get(), POLLIN, 0}, {console, POLLIN, 0}};
  const auto first_uplink = ready.size();
  for (const auto& [port, uplink] : resources_.uplinks) ready.push_back({uplink->fd(), POLLIN, 0});
  const auto first_of_qemu = ready.size();
  for (const auto& entry : front_end_.poll_entries()) ready.push_back(entry);
  if (ready.size() == first_of_qemu) ready.push_back({resources_.qemu.fd(), POLLIN, 0});
  const bool retry = device_.retry_interrupts();
  const int timeout = device_.has_work() ? 0 : retry ? kRetryMs : paused ? kPausedMs : -1;
  if (::poll(ready.data(), ready.size(), timeout) < 0) {
    if (errno == EINTR) return true;
    return fail_errno(errno, "cannot wait for events");
  }
  if (ready[0].revents != 0) return false;
  if (ready[1].revents != 0) {
    if (console_waits) {
      client_ = accept(*resources_.console);
    } else {
      read_console();
    }
  }
  for (std::size_t i = 0; i < resources_.uplinks.size(); ++i) {
    if (ready[first_uplink + i].revents != 0) {
      device_.packets().receive(resources_.uplinks[i].first);
    }
  }
  const auto has_event = [](const pollfd& one) { return one.revents != 0; };
  if (std::ranges::any_of(std::span(ready).subspan(first_of_qemu), has_event)) read_qemu();
  device_.work();
  end_without_memory();
  return true;
}

// Prints only the first of consecutive errors.
Descriptor Process::accept(Listener& listener) {
  auto connection = listener.accept();
  const int error = listener.accept_error();
  if (error != 0 && !reported_accept_error_) {
    print_message(fmt::format("cannot accept a connection: {}; it waits",
                              std::generic_category().message(error)));
  }
  reported_accept_error_ = error != 0;
  return connection;
}

// Ends the capture if a frame cannot be written completely.
void Process::record(std::span<const std::uint8_t> frame) {
  if (!resources_.capture) return;
  auto header = adapter::record_header(now(), frame.size());
  const iovec parts[] = {{header.data(), header.size()},
                         {const_cast<std::uint8_t*>(frame.data()), frame.size()}};
  const auto written = ::writev(resources_.capture.get(), parts, std::size(parts));
  if (written == static_cast<ssize_t>(header.size() + frame.size())) return;
  print_message(
      fmt::format("cannot write to the capture file: {}; recording has stopped",
                  written < 0 ? std::generic_category().message(errno) : "the disk is full"));
  resources_.capture = Descriptor();
}

void Process::read_qemu() {
  if (!front_end_.poll_entries().empty()) {
    serve();
  } else if (auto connection = accept(resources_.qemu)) {
    front_end_.attach(std::move(connection));
  }
}

void Process::serve() {
  const auto served = front_end_.serve(device_);
  if (!served) print_message(served.error().message);
  if (!served || !*served) disconnect();
}

void Process::end_without_memory() {
  if (!front_end_.has_lost_memory()) return;
  print_message(
      "a page of the guest's RAM is lost: QEMU has truncated the file, or the kernel has no "
      "memory for it; the connection ends");
  disconnect();
}

void Process::disconnect() {
  if (front_end_.poll_entries().empty()) return;
  device_.reset();
  front_end_.detach();
  print_message(console_.execute("statistics"));
}

void Process::read_console() {
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

}  // namespace manactl::device
