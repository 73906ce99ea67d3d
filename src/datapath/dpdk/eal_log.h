// SPDX-License-Identifier: MIT
//
// Extracts the reason for a failed start from DPDK's log.

#pragma once

#include <string_view>

#include "base/result.h"

namespace manactl::datapath {

// `log` is the output of EAL and the drivers. The message is never empty and has one line.
Error reason_of(std::string_view log);

}  // namespace manactl::datapath
