// SPDX-License-Identifier: MIT

#include "adapter/cable.h"

#include <utility>

namespace manactl::adapter {

Cable::Cable(const LinkModel& model, const Clock& clock, Count& lost)
    : model_(model), clock_(clock), lost_(lost), egress_(model), ingress_(model) {}

void Cable::connect(std::unique_ptr<Backend> backend) {
  backend_ = std::move(backend);
  delay_.reset();
  if (model_.has_delay()) {
    delay_ = std::make_unique<DelayLine>(model_, clock_, *backend_, lost_);
  }
}

std::size_t Cable::arrive(std::size_t budget) {
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

std::optional<std::uint64_t> Cable::next() {
  auto when = delay_ ? delay_->next() : std::nullopt;
  const std::scoped_lock lock(ingress_mutex_);
  // A time that has passed: it is the driver who has no buffers.
  const bool turn_comes = held_ && ingress_.free_at() > clock_.now();
  return turn_comes ? soonest(when, ingress_.free_at()) : when;
}

}  // namespace manactl::adapter
