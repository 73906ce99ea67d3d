// SPDX-License-Identifier: MIT
//
// What a cable does to frames: it takes so many of them, and they need so long.

#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "adapter/backend.h"
#include "adapter/clock.h"
#include "adapter/ledger.h"

namespace manactl::adapter {

// 0: as fast as it goes. Rates hold for each direction.
struct LinkModel {
  std::uint64_t packets_per_second = 0;
  std::uint64_t bits_per_second = 0;  // on the wire: preamble, checksum and gap count, too
  std::uint64_t latency_ns = 0;       // of what the port sends
  std::uint64_t jitter_ns = 0;        // added to it, from 0 to this; frames stay in order

  bool has_rate() const { return packets_per_second != 0 || bits_per_second != 0; }

  bool has_delay() const { return latency_ns != 0 || jitter_ns != 0; }

  bool operator==(const LinkModel&) const = default;
};

// When the next frame may go. Not for several threads at once.
class Pacer {
 public:
  explicit Pacer(const LinkModel& model) : model_(model) {}

  // Whoever is refused and comes late for its next turn gets the time back, up to a millisecond.
  bool ready(std::uint64_t now) {
    const bool free = free_at_ <= static_cast<double>(now);
    waited_ = waited_ || !free;
    return free;
  }

  void charge(std::uint64_t now, std::uint64_t bytes);

  // Nothing is waiting: time that passes from now on is lost.
  void idle() { waited_ = false; }

  std::uint64_t free_at() const;

 private:
  LinkModel model_;
  double free_at_ = 0;
  bool waited_ = false;
};

// Frames on their way. Copies: the sender's buffers are its own again once they were sent.
class DelayLine final : public Backend {
 public:
  static constexpr std::size_t kMostFrames = 1U << 16U;  // what comes on top is lost, and counted

  DelayLine(const LinkModel& model, const Clock& clock, Backend& far_end, Count& lost)
      : model_(model), clock_(clock), far_end_(far_end), lost_(lost) {}

  bool reads_frames() const override { return far_end_.reads_frames(); }

  void transmit(std::span<const Frame> frames) override;

  Arrived poll(std::size_t) override { return {}; }

  // Hands over what has arrived by now; answers how many that were.
  std::size_t deliver();

  // When the next one arrives.
  std::optional<std::uint64_t> next();

 private:
  struct Travelling {
    std::uint64_t due = 0;
    std::vector<std::uint8_t> frame;
  };

  std::uint64_t jitter();

  LinkModel model_;
  const Clock& clock_;
  Backend& far_end_;
  Count& lost_;
  std::mutex mutex_;
  std::deque<Travelling> frames_;
  std::uint64_t random_ = 0x9e3779b97f4a7c15;  // always the same: runs can be repeated
};

}  // namespace manactl::adapter
