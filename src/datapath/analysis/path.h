// SPDX-License-Identifier: MIT
//
// The path that packets took: through the VF, through the synthetic device in front of it, or
// through no NIC at all. A rate of the synthetic path must not be mistaken for a rate of MANA.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "datapath/bench.h"

namespace manactl::datapath {

enum class Path : std::uint8_t { vf, synthetic, emulated, unknown };

inline constexpr EnumWords<Path, 4> kPaths = {{
    {Path::vf, "vf"},
    {Path::synthetic, "synthetic"},
    {Path::emulated, "virtual"},
    {Path::unknown, "unknown"},
}};

constexpr std::string_view name_of(Path path) {
  return word_of(kPaths, path);
}

// An extended statistic of a driver, such as "vf_tx_good_packets".
struct NamedCount {
  std::string_view name;
  std::uint64_t value = 0;
};

// Adds up the counters of net_netvsc for each path; nullopt if there are none among `counts`.
std::optional<PathCounters> sum_path_counters(std::span<const NamedCount> counts);

// The difference of each counter; 0 if the counter went backwards.
PathCounters operator-(const PathCounters& now, const PathCounters& before);

struct PathReport {
  Path verdict = Path::unknown;
  std::vector<std::string> evidence;  // sentences without a full stop
};

// Returns one verdict for all ports and trials. It is synthetic if that is the verdict on any port.
// Otherwise it is the common verdict on all ports, or unknown if the verdicts differ.
PathReport path_of(Mode mode, const BenchReport& report);

}  // namespace manactl::datapath
