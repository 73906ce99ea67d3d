// SPDX-License-Identifier: MIT
//
// Whether this machine can run a plan, and what to do when it cannot: the device and the memory.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "datapath/bench.h"
#include "host/facts.h"

namespace manactl::cli {

// Why not, and commands that change it.
struct Obstacle {
  Error error;
  std::vector<std::string> commands;
};

template <class T>
using Possible = tl::expected<T, Obstacle>;

struct Port {
  PciAddress pci;
  MacAddress mac;
  std::optional<VmbusId> vmbus;  // absent without a synthetic NIC, or without bus_vmbus inside
};

// The MANA port behind a NIC that was handed to user space, if the built-in driver can drive it.
Possible<Port> find_port(const host::Facts& facts,
                         const std::string& interface,
                         const datapath::EngineInfo& engine);

// Turns hugepages off, with a note, where a virtual device can do without; an obstacle when there
// are too few of them.
Possible<std::string> choose_memory(const host::Facts& facts, datapath::BenchPlan& plan);

}  // namespace manactl::cli
