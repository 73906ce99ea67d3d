// SPDX-License-Identifier: MIT
//
// What a port with two ways, net_netvsc, tells of them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datapath/trial.h"

namespace manactl::datapath::dpdk {

// Counted since the port was made; nothing of a driver that does not tell.
std::optional<PathCount> ways_of(std::uint16_t port);

// The driver of the port with the same address that another port owns; empty without one.
std::string lower_driver(std::uint16_t port);

}  // namespace manactl::datapath::dpdk
