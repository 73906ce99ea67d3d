// SPDX-License-Identifier: MIT

#include "adapter/link/link.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace manactl::adapter {
namespace {

constexpr double kSecond = 1e9, kCatchUp = 1e6;  // nanoseconds
constexpr std::uint64_t kOverhead = 8 + 4 + 12;  // preamble, FCS, interframe gap

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

// Uses xorshift64, which yields the same sequence on every machine.
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
    if (frames_.size() >= kMaxFrames) {
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

Link::Link(const LinkModel& model, const Clock& clock, Count& lost)
    : model_(model), clock_(clock), lost_(lost), egress_(model), ingress_(model) {}

void Link::connect(std::unique_ptr<Backend> backend) {
  backend_ = std::move(backend);
  delay_.reset();
  if (model_.has_delay()) {
    delay_ = std::make_unique<DelayLine>(model_, clock_, *backend_, lost_);
  }
}

std::size_t Link::arrive(std::size_t budget) {
  if (!backend_ || budget == 0) return 0;
  if (!paced()) return backend_->poll(budget).frames;
  const std::scoped_lock lock(ingress_mutex_);
  std::size_t done = 0;
  held_ = false;
  while (done < budget) {
    const auto now = clock_.now();
    held_ = !ingress_.ready(now);
    if (held_) break;
    const auto arrived = backend_->poll(1);
    if (arrived.frames == 0) {
      ingress_.idle();
      break;
    }
    ingress_.charge(now, arrived.bytes);
    done += arrived.frames;
  }
  return done;
}

std::optional<std::uint64_t> Link::next() {
  auto when = delay_ ? delay_->next() : std::nullopt;
  const std::scoped_lock lock(ingress_mutex_);
  // If free_at() is in the past, frames wait for receive buffers, not for the rate limit.
  const bool is_ahead = held_ && ingress_.free_at() > clock_.now();
  return is_ahead ? earlier_of(when, ingress_.free_at()) : when;
}

}  // namespace manactl::adapter
