// SPDX-License-Identifier: MIT
//
// When one queue may send: a token bucket on a clock of ticks, with a ramp at its start. No clock
// is read here.

#pragma once

#include <cstdint>

namespace manactl::datapath {

class Pace {
 public:
  Pace() = default;  // as fast as it goes

  // `per_tick` packets, reached after `ramp` ticks in a straight line from nothing. What a sender
  // misses while it does not run is made up for up to `depth` packets, and lost beyond.
  Pace(double per_tick, double ramp, double depth)
      : per_tick_(per_tick), ramp_(ramp), depth_(depth) {}

  bool limits() const noexcept { return per_tick_ > 0; }

  void start(std::uint64_t now) noexcept {
    start_ = now;
    given_ = 0;
  }

  // Packets that may leave now, at most `most`.
  unsigned due(std::uint64_t now, unsigned most) noexcept {
    const auto earned = earned_at(static_cast<double>(now - start_));
    auto credit = earned - given_;
    if (credit > depth_) {
      credit = depth_;
      given_ = earned - depth_;
    }
    return credit >= most ? most : static_cast<unsigned>(credit);
  }

  void took(unsigned packets) noexcept { given_ += packets; }

 private:
  double earned_at(double ticks) const noexcept {
    return ticks < ramp_ ? per_tick_ * ticks * ticks / (2 * ramp_)
                         : per_tick_ * (ticks - ramp_ / 2);
  }

  double per_tick_ = 0, ramp_ = 0, depth_ = 0;
  double given_ = 0;  // packets that left, and those that were lost
  std::uint64_t start_ = 0;
};

}  // namespace manactl::datapath
