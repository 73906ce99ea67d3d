// SPDX-License-Identifier: MIT
//
// Which fixes of DPDK's MANA and netvsc drivers a release lacks, and the nearest release that has
// them. Pure: the table is data/releases.json, embedded.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace manactl::diag {

struct Fix {
  enum class Kind {
    required,   // without it the driver does not work here
    advised,    // crashes, leaks, hangs
    servicing,  // host maintenance; no LTS has it
    other,      // speed, features, comfort
  };
  enum class Applies { always, arm64, manae, pf, jumbo };

  // The first point release of an LTS line that has it.
  struct Since {
    bool has = false;    // false: no release of the line
    unsigned patch = 0;  // 0: the whole line, also where it does not apply
  };

  std::string driver;   // "net_mana"
  std::string what;     // "no crash after an error completion"
  std::string commits;  // of DPDK, with blanks between
  Kind kind = Kind::other;
  Applies applies = Applies::always;
  Release main;            // first mainline release
  std::vector<Since> lts;  // in the order of ReleaseTable::tips
};

struct ReleaseTable {
  std::string as_of;
  std::vector<Release> tips;  // the newest point release of each LTS line, oldest line first
  std::vector<Fix> fixes;

  bool has(const Release& dpdk, const Fix& fix) const;
};

// Errc::invalid only when the data itself is broken.
Result<ReleaseTable> parse_release_table(std::string_view json);

// The embedded one, read at its first use.
const Result<ReleaseTable>& release_table();

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
Advice advise(const Release& dpdk, const AdvisorInput& input, const ReleaseTable& table);

// "23.03", "22.11.2": months have two digits, and point release 0 is not said.
std::string dpdk_name(const Release& release);

}  // namespace manactl::diag
