// SPDX-License-Identifier: MIT

#include "device/uplink.h"

#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "adapter/link/capture.h"
#include "base/text.h"
#include "device/listener.h"

namespace manactl::device {
namespace {

constexpr std::uint64_t kMaxPort = 15;

std::optional<std::vector<std::uint8_t>> read_frame(int fd, ssize_t& got) {
  std::vector<std::uint8_t> frame(Uplink::kMaxFrame + 1);
  got = ::read(fd, frame.data(), frame.size());
  if (got <= 0) return std::nullopt;
  frame.resize(static_cast<std::size_t>(got));
  return frame;
}

// Two devices connect through a SOCK_SEQPACKET socket at `path`. Each tries to connect, and listens
// if nobody does. After a disconnection, both try again.
class Peer : public Uplink {
 public:
  static Result<std::unique_ptr<Uplink>> open(const std::string& path) {
    auto peer = std::make_unique<Peer>(path);
    const auto found = peer->find();
    if (!found) return tl::unexpected<Error>(found.error());
    return peer;
  }

  explicit Peer(std::string path) : path_(std::move(path)) {}

  bool is_paused() const override { return !connection_ && listener_ && listener_->is_paused(); }

  int fd() const override {
    if (connection_) return connection_.get();
    return listener_ ? listener_->fd() : -1;
  }

  bool send(std::span<const std::uint8_t> frame) override {
    if (!connection_ && !find()) return false;
    const auto sent =
        ::send(connection_.get(), frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == static_cast<ssize_t>(frame.size());
  }

  std::optional<std::vector<std::uint8_t>> receive() override {
    if (!connection_) {
      accept();
      return std::nullopt;
    }
    ssize_t got = 0;
    auto frame = read_frame(connection_.get(), got);
    const bool waits = got < 0 && (errno == EAGAIN || errno == EINTR);
    if (!frame && !waits) {
      connection_ = Descriptor();
      (void)find();  // if it fails, send() repeats it
    }
    return frame;
  }

 private:
  Result<> find() {
    // If two devices start at the same time, neither may find a listener, and one of them cannot
    // create the socket. If both find a stale one, the second may remove the socket of the first.
    if (listener_ && listener_->is_in_place()) return {};
    listener_.reset();
    for (int tries_left = 3;; --tries_left) {
      auto connected = connect_to(path_, SOCK_SEQPACKET);
      if (connected) {
        connection_ = std::move(*connected);
        return {};
      }
      if (connected.error().code == Errc::denied) return tl::unexpected<Error>(connected.error());
      auto listener = Listener::open(path_, SOCK_SEQPACKET);
      if (listener) {
        listener_.emplace(std::move(*listener));
        return {};
      }
      if (tries_left == 1) return tl::unexpected<Error>(listener.error());
    }
  }

  void accept() {
    if (listener_) connection_ = listener_->accept();
  }

  std::string path_;
  std::optional<Listener> listener_;
  Descriptor connection_;
};

// An interface that exists already, or one that disappears with this process.
class Tap : public Uplink {
 public:
  static Result<std::unique_ptr<Uplink>> open(const std::string& name) {
    const auto device = adapter::open_tap(name);
    if (!device) return tl::unexpected<Error>(device.error());
    return std::make_unique<Tap>(Descriptor(*device));
  }

  explicit Tap(Descriptor device) : device_(std::move(device)) {}

  int fd() const override { return device_.get(); }

  bool send(std::span<const std::uint8_t> frame) override {
    return ::write(device_.get(), frame.data(), frame.size()) == static_cast<ssize_t>(frame.size());
  }

  std::optional<std::vector<std::uint8_t>> receive() override {
    ssize_t got = 0;
    return read_frame(device_.get(), got);
  }

 private:
  Descriptor device_;
};

}  // namespace

Result<UplinkOption> UplinkOption::parse(UplinkKind kind, std::string_view text) {
  const auto equals = text.find('=');
  const auto name = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  const auto port = parse_unsigned(text.substr(0, equals), kMaxPort);
  if (!port || name.empty()) {
    return fail(Errc::invalid,
                fmt::format("expected PORT={}, not '{}'",
                            kind == UplinkKind::tap ? "INTERFACE" : "SOCKET",
                            printable(text)));
  }
  if (kind == UplinkKind::tap && name.size() >= IFNAMSIZ) {
    return fail(Errc::invalid,
                fmt::format("'{}' is too long for an interface, the maximum is {} characters",
                            printable(name),
                            IFNAMSIZ - 1));
  }
  return UplinkOption{static_cast<std::size_t>(*port), kind, std::string(name)};
}

Result<std::unique_ptr<Uplink>> Uplink::open(const UplinkOption& option) {
  return option.kind == UplinkKind::tap ? Tap::open(option.name) : Peer::open(option.name);
}

}  // namespace manactl::device
