// SPDX-License-Identifier: MIT
//
// Limits the rate of one queue: a token bucket on a clock of ticks, with a linear ramp at its
// start. It does not read a clock.

#pragma once

#include <algorithm>
#include <cstdint>

namespace manactl::datapath {

class Pace {
 public:
  Pace() = default;  // unlimited

  // Reaches `per_tick` packets per tick after `ramp` ticks. After a preemption, a sender catches
  // up by at most `depth` packets and skips the rest.
  Pace(double per_tick, double ramp, double depth)
      : per_tick_(per_tick), ramp_(ramp), depth_(depth), limits_(per_tick > 0) {}

  bool limits() const noexcept { return limits_; }

  void start(std::uint64_t now) noexcept {
    start_ = now;
    spent_ = 0;
  }

  // Packets that may be sent now, at most `max`.
  unsigned due(std::uint64_t now, unsigned max) noexcept {
    const auto earned = earned_at(static_cast<double>(now - start_));
    auto credit = earned - spent_;
    if (credit > depth_) {
      credit = depth_;
      spent_ = earned - depth_;
    }
    return static_cast<unsigned>(std::min<double>(credit, max));
  }

  void spend(unsigned packets) noexcept { spent_ += packets; }

 private:
  double earned_at(double ticks) const noexcept {
    return ticks < ramp_ ? per_tick_ * ticks * ticks / (2 * ramp_)
                         : per_tick_ * (ticks - ramp_ / 2);
  }

  double per_tick_ = 0, ramp_ = 0, depth_ = 0;
  double spent_ = 0;  // packets that were sent or skipped
  std::uint64_t start_ = 0;
  bool limits_ = false;
};

}  // namespace manactl::datapath
