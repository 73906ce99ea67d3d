// SPDX-License-Identifier: MIT
//
// One sentence out of DPDK's log: the reason why a start failed.

#pragma once

#include <string_view>

#include "base/result.h"

namespace manactl::datapath {

// `log` is what EAL and the drivers wrote until they gave up. Never empty, never more than one
// line.
Error reason_of(std::string_view log);

}  // namespace manactl::datapath
