// SPDX-License-Identifier: MIT
//
// Which way packets took: through the VF, through the synthetic device in front of it, or through
// no NIC at all. A rate of the synthetic way must not pass for one of MANA.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datapath/bench.h"

namespace manactl::datapath {

enum class Path { vf, synthetic, emulated, unknown };

std::string_view name_of(Path path);  // "vf", "synthetic", "virtual", "unknown"

// One of a driver's own counters: "vf_tx_good_packets".
struct NamedCount {
  std::string_view name;
  std::uint64_t value = 0;
};

// What net_netvsc counted on both ways; nothing when no such counter is among them.
std::optional<PathCount> path_count(std::span<const NamedCount> counts);

// What was counted between two readings; a counter that went back counts 0.
PathCount operator-(const PathCount& now, const PathCount& before);

struct PathReport {
  Path verdict = Path::unknown;
  std::vector<std::string> evidence;  // sentences without a full stop
};

// Of all ports and trials. Synthetic when one of the ports was, and unknown when they differ.
PathReport path_of(Mode mode, const BenchReport& report);

}  // namespace manactl::datapath
