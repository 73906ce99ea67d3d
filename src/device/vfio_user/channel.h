// SPDX-License-Identifier: MIT
//
// Receives and sends messages of vfio-user on a connected Unix stream socket.

#pragma once

#include "device/message_channel.h"
#include "device/vfio_user/protocol.h"

namespace manactl::device::vfio_user {

class Channel {
 public:
  explicit Channel(Descriptor socket);

  pollfd poll_entry() const { return channel_.poll_entry(); }

  // Reads at most one message, without waiting for the rest of it. Fails if the message is longer
  // than kMaxMessage or shorter than its header, or if the connection ends within it.
  Result<Received<Message>> receive();

  // Send the reply to `request`, unless its flags contain kNoReply; see MessageChannel::send().
  Result<> reply(const Header& request, std::span<const std::uint8_t> body);
  Result<> refuse(const Header& request, int error);

 private:
  Result<> send(Header header, std::span<const std::uint8_t> body);

  MessageChannel channel_;
};

}  // namespace manactl::device::vfio_user
