// SPDX-License-Identifier: MIT
//
// Whether this machine can run a plan, and what to do when it cannot: the device and the memory.

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "datapath/bench.h"
#include "host/facts.h"
#include "setup/journal.h"

namespace manactl {

namespace os {
class Files;
}

namespace cli {

// Why not, and commands that change it.
struct Obstacle {
  Error error;
  std::vector<std::string> commands;
};

template <class T>
using Possible = tl::expected<T, Obstacle>;

// automatic takes direct verbs for a MANA NIC when the DPDK inside has no net_mana.
enum class EngineChoice { automatic, dpdk, verbs };

Result<EngineChoice> parse_engine(std::string_view text);

// Whether this choice means direct verbs for a MANA NIC, as far as they are built in.
bool takes_verbs(EngineChoice choice, const datapath::EngineInfo& engine, bool has_verbs);

// The MANA port behind a NIC that was handed to user space, if the built-in driver can drive it.
// `entries` of the journal tell the name and the address that it had in the kernel. Without
// bus_vmbus inside, the synthetic NIC in front of it is left out.
Possible<datapath::Nic> find_port(const host::Facts& facts,
                                  const std::string& interface,
                                  const datapath::EngineInfo& engine,
                                  const std::vector<setup::Entry>& entries = {});

// The MANA port behind a NIC, whoever has it and whatever it carries.
Possible<datapath::Nic> find_mana_port(const host::Facts& facts,
                                       const std::string& interface,
                                       const std::vector<setup::Entry>& entries = {});

// CPUs on the NUMA nodes of these NICs; none when that is not known.
CpuList cpus_near(const os::Files& files,
                  const host::Facts& facts,
                  const std::vector<datapath::Nic>& nics);

// The same for direct verbs, for which the link has to be down and nothing else.
Possible<datapath::Nic> find_verbs_port(const host::Facts& facts,
                                        const std::string& interface,
                                        const std::vector<setup::Entry>& entries = {});

// Turns hugepages off, with a note, where a virtual device can do without; an obstacle when there
// are too few of them.
Possible<std::string> choose_memory(const host::Facts& facts, datapath::BenchPlan& plan);

}  // namespace cli

}  // namespace manactl
