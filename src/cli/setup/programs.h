// SPDX-License-Identifier: MIT
//
// The programs for which `args` prints arguments. Each program is a row of kPrograms with its
// number of queues and the function that writes its settings. A program with a source of
// its own, program_<name>.cpp, declares its row here.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/facts.h"
#include "host/testpmd.h"
#include "setup/nic_identity.h"

namespace manactl::cli {

// The NICs whose arguments are printed.
struct ArgsDevices {
  std::vector<setup::Slot> slots;
  bool allow_channels = true;  // accepts_channels()
  const host::Facts* facts = nullptr;
  std::vector<const host::Nic*> nics = {};  // in `facts`
  int node = -1;                            // of the first NIC
};

struct Program {
  std::string_view name;   // the value of --for
  std::string_view title;  // "Open vSwitch"

  // The threads of --threads, which poll the ports: "PMD threads". Empty if the arguments determine
  // neither threads nor queues.
  std::string_view threads = {};

  unsigned other_queues = 0;  // of each port, besides one per thread

  // Returns the bytes that the program needs on the node of the NICs; the default is the size of
  // testpmd.
  std::uint64_t (*hugepage_bytes)(const ArgsDevices&) = nullptr;

  // Returns the lines of the settings.
  std::vector<std::string> (*render)(const ArgsDevices&, const host::ProgramSize&);

  // Returns why the program cannot use the NICs, although they are ready for DPDK.
  std::vector<std::string> (*limits)(const ArgsDevices&) = nullptr;
};

extern const Program kOpenVswitch, kSuricata, kVpp;

std::span<const Program* const> programs();

// The names of all programs, which --for accepts.
std::vector<std::string> program_names();

// Returns null for unknown words.
const Program* find_program(std::string_view name);

// The settings of one program.
struct ProgramArgs {
  host::ProgramSize size;
  std::vector<std::string> lines;
  std::vector<std::string> warnings;
};

// Without a number of threads, the program gets the largest number for which net_mana accepts the
// queues and each thread has a CPU near the NICs. Errc::invalid if net_mana
// does not accept the number of queues that this many threads need; Errc::unsupported if this
// process may use too few CPUs.
Result<ProgramArgs> args_of(const Program& program,
                            const ArgsDevices& devices,
                            std::optional<unsigned> threads);

// The CPUs of the lcores.
struct Lcores {
  unsigned main = 0;
  std::vector<unsigned> workers;  // one for each thread
};

// If this process may use only one CPU, two lcores share it; if the CPUs are unknown, they are
// those from 0.
Lcores lcores_of(const host::ProgramSize& size);

// A port of DPDK that programs use: that of net_netvsc, or without a channel that of net_mana.
struct PortOfNic {
  const host::Nic* nic;
  MacAddress mac;
  std::string channel;  // VMBus id, the name of the port; empty for a VF alone
  PciAddress pci;       // of the VF
  unsigned number = 1;  // of the VF's port, from 1
};

std::vector<PortOfNic> ports_of(const ArgsDevices& devices);

inline constexpr unsigned kDescriptors = 256;  // net_mana: at least 64, a multiple of 64

// Returns whether the arguments may contain "-a <VMBus id>", which DPDK rejects before 23.11. If
// several releases are installed, any of them may read the arguments, so all have to accept it.
// Without it, DPDK uses every channel that is bound to uio_hv_generic.
bool accepts_channels(const host::Facts& facts);

// Returns --vdev=7870:00:00.0,mac=... for each slot, and -a <VMBus id> for each allowed channel. No
// argument contains a character that a shell interprets.
std::vector<std::string> eal_arguments(const std::vector<setup::Slot>& slots, bool allow_channels);

}  // namespace manactl::cli
