// SPDX-License-Identifier: MIT
//
// The state of one NIC, derived from its facts: which side owns it, which path its packets take,
// and whether it is free for DPDK.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_words.h"
#include "host/facts.h"

namespace manactl::host {

enum class Owner { kernel, uio, nobody };

inline constexpr EnumWords<Owner, 3> kOwnerWords{
    {{Owner::kernel, "kernel"}, {Owner::uio, "uio"}, {Owner::nobody, "nobody"}}};

// The path of the packets since boot.
enum class TrafficPath {
  vf,
  mostly_synthetic,  // less than half of the packets use the VF
  synthetic,
  direct,      // MANA without a synthetic NIC
  user_space,  // the kernel does not see the packets
  none,        // the VMBus device has no driver
  unknown,     // too few packets, or unreadable counters
};

inline constexpr EnumWords<TrafficPath, 7> kTrafficPathWords{{
    {TrafficPath::vf, "VF"},
    {TrafficPath::mostly_synthetic, "mostly synthetic"},
    {TrafficPath::synthetic, "synthetic"},
    {TrafficPath::direct, "MANA direct"},
    {TrafficPath::user_space, "user space"},
    {TrafficPath::none, "none"},
    {TrafficPath::unknown, "unknown"},
}};

// Fewer packets prove nothing, because the first packets after boot take the synthetic path.
inline constexpr std::uint64_t kEnoughPackets = 1000;

// Whether a program of DPDK can have the NIC.
struct Availability {
  std::optional<bool> is_free;  // empty if it is unknown what the NIC carries
  std::string reason;           // why it is not free, or why this is unknown: "SSH session"
};

Owner owner_of(const Nic& nic);

// True if neither the kernel nor DPDK can use the NIC, because its VMBus device has no driver.
bool is_unbound(const Nic& nic);

// True if the kernel sends the packets of the synthetic interface through this VF.
bool is_paired(const Nic& nic);

TrafficPath traffic_path_of(const Nic& nic);

Availability availability_of(const Nic& nic, const Facts& facts);

// Returns what the NIC carries, without addresses: "SSH session, default route and 2 more".
std::string uses_of(const Nic& nic);

// Returns the first interface that uses the NIC: "vlan eth1.7 is stacked on it, and 2 more". Empty
// if there is none.
std::string upper_of(const Nic& nic);

// The NICs of the kernel that prepare can bind to user space, because they carry
// nothing and no interface uses them.
std::vector<const Nic*> free_nics(const Facts& facts);

// Returns the command that prepares the NIC: "manactl prepare eth1".
std::string prepare_command(const Nic& nic);

}  // namespace manactl::host
