// SPDX-License-Identifier: MIT

#include "device/pci_proxy/server.h"

#include <bit>
#include <utility>

namespace manactl::device::pci_proxy {
namespace {

Result<std::size_t> body_bytes(const std::array<std::uint8_t, RawMessage::kHeaderBytes>& header) {
  const auto bytes = front<Header>(header)->bytes;
  if (bytes <= kMaxBody) return bytes;
  return fail(
      Errc::invalid,
      fmt::format(
          "a message has {} bytes after its header, at most {} are possible", bytes, kMaxBody));
}

// The body of a message, which must have the size of the struct.
template <class Body>
Result<Body> body_of(const RawMessage& message) {
  if (message.body.size() == sizeof(Body)) return *front<Body>(message.body);
  return fail(Errc::invalid,
              fmt::format("a message with command {} has {} bytes after its header, expected {}",
                          static_cast<std::uint32_t>(front<Header>(message.header)->command),
                          message.body.size(),
                          sizeof(Body)));
}

// `max` is 4 or 8.
Result<> check_size(std::uint32_t bytes, std::uint32_t max, std::string_view what) {
  if (std::has_single_bit(bytes) && bytes <= max) return {};
  return fail(Errc::invalid,
              fmt::format("an access to the {} has {} bytes, expected 1, 2, {}",
                          what,
                          bytes,
                          max == 8 ? "4, or 8" : "or 4"));
}

}  // namespace

Server::Server(std::string qtest_path, Trace& trace)
    : qtest_path_(std::move(qtest_path)),
      trace_(trace),
      function_([this](std::uint64_t address, std::uint32_t value) {
        return qtest_.write(address, value);
      }) {}

void Server::attach(Descriptor socket) {
  channel_.emplace(std::move(socket), kMaxRanges, body_bytes);
}

void Server::detach() {
  channel_.reset();
  qtest_.disconnect();
  function_.forget_guest();
}

std::vector<pollfd> Server::poll_entries() const {
  std::vector<pollfd> entries;
  if (channel_) entries.push_back(channel_->poll_entry());
  if (qtest_.fd() >= 0) entries.push_back({qtest_.fd(), POLLIN, 0});
  return entries;
}

Result<bool> Server::serve(Device& device) {
  if (qtest_.fd() >= 0) {
    auto open = qtest_.read_responses();
    if (!open || !*open) return open;
  }
  auto received = channel_->receive();
  if (!received) return tl::unexpected<Error>(received.error());
  if (!received->message) return !received->closed;
  if (qtest_.fd() < 0) {
    const auto connected = qtest_.connect(qtest_path_);
    if (!connected) return tl::unexpected<Error>(connected.error());
  }
  const auto handled = handle(*received->message, device);
  return handled ? Result<bool>(true) : tl::unexpected<Error>(handled.error());
}

// Replaces all ranges. The device cannot access a range that cannot be mapped.
Result<> Server::map(const RawMessage& message) {
  const auto request = body_of<SyncMemory>(message);
  if (!request) return tl::unexpected<Error>(request.error());
  auto cleared = function_.memory().clear();
  if (!cleared) return cleared;
  for (std::size_t i = 0; i < message.descriptors.size(); ++i) {
    const auto mapped = function_.memory().map(request->addresses[i],
                                               request->bytes[i],
                                               message.descriptors[i],
                                               request->offsets[i],
                                               true);
    if (!mapped) trace_.line("x-pci-proxy-dev: " + mapped.error().message);
  }
  return {};
}

Result<std::uint64_t> Server::access_config(const RawMessage& message, bool is_write) {
  const auto request = body_of<ConfigAccess>(message);
  if (!request) return tl::unexpected<Error>(request.error());
  const auto checked = check_size(request->bytes, 4, "configuration space");
  if (!checked) return tl::unexpected<Error>(checked.error());
  auto value = bytes_of(request->value);
  const auto used = std::span(value).first(request->bytes);
  if (is_write) {
    function_.write_config(request->offset, used);
    return 0;
  }
  function_.read_config(request->offset, used);
  return wire::load(used, 0, request->bytes);
}

// An address outside of the BAR leads to an offset outside of it.
Result<std::uint64_t> Server::access_bar(const RawMessage& message, bool is_write, Device& device) {
  const auto request = body_of<BarAccess>(message);
  if (!request) return tl::unexpected<Error>(request.error());
  const auto checked = check_size(request->bytes, 8, "BAR");
  if (!checked) return tl::unexpected<Error>(checked.error());
  auto value = bytes_of(request->value);
  const auto used = std::span(value).first(request->bytes);
  const auto offset = request->address - function_.bar();
  if (is_write) {
    function_.write_bar(offset, used, device);
    return 0;
  }
  function_.read_bar(offset, used);
  return wire::load(used, 0, request->bytes);
}

Result<> Server::reply(const Result<std::uint64_t>& value) {
  if (!value) return tl::unexpected<Error>(value.error());

  struct {
    Header header{Command::reply, 0, sizeof(std::uint64_t)};
    std::uint64_t value;
  } message{.value = *value};

  return channel_->send(bytes_of(message));
}

Result<> Server::handle(const RawMessage& message, Device& device) {
  const auto command = front<Header>(message.header)->command;
  switch (command) {
    case Command::sync_memory:
      return map(message);
    case Command::write_config:
    case Command::read_config:
      return reply(access_config(message, command == Command::write_config));
    case Command::write_bar:
    case Command::read_bar:
      return reply(access_bar(message, command == Command::write_bar, device));
    case Command::set_interrupts:
      return {};
    case Command::reset:
      device.reset();
      function_.reset();
      return reply(0);
    case Command::reply:
      break;
  }
  return fail(
      Errc::unsupported,
      fmt::format("a message has the unknown command {}", static_cast<std::uint32_t>(command)));
}

}  // namespace manactl::device::pci_proxy
