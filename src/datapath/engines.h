// SPDX-License-Identifier: MIT
//
// The engine that needs no DPDK: direct verbs of libmana, which are loaded when it is used.

#pragma once

#include <memory>

#include "datapath/bench.h"

namespace manactl::datapath {

// False in a build without the headers of libmana.
bool has_verbs_engine();

// A software adapter stands in front of libibverbs in this process.
bool is_simulated();

// Errc::unsupported when it is not built in, Errc::not_found when libibverbs or libmana are
// missing.
Result<std::unique_ptr<Engine>> make_verbs_engine();

}  // namespace manactl::datapath
