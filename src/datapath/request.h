// SPDX-License-Identifier: MIT
//
// The requests of mode rtt: what stands in their payload, and how many may be on the way. Nothing
// here allocates, locks or reads a clock.

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

namespace manactl::datapath {

// Who sent a request, which one it is, and when: nanoseconds of CLOCK_MONOTONIC.
struct Request {
  std::uint16_t run = 0;   // tells the requests of a trial from strangers and latecomers
  std::uint16_t lane = 0;  // of the sender; the answer may come in on another one
  std::uint32_t number = 0;
  std::uint64_t stamp = 0;

  bool operator==(const Request&) const = default;
};

inline constexpr std::size_t kRequestBytes = 32;
inline constexpr std::uint16_t kLeastRequestFrame = 14 + 20 + 8 + kRequestBytes + 4;  // with FCS

using RequestBytes = std::span<std::uint8_t, kRequestBytes>;

// Each word is followed by its complement: UDP's checksum stays that of a payload of zeros, and
// whatever else comes in is not taken for an answer.
void write_request(const Request& request, RequestBytes payload) noexcept;
std::optional<Request> read_request(std::span<const std::uint8_t> payload) noexcept;

// Of a frame that carries one, from its first byte on.
std::optional<Request> request_in(std::span<const std::uint8_t> frame) noexcept;

// Makes an answer of a frame with a request: addresses and ports change places, for Azure drops
// what does not come from the NIC's own address. All checksums stay right.
void turn_round(std::span<std::uint8_t> frame) noexcept;

// How many requests of a lane are on the way. One thread sends; answers come in on any.
class Window {
 public:
  // A request is given up when nothing at all was answered for this long. It may still arrive.
  static constexpr std::uint64_t kPatience = 1'000'000'000;  // nanoseconds

  explicit Window(unsigned most) : most_(most) {}

  // How many more may be sent at the time `now`.
  unsigned room(std::uint64_t now) noexcept;

  void sent(unsigned count) noexcept { sent_ += count; }

  void answered(unsigned count) noexcept { answered_.fetch_add(count, std::memory_order_relaxed); }

  // All that were sent have been answered or given up.
  bool idle(std::uint64_t now) noexcept { return room(now) == most_; }

  // Whatever is on the way is forgotten.
  void clear() noexcept;

 private:
  unsigned most_;
  std::uint64_t sent_ = 0;   // that were not given up
  std::uint64_t seen_ = 0;   // answers when room() last found new ones
  std::uint64_t since_ = 0;  // when that was, or when the first request after a pause left
  std::atomic<std::uint64_t> answered_{0};
};

// Counts answers that came in after later ones of the same sender.
class Order {
 public:
  // False: a later one was here before. Numbers may wrap around.
  bool in_order(std::uint32_t number) noexcept;

  void clear() noexcept { any_ = false; }

 private:
  std::uint32_t last_ = 0;
  bool any_ = false;
};

}  // namespace manactl::datapath
