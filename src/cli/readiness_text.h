// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "diag/runner.h"
#include "host/facts.h"

namespace manactl::cli {

// States for each use that the options select whether the VM is ready, and the reasons if not:
// "Ready for MANA with the kernel's network stack. Not ready with DPDK: VPP selects 0101:00:02.0 of
// mlx5." Without MANA, this is a forecast. A report that lacks checks states only what is not
// ready.
std::string readiness_text(const host::Facts& facts,
                           const diag::Report& report,
                           const diag::CheckOptions& options);

// Whether every check ran that the options select.
bool is_complete(const diag::Report& report, const diag::CheckOptions& options);

}  // namespace manactl::cli
