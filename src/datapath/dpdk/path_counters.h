// SPDX-License-Identifier: MIT
//
// The counters of net_netvsc, whose packets pass through the VF or the synthetic device.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datapath/measure/trial.h"

namespace manactl::datapath::dpdk {

// Packets since the port was created; nullopt if the driver does not count them per path.
std::optional<PathCounters> read_path_counters(std::uint16_t port);

// The driver of the VF, which is the owned port with the same MAC address; empty without a VF.
std::string lower_driver(std::uint16_t port);

}  // namespace manactl::datapath::dpdk
