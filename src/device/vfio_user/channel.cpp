// SPDX-License-Identifier: MIT

#include "device/vfio_user/channel.h"

#include <utility>

namespace manactl::device::vfio_user {
namespace {

Result<std::size_t> body_bytes(const std::array<std::uint8_t, RawMessage::kHeaderBytes>& header) {
  const auto bytes = front<Header>(header)->bytes;
  if (bytes < sizeof(Header) || bytes > kMaxMessage) {
    return fail(
        Errc::invalid,
        fmt::format(
            "a message has {} bytes, expected {} to {}", bytes, sizeof(Header), kMaxMessage));
  }
  return bytes - sizeof(Header);
}

}  // namespace

Channel::Channel(Descriptor socket) : channel_(std::move(socket), kMaxDescriptors, body_bytes) {}

Result<Received<Message>> Channel::receive() {
  auto received = channel_.receive();
  if (!received) return tl::unexpected<Error>(received.error());
  if (!received->message) return Received<Message>{std::nullopt, received->closed};
  auto& message = *received->message;
  return Received<Message>{
      Message{
          *front<Header>(message.header), std::move(message.body), std::move(message.descriptors)},
      false};
}

Result<> Channel::send(Header header, std::span<const std::uint8_t> body) {
  header.bytes = static_cast<std::uint32_t>(sizeof header + body.size());
  return channel_.send(concatenated(bytes_of(header), body));
}

Result<> Channel::reply(const Header& request, std::span<const std::uint8_t> body) {
  if ((request.flags & kNoReply) != 0) return {};
  return send({request.id, request.command, 0, kReply, 0}, body);
}

Result<> Channel::refuse(const Header& request, int error) {
  if ((request.flags & kNoReply) != 0) return {};
  return send({request.id, request.command, 0, kReply | kError, static_cast<std::uint32_t>(error)},
              {});
}

}  // namespace manactl::device::vfio_user
