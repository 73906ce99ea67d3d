// SPDX-License-Identifier: MIT

#include "adapter/link_model.h"

#include <algorithm>
#include <cmath>

namespace manactl::adapter {
namespace {

constexpr double kSecond = 1e9, kCatchUp = 1e6;  // nanoseconds
constexpr std::uint64_t kOverhead = 8 + 4 + 12;  // preamble, checksum, gap
constexpr std::size_t kBurst = 32;

}  // namespace

void Pacer::charge(std::uint64_t now, std::uint64_t bytes) {
  double cost = 0;
  if (model_.packets_per_second != 0) {
    cost = kSecond / static_cast<double>(model_.packets_per_second);
  }
  if (model_.bits_per_second != 0) {
    const auto bits = static_cast<double>(bytes + kOverhead) * 8;
    cost = std::max(cost, bits * kSecond / static_cast<double>(model_.bits_per_second));
  }
  const auto earliest = static_cast<double>(now) - (waited_ ? kCatchUp : 0);
  free_at_ = std::max(free_at_, earliest) + cost;
}

std::uint64_t Pacer::free_at() const {
  return static_cast<std::uint64_t>(std::ceil(free_at_));
}

// Xorshift: good enough to spread, and the same everywhere.
std::uint64_t DelayLine::jitter() {
  random_ ^= random_ << 13U;
  random_ ^= random_ >> 7U;
  random_ ^= random_ << 17U;
  return model_.jitter_ns == 0 ? 0 : random_ % (model_.jitter_ns + 1);
}

void DelayLine::transmit(std::span<const Frame> frames) {
  const auto now = clock_.now();
  const std::scoped_lock lock(mutex_);
  for (const auto& frame : frames) {
    if (frames_.size() >= kMostFrames) {
      add(lost_, 1);
      continue;
    }
    const auto due = now + model_.latency_ns + jitter();
    const auto before = frames_.empty() ? 0 : frames_.back().due;
    frames_.push_back({std::max(due, before), {frame.begin(), frame.end()}});
  }
}

std::size_t DelayLine::deliver() {
  const auto now = clock_.now();
  const std::scoped_lock lock(mutex_);
  std::array<Frame, kBurst> burst;
  std::size_t count = 0;
  while (count < std::min(burst.size(), frames_.size()) && frames_[count].due <= now) {
    burst[count] = frames_[count].frame;
    ++count;
  }
  if (count == 0) return 0;
  far_end_.transmit(std::span(burst).first(count));
  frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(count));
  return count;
}

std::optional<std::uint64_t> DelayLine::next() {
  const std::scoped_lock lock(mutex_);
  if (frames_.empty()) return std::nullopt;
  return frames_.front().due;
}

}  // namespace manactl::adapter
