// SPDX-License-Identifier: MIT
#include "datapath/verbs/outbox.h"

#include <algorithm>

namespace manactl::datapath::verbs {

void Outbox::add(const SendRing& ring,
                 const Flow& flow,
                 std::span<std::uint8_t> frame,
                 std::uint32_t key) {
  write_frame(flow, frame);
  auto wqe = ring.blank();
  wqe.address = reinterpret_cast<std::uintptr_t>(frame.data());
  wqe.key_and_size = key_and_size(key, static_cast<std::uint32_t>(frame.size()));
  wqes_.push_back(wqe);
  packets_.push_back({frame.data(),
                      shape_of(flow, frame.size()).udp_sum,
                      static_cast<std::uint16_t>(frame.size())});
}

void Outbox::start(SendRing& ring, const PortRange& ports) {
  ports_ = ports;
  port_ = ports.first;
  const auto first = packets_.front().bytes;
  const bool same =
      std::all_of(packets_.begin(), packets_.end(), [first](auto& p) { return p.bytes == first; });
  same_bytes_ = same ? first : 0;
  // A pattern that comes out even with the ring is written there once.
  const auto round = wqes_.size();
  prefilled_ = ring.slots() % round == 0;
  settled_ = prefilled_ && same && ports.first == ports.last;
  if (!prefilled_) return;
  for (std::uint32_t slot = 0; slot < ring.slots(); ++slot) ring.at(slot) = wqes_[slot % round];
}

}  // namespace manactl::datapath::verbs
