// SPDX-License-Identifier: MIT
//
// Finds the port and the memory for a plan, or explains why this machine cannot run the plan.

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "datapath/engines.h"
#include "host/facts.h"
#include "setup/journal.h"

namespace manactl {

namespace os {
class Files;
}

namespace cli {

// Why this machine cannot run a plan, and the commands that fix it.
struct Obstacle {
  Error error;
  std::vector<std::string> commands;
};

// A value, or why this machine cannot provide it.
template <class T>
using Possible = tl::expected<T, Obstacle>;

// Returns the row of datapath::kEngines with this name; null for "auto".
Result<const datapath::EngineRow*> parse_engine(std::string_view text);

// Returns "auto|dpdk|...".
const std::string& engine_choice();

// Returns the MANA port of a NIC that is bound to user space. The journal `entries` contain the
// name and the address that the NIC had in the kernel.
Possible<datapath::Nic> find_prepared_port(const host::Facts& facts,
                                           const std::string& interface,
                                           const std::vector<setup::Entry>& entries = {});

// Returns the MANA port of a NIC for direct verbs, which require only that the interface of the VF
// is down. The NIC need not be bound to user space.
Possible<datapath::Nic> find_unbound_port(const host::Facts& facts,
                                          const std::string& interface,
                                          const std::vector<setup::Entry>& entries = {});

// Returns the MANA port of a NIC, even if the kernel uses the NIC.
Possible<datapath::Nic> find_mana_port(const host::Facts& facts,
                                       const std::string& interface,
                                       const std::vector<setup::Entry>& entries = {});

// Returns the CPUs on the NUMA nodes of these NICs; empty if the nodes are unknown.
CpuList cpus_near(const os::Files& files,
                  const host::Facts& facts,
                  const std::vector<datapath::Nic>& nics);

// Returns the commands that measure something, each with a description: "manactl bench --sim ...".
// The example of a NIC is one that carries no session, if there is one.
std::vector<std::string> devices_to_measure(const host::Facts& facts);

// If a plan without NICs cannot use hugepages, sets plan.hugepages to false and returns a note
// about that, else an empty text. Fails if there are too few free hugepages.
Possible<std::string> choose_memory(const host::Facts& facts, datapath::BenchPlan& plan);

}  // namespace cli

}  // namespace manactl
