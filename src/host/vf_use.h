// SPDX-License-Identifier: MIT
//
// Whether the kernel uses the VF of a NIC at this time, for the live view and for wait. nic_state.h
// has the path since boot.

#pragma once

#include <string_view>

#include "base/enum_words.h"
#include "host/facts.h"

namespace manactl::host {

enum class VfUse {
  used,
  bypassed,      // it could be used, but packets are sent on the synthetic path
  down,          // it has joined, but it is down or has no carrier
  not_joined,    // its interface belongs to no synthetic interface
  no_interface,  // it is on the PCI bus, but no driver created an interface
  absent,
  user_space,  // the kernel does not see the packets
  unbound,     // the VMBus device has no driver
  removed,     // the NIC existed before
};

inline constexpr EnumWords<VfUse, 9> kVfUseWords{{
    {VfUse::used, "used"},
    {VfUse::bypassed, "bypassed"},
    {VfUse::down, "down"},
    {VfUse::not_joined, "not-joined"},
    {VfUse::no_interface, "no-interface"},
    {VfUse::absent, "absent"},
    {VfUse::user_space, "user-space"},
    {VfUse::unbound, "unbound"},
    {VfUse::removed, "removed"},
}};

// Predicates for "VF enP30832p0s0 ..." if there is a VF, and otherwise complete phrases.
inline constexpr EnumWords<VfUse, 9> kVfUsePhrases{{
    {VfUse::used, "is in use"},
    {VfUse::bypassed, "has joined, but packets take the synthetic path"},
    {VfUse::down, "has joined, but is down or has no carrier"},
    {VfUse::not_joined, "has not joined the NIC"},
    {VfUse::no_interface, "the VF is on the PCI bus, but has no interface"},
    {VfUse::absent, "no VF"},
    {VfUse::user_space, "is in user space"},
    {VfUse::unbound, "the NIC is bound to no driver"},
    {VfUse::removed, "the NIC was removed"},
}};

// "VF enP30832p0s0 is in use", "no VF". `vf` is empty if the VF has no interface.
std::string phrase_of(VfUse use, std::string_view vf);

// Whether a function has no interface, so that it may be the VF of a NIC without one.
bool has_idle_function(const Result<std::vector<PciFunction>>& functions);

// Returns any value but `bypassed` and `removed`, which only counters and earlier lists of NICs
// show. hv_netvsc switches the data path before rtnetlink reports that the VF is up
// (netvsc_vf_changed, drivers/net/hyperv/netvsc_drv.c).
VfUse vf_use_of(const Nic& nic, bool has_idle_function);

}  // namespace manactl::host
