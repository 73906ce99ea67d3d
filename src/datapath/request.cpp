// SPDX-License-Identifier: MIT
#include "datapath/request.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "datapath/frame.h"

namespace manactl::datapath {

void write_request(const Request& request, RequestBytes payload) noexcept {
  const auto who = std::uint64_t{request.run} << 48U | std::uint64_t{request.lane} << 32U |
                   std::uint64_t{request.number};
  const std::array<std::uint64_t, 4> words = {who, ~who, request.stamp, ~request.stamp};
  std::memcpy(payload.data(), words.data(), kRequestBytes);
}

std::optional<Request> read_request(std::span<const std::uint8_t> payload) noexcept {
  if (payload.size() < kRequestBytes) return std::nullopt;
  std::array<std::uint64_t, 4> words{};
  std::memcpy(words.data(), payload.data(), kRequestBytes);
  if (words[0] != ~words[1] || words[2] != ~words[3]) return std::nullopt;
  return Request{static_cast<std::uint16_t>(words[0] >> 48U),
                 static_cast<std::uint16_t>(words[0] >> 32U),
                 static_cast<std::uint32_t>(words[0]),
                 words[2]};
}

std::optional<Request> request_in(std::span<const std::uint8_t> frame) noexcept {
  if (frame.size() < kHeaderBytes + kRequestBytes) return std::nullopt;
  return read_request(frame.subspan(kHeaderBytes));
}

void turn_round(std::span<std::uint8_t> frame) noexcept {
  const auto swap = [&](std::size_t one, std::size_t other, std::size_t bytes) {
    std::swap_ranges(frame.begin() + static_cast<std::ptrdiff_t>(one),
                     frame.begin() + static_cast<std::ptrdiff_t>(one + bytes),
                     frame.begin() + static_cast<std::ptrdiff_t>(other));
  };
  swap(0, 6, 6);                              // Ethernet
  swap(14 + 12, 14 + 16, 4);                  // IPv4
  swap(kSourcePortAt, kSourcePortAt + 2, 2);  // UDP
}

unsigned Window::room(std::uint64_t now) noexcept {
  const auto answered = answered_.load(std::memory_order_relaxed);
  // More answers than requests: one that was given up has come after all.
  if (answered >= sent_) sent_ = answered;
  const auto on_the_way = sent_ - answered;
  if (answered != seen_ || on_the_way == 0) {
    seen_ = answered;
    since_ = now;
  } else if (now - since_ > kPatience) {
    sent_ = answered;
    since_ = now;
    return most_;
  }
  return on_the_way < most_ ? most_ - static_cast<unsigned>(on_the_way) : 0;
}

void Window::clear() noexcept {
  sent_ = seen_ = since_ = 0;
  answered_.store(0, std::memory_order_relaxed);
}

bool Order::in_order(std::uint32_t number) noexcept {
  const bool later = !any_ || static_cast<std::int32_t>(number - last_) > 0;
  if (later) last_ = number;
  any_ = true;
  return later;
}

}  // namespace manactl::datapath
