// SPDX-License-Identifier: MIT
//
// A port's cable: the backend at its other end, and what the link model does on the way.

#pragma once

#include <memory>

#include "adapter/link_model.h"

namespace manactl::adapter {

class Cable {
 public:
  Cable(const LinkModel& model, const Clock& clock, Count& lost);

  // Before the first frame.
  void connect(std::unique_ptr<Backend> backend);

  // Where frames go that leave the port; none: not connected.
  Backend* entrance() { return delay_ ? delay_.get() : backend_.get(); }

  // Frames leave one by one, each when egress() is ready.
  bool paced() const { return model_.has_rate(); }

  // The caller sees to it that one thread at a time asks.
  Pacer& egress() { return egress_; }

  // Lets up to `budget` frames in; answers how many came.
  std::size_t arrive(std::size_t budget);

  // Frames that have been on their way for long enough reach the other end.
  std::size_t deliver() { return delay_ ? delay_->deliver() : 0; }

  // When there is something to do that is not now: frames arrive, or may come in.
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
  bool held_ = false;  // frames may be waiting outside for their turn
};

// The earlier of two times that may not be.
inline std::optional<std::uint64_t> soonest(std::optional<std::uint64_t> one,
                                            std::optional<std::uint64_t> other) {
  if (!one || !other) return one ? one : other;
  return *one < *other ? one : other;
}

}  // namespace manactl::adapter
