// SPDX-License-Identifier: MIT
#include "datapath/traffic/requests.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "datapath/mode.h"
#include "datapath/traffic/frame.h"

namespace manactl::datapath {

static_assert(row_of(Mode::rtt).min_frame == kMinRequestFrame);

void write_request(const Request& request, RequestBytes payload) noexcept {
  const auto id = std::uint64_t{request.run} << 48U | std::uint64_t{request.lane} << 32U |
                  std::uint64_t{request.number};
  const std::array<std::uint64_t, 4> words = {id, ~id, request.stamp, ~request.stamp};
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

void reverse_direction(std::span<std::uint8_t> frame) noexcept {
  const auto swap = [&](std::size_t one, std::size_t other, std::size_t bytes) {
    std::swap_ranges(frame.begin() + static_cast<std::ptrdiff_t>(one),
                     frame.begin() + static_cast<std::ptrdiff_t>(one + bytes),
                     frame.begin() + static_cast<std::ptrdiff_t>(other));
  };
  swap(0, 6, 6);                              // Ethernet
  swap(14 + 12, 14 + 16, 4);                  // IPv4
  swap(kSourcePortAt, kSourcePortAt + 2, 2);  // UDP
}

unsigned Window::available(std::uint64_t now) noexcept {
  const auto replied = replied_.load(std::memory_order_relaxed);
  // Replies can outnumber requests, because requests that count as lost may still be answered.
  sent_ = std::max(sent_, replied);
  const auto in_flight = sent_ - replied;
  if (replied != last_replied_) expired_ = 0;
  if (replied != last_replied_ || in_flight == 0) {
    last_replied_ = replied;
    since_ = now;
  } else if (now - since_ > timeout()) {
    sent_ = replied;
    since_ = now;
    ++expired_;
    return max_;
  }
  return max_ - static_cast<unsigned>(std::min<std::uint64_t>(in_flight, max_));
}

std::uint64_t Window::timeout() const noexcept {
  constexpr unsigned kMaxDoublings = 10;  // kMaxTimeout is less than 2^10 times kMinTimeout
  const auto slowest = slowest_.load(std::memory_order_relaxed);
  if (slowest == 0 || slowest >= kMaxTimeout / kSlack) return kMaxTimeout;
  const auto first = std::max(kMinTimeout, kSlack * slowest);
  return std::min(kMaxTimeout, first << std::min(expired_, kMaxDoublings));
}

void Window::clear() noexcept {
  slowest_.store(0, std::memory_order_relaxed);
  sent_ = last_replied_ = since_ = 0;
  expired_ = 0;
  replied_.store(0, std::memory_order_relaxed);
}

bool AnsweredRequests::add(std::uint32_t number) noexcept {
  // Numbers wrap around, so larger and smaller are signed differences.
  const auto age = end_.load(std::memory_order_acquire) - 1 - number;
  if (static_cast<std::int32_t>(age) < 0) return false;
  const auto group = number / kBits;
  const auto bit = std::uint64_t{1} << number % kBits;
  auto& word = words_[group % kWords];
  auto old = word.load(std::memory_order_relaxed);
  for (;;) {
    const auto old_group = static_cast<std::uint32_t>(old >> kBits);
    if (static_cast<std::int32_t>((group - old_group) * kBits) < 0) return false;
    const bool same = group == old_group;
    if (same && (old & bit) != 0) return false;
    const auto changed = same ? old | bit : std::uint64_t{group} << kBits | bit;
    if (word.compare_exchange_weak(old, changed, std::memory_order_relaxed)) return true;
  }
}

void AnsweredRequests::clear() noexcept {
  for (auto& word : words_) word.store(0, std::memory_order_relaxed);
  end_.store(0, std::memory_order_relaxed);
}

bool ReplyOrder::in_order(std::uint32_t number) noexcept {
  const bool later = !any_ || static_cast<std::int32_t>(number - last_) > 0;
  if (later) last_ = number;
  any_ = true;
  return later;
}

void link_lanes(const AllRequests& lanes) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    auto& requests = *lanes[i];
    requests.next.lane = static_cast<std::uint16_t>(i);
    requests.orders.resize(lanes.size());
    requests.lanes = lanes;
  }
}

void begin_requests(const AllRequests& lanes, std::uint16_t run) {
  for (auto* requests : lanes) {
    requests->next.run = run;
    requests->next.number = 0;
    requests->window.clear();
    requests->answered.clear();
    requests->latency = Histogram();
    requests->replies = {};
    for (auto& order : requests->orders) order.clear();
  }
}

void add_replies(const AllRequests& lanes, Trial& trial) {
  trial.latency.emplace();
  for (const auto* requests : lanes) {
    *trial.latency += requests->latency;
    trial.replies.reordered += requests->replies.reordered;
    trial.replies.unrelated += requests->replies.unrelated;
  }
}

}  // namespace manactl::datapath
