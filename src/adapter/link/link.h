// SPDX-License-Identifier: MIT
//
// The link of a port: a rate limit per direction, and latency and jitter of the frames it sends.

#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "adapter/check/counters.h"
#include "adapter/link/backend.h"
#include "adapter/link/clock.h"

namespace manactl::adapter {

// A rate of 0 means unlimited. Each direction has the full rate.
struct LinkModel {
  std::uint64_t packets_per_second = 0;
  std::uint64_t bits_per_second = 0;  // on the wire: includes preamble, FCS and interframe gap
  std::uint64_t latency_ns = 0;       // for frames that the port sends
  std::uint64_t jitter_ns = 0;        // maximum of the random extra latency; frames stay in order

  bool has_rate() const { return packets_per_second != 0 || bits_per_second != 0; }

  bool has_delay() const { return latency_ns != 0 || jitter_ns != 0; }

  bool operator==(const LinkModel&) const = default;
};

// Decides when the next frame may be sent. Not thread-safe.
class Pacer {
 public:
  explicit Pacer(const LinkModel& model) : model_(model) {}

  // Whether a frame may be sent now. If not, the caller should call again at free_at(); charge()
  // makes up for a later call, by at most one millisecond.
  bool ready(std::uint64_t now) {
    const bool free = free_at_ <= static_cast<double>(now);
    waited_ = waited_ || !free;
    return free;
  }

  void charge(std::uint64_t now, std::uint64_t bytes);

  // To be called when no frame is waiting: charge() then does not make up for the idle time.
  void idle() { waited_ = false; }

  std::uint64_t free_at() const;

 private:
  LinkModel model_;
  double free_at_ = 0;
  bool waited_ = false;
};

// Delays frames. It copies them, because the sender may reuse its buffers after transmit().
class DelayLine final : public Backend {
 public:
  static constexpr std::size_t kMaxFrames = 1U << 16U;  // further frames are dropped and counted

  DelayLine(const LinkModel& model, const Clock& clock, Backend& far_end, Count& lost)
      : model_(model), clock_(clock), far_end_(far_end), lost_(lost) {}

  bool reads_frames() const override { return far_end_.reads_frames(); }

  void transmit(std::span<const Frame> frames) override;

  PollResult poll(std::size_t) override { return {}; }

  // Passes on the frames that are due; returns their number.
  std::size_t deliver();

  // The time when the next frame is due.
  std::optional<std::uint64_t> next();

 private:
  struct DelayedFrame {
    std::uint64_t due = 0;
    std::vector<std::uint8_t> frame;
  };

  std::uint64_t jitter();

  LinkModel model_;
  const Clock& clock_;
  Backend& far_end_;
  Count& lost_;
  std::mutex mutex_;
  std::deque<DelayedFrame> frames_;
  std::uint64_t random_ = 0x9e3779b97f4a7c15;  // a fixed seed, so that runs are reproducible
};

class Link {
 public:
  Link(const LinkModel& model, const Clock& clock, Count& lost);

  // To be called before the first frame.
  void connect(std::unique_ptr<Backend> backend);

  // The backend to which the port passes its frames; null until connect().
  Backend* entrance() { return delay_ ? delay_.get() : backend_.get(); }

  // Whether the rate is limited. If so, frames are sent one by one, each when egress() is ready.
  bool paced() const { return model_.has_rate(); }

  // Not thread-safe; the caller ensures that only one thread uses it.
  Pacer& egress() { return egress_; }

  // Delivers up to `budget` frames to the port; returns their number.
  std::size_t arrive(std::size_t budget);

  // Passes on the frames whose delay is over; returns their number.
  std::size_t deliver() { return delay_ ? delay_->deliver() : 0; }

  // The time at which the next delay ends or the rate admits the next frame; nullopt if neither.
  std::optional<std::uint64_t> next();

 private:
  LinkModel model_;
  const Clock& clock_;
  Count& lost_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<DelayLine> delay_;
  Pacer egress_;
  std::mutex ingress_mutex_;
  Pacer ingress_;
  bool held_ = false;  // the rate limit stopped the last arrive()
};

inline std::optional<std::uint64_t> earlier_of(std::optional<std::uint64_t> one,
                                               std::optional<std::uint64_t> other) {
  if (!one || !other) return one ? one : other;
  return *one < *other ? one : other;
}

}  // namespace manactl::adapter
