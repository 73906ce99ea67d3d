// SPDX-License-Identifier: MIT
//
// Receives and sends messages on a connected Unix stream socket, without waiting for the rest of a
// message. Each has a header of 16 bytes, from which the length of its body follows, and may carry
// file descriptors. The protocols of QEMU share this form.

#pragma once

#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace manactl::device {

// A message that has arrived completely, or the end of the connection; or neither.
template <class Message>
struct Received {
  std::optional<Message> message;
  bool closed = false;
};

struct RawMessage {
  static constexpr std::size_t kHeaderBytes = 16;

  std::array<std::uint8_t, kHeaderBytes> header{};
  std::vector<std::uint8_t> body;
  std::vector<Descriptor> descriptors;
};

class MessageChannel {
 public:
  static constexpr std::size_t kMaxDescriptors = 16;

  // Returns the number of bytes after a header. Fails if there are too many.
  using BodyBytes =
      Result<std::size_t> (*)(const std::array<std::uint8_t, RawMessage::kHeaderBytes>& header);

  // A message has at most `max_descriptors`, which may not exceed kMaxDescriptors.
  MessageChannel(Descriptor socket, std::size_t max_descriptors, BodyBytes body_bytes)
      : socket_(std::move(socket)), max_descriptors_(max_descriptors), body_bytes_(body_bytes) {}

  // For poll(2): what receive() waits for.
  pollfd poll_entry() const {
    return {socket_.get(), static_cast<short>(output_.empty() ? POLLIN : POLLOUT), 0};
  }

  // Sends the rest of earlier messages, and reads at most one message if nothing remains to be
  // sent: if each message leads to one reply, no more than one reply is kept. Fails if `body_bytes`
  // does, if the message has too many descriptors, or if the connection ends within it.
  Result<Received<RawMessage>> receive();

  // Sends what the socket accepts now, and keeps the rest for receive(). Never blocks.
  Result<> send(std::span<const std::uint8_t> bytes);

 private:
  Result<std::size_t> read_some(std::span<std::uint8_t> into);
  Result<> send_output();

  Descriptor socket_;
  std::size_t max_descriptors_;
  BodyBytes body_bytes_;
  RawMessage message_;                // the next one
  std::size_t received_ = 0;          // its bytes that have arrived, with the header
  std::vector<std::uint8_t> output_;  // to be sent
  bool closed_ = false;
};

// The struct at the start of `bytes`; no value if there are too few bytes.
template <class T>
std::optional<T> front(std::span<const std::uint8_t> bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class T>
std::array<std::uint8_t, sizeof(T)> bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::array<std::uint8_t, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Returns `first` followed by `second`. With link-time optimization, GCC 12 and 14 report false
// overflows for insert() at the end of a vector.
inline std::vector<std::uint8_t> concatenated(std::span<const std::uint8_t> first,
                                              std::span<const std::uint8_t> second) {
  std::vector<std::uint8_t> bytes(first.size() + second.size());
  std::ranges::copy(second, std::ranges::copy(first, bytes.begin()).out);
  return bytes;
}

}  // namespace manactl::device
