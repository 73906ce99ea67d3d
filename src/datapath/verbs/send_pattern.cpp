// SPDX-License-Identifier: MIT
#include "datapath/verbs/send_pattern.h"

#include <algorithm>

namespace manactl::datapath::verbs {

void SendPattern::add(const SendRing& ring,
                      const Flow& flow,
                      std::span<std::uint8_t> frame,
                      std::uint32_t key) {
  write_frame(flow, frame);
  auto wqe = ring.unsignaled_wqe();
  wqe.address = reinterpret_cast<std::uintptr_t>(frame.data());
  wqe.key_and_size = key_and_size(key, static_cast<std::uint32_t>(frame.size()));
  wqes_.push_back(wqe);
  packets_.push_back({frame.data(),
                      shape_of(flow, frame.size()).udp_sum,
                      static_cast<std::uint16_t>(frame.size())});
}

void SendPattern::start(SendRing& ring, const PortRange& ports) {
  ports_ = ports;
  port_ = ports.first;
  const auto first = packets_.front().bytes;
  const bool same =
      std::all_of(packets_.begin(), packets_.end(), [first](auto& p) { return p.bytes == first; });
  equal_bytes_ = same ? first : 0;
  // If the length of the pattern divides the ring size, each slot always has the same WQE.
  const auto round = wqes_.size();
  prefilled_ = ring.slots() % round == 0;
  constant_ = prefilled_ && same && ports.first == ports.last;
  if (!prefilled_) return;
  for (std::uint32_t slot = 0; slot < ring.slots(); ++slot) ring.at(slot) = wqes_[slot % round];
}

}  // namespace manactl::datapath::verbs
