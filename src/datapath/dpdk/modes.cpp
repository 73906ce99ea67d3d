// SPDX-License-Identifier: MIT
#include "datapath/dpdk/modes.h"

#include "datapath/dpdk/pool.h"
#include "datapath/traffic/traffic.h"

namespace manactl::datapath::dpdk {

const ModeBursts* find_bursts(Mode mode) {
  for (const auto* bursts : kModeBursts) {
    if (bursts->mode == mode) return bursts;
  }
  return nullptr;
}

Result<> make_traffic(const BenchPlan& plan, const Flow& flow, Lane& lane) {
  const auto& traffic = plan.traffic;
  lane.frame_bytes = static_cast<std::uint16_t>(traffic.largest() - kFcsBytes);
  std::vector<std::uint8_t> frame(lane.frame_bytes);
  write_frame(flow, frame);
  prebuild_packets(*lane.pool, frame);

  auto& rotation = lane.rotation;
  for (const auto& size : traffic.sizes) {
    rotation.shapes.push_back(shape_of(flow, size.bytes - kFcsBytes));
  }
  const auto round = size_pattern(traffic.sizes);
  rotation.round = static_cast<unsigned>(round.size());
  for (unsigned i = 0; i < rotation.round + kMaxBurst; ++i) {
    rotation.pattern.push_back(round[i % rotation.round]);
  }
  rotation.first_port = rotation.port = flow.source_port;
  rotation.last_port = static_cast<std::uint16_t>(flow.source_port + traffic.flows - 1);
  return {};
}

}  // namespace manactl::datapath::dpdk
