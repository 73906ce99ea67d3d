// SPDX-License-Identifier: MIT
//
// Which fixes of DPDK's MANA and netvsc drivers a release lacks, and the nearest release that has
// them. Pure functions over a constant table.

#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace manactl::diag {

struct Fix {
  enum class Kind {
    required,   // without it the driver does not work here
    advised,    // crashes, leaks, hangs
    servicing,  // host maintenance; no LTS has it
    other,      // speed, features, comfort
  };
  enum class Applies { always, arm64, manae, pf, jumbo };

  static constexpr unsigned kNever = UINT_MAX;
  static constexpr std::size_t kLines = 4;

  std::string_view driver;   // "net_mana"
  std::string_view what;     // "no crash after an error completion"
  std::string_view commits;  // of DPDK, with blanks between
  Kind kind = Kind::other;
  Applies applies = Applies::always;
  Release main;                           // first mainline release
  std::array<unsigned, kLines> lts = {};  // first point release of each line, or kNever
};

struct ReleaseTable {
  std::string_view as_of;
  std::span<const Release, Fix::kLines> tips;  // newest point release of each LTS line
  std::span<const Fix> fixes;

  bool has(const Release& dpdk, const Fix& fix) const;
};

const ReleaseTable& release_table();

struct AdvisorInput {
  bool arm64 = false;
  bool manae = false;  // functions with two RDMA devices
  bool pf = false;     // 1414:00b9
  bool jumbo = false;  // an MTU above 1500
};

struct Advice {
  // Fixes that the release lacks and this machine needs, by kind.
  std::vector<const Fix*> required, advised, servicing, other;

  // The nearest release with all required and advised ones: first in the same LTS line, then in the
  // next ones, then mainline. Nothing when none is missing or no release has them.
  std::optional<Release> nearest;

  // The nearest release that survives servicing, when this one does not.
  std::optional<Release> survives_servicing;
};

// Points into `table`.
Advice advise(const Release& dpdk,
              const AdvisorInput& input,
              const ReleaseTable& table = release_table());

// "23.03", "22.11.2": months have two digits, and point release 0 is not said.
std::string dpdk_name(const Release& release);

}  // namespace manactl::diag
