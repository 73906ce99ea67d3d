// SPDX-License-Identifier: MIT
//
// Receives and sends messages of vfio-user on a connected Unix stream socket.

#pragma once

#include <optional>
#include <span>

#include "base/result.h"
#include "device/vfio_user/protocol.h"

namespace manactl::device::vfio_user {

class Channel {
 public:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }

  // Blocks until a whole message has arrived. No value at the end of the connection. Fails if the
  // message is longer than kMaxMessage or shorter than its header.
  Result<std::optional<Message>> receive();

  // Sends the reply to `request`, unless its flags contain kNoReply.
  Result<> reply(const Header& request, std::span<const std::uint8_t> body);
  Result<> refuse(const Header& request, int error);

 private:
  Result<bool> read_all(std::span<std::uint8_t> into, std::vector<Descriptor>& descriptors);
  Result<> send_all(Header header, std::span<const std::uint8_t> body);

  Descriptor socket_;
};

}  // namespace manactl::device::vfio_user
