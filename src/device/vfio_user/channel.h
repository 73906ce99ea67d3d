// SPDX-License-Identifier: MIT
//
// Receives and sends messages of vfio-user on a connected Unix stream socket.

#pragma once

#include <array>
#include <optional>
#include <span>

#include "base/result.h"
#include "device/vfio_user/protocol.h"

namespace manactl::device::vfio_user {

// A message that has arrived completely, or the end of the connection; or neither.
struct Received {
  std::optional<Message> message;
  bool closed = false;
};

class Channel {
 public:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }

  // Reads at most one message, without waiting for the rest of it. Fails if the message is longer
  // than kMaxMessage or shorter than its header.
  Result<Received> receive();

  // Send the reply to `request`, unless its flags contain kNoReply. Both block while the
  // client does not read, and fail if a signal arrives, even one that the caller has blocked.
  Result<> reply(const Header& request, std::span<const std::uint8_t> body);
  Result<> refuse(const Header& request, int error);

 private:
  Result<> parse_header();
  Result<std::size_t> read_some(std::span<std::uint8_t> into);
  Result<> send_all(Header header, std::span<const std::uint8_t> body);

  Descriptor socket_;
  std::array<std::uint8_t, sizeof(Header)> head_{};
  Message message_;           // the next one
  std::size_t received_ = 0;  // its bytes that have arrived, with the header
  bool closed_ = false;
};

}  // namespace manactl::device::vfio_user
