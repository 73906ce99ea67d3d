// SPDX-License-Identifier: MIT
//
// Finds in the kernel log when hv_netvsc switched the data path of each NIC last.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/byte_source.h"

namespace manactl::host {

struct PathSwitch {
  bool to_vf = false;
  double seconds = 0;  // the time stamp of the line, since boot
};

// The newest switches by VMBus id. Stops at an error, so that the result may be incomplete.
std::map<std::string, PathSwitch> read_path_switches(ByteSource& log);

}  // namespace manactl::host
