// SPDX-License-Identifier: MIT
//
// The states of a device and the kinds of runs that a log shows (docs/architecture.md, "How a log
// becomes a story").

#pragma once

#include "base/enum_words.h"

namespace manactl::diag {

enum class State {
  // The steps until a device carries packets, in their order.
  detected,    // the bus has found the device
  probed,      // a driver has opened it
  joined,      // the VF has joined its synthetic NIC
  configured,  // a program or the kernel has claimed the port or set up its queues
  started,     // the queues run, or the program forwards
  link_up,     // the link is up, or the data path uses the VF
  traffic,     // a counter of packets has increased
  // The other states.
  synthetic,  // packets can use the synthetic path only
  servicing,  // the adapter is being reset or serviced
  lost,       // the device has disappeared
  stopped,    // the program or the kernel has stopped using the device in an orderly way
  idle,       // no counter of packets changes
};

inline constexpr EnumWords<State, 12> kStates = {{
    {State::detected, "detected"},
    {State::probed, "probed"},
    {State::joined, "joined"},
    {State::configured, "configured"},
    {State::started, "started"},
    {State::link_up, "link-up"},
    {State::traffic, "traffic"},
    {State::synthetic, "synthetic"},
    {State::servicing, "servicing"},
    {State::lost, "lost"},
    {State::stopped, "stopped"},
    {State::idle, "idle"},
}};

constexpr bool is_step(State state) {
  return state <= State::traffic;
}

// Whether a synthetic NIC uses its VF.
enum class VfState {
  used,          // the data path uses the VF, or a program has claimed its port
  removed,       // the host has removed the VF
  not_bound,     // the host has added the VF, but no driver has opened it
  not_joined,    // a driver has opened the VF, but it has not joined the synthetic NIC
  not_switched,  // the VF has joined, but the data path does not use it
  servicing,     // the adapter is being reset or serviced
  stopped,       // the VF has left in an orderly way: its driver or that of the NIC was unbound
};

inline constexpr EnumWords<VfState, 7> kVfStates = {{
    {VfState::used, "used"},
    {VfState::removed, "removed"},
    {VfState::not_bound, "not-bound"},
    {VfState::not_joined, "not-joined"},
    {VfState::not_switched, "not-switched"},
    {VfState::servicing, "servicing"},
    {VfState::stopped, "stopped"},
}};

// The two interfaces of a NIC with a VF. They have one MAC address, and only the synthetic one may
// be configured.
enum class NicPart {
  vf,
  synthetic,
};

inline constexpr EnumWords<NicPart, 2> kNicParts = {{
    {NicPart::vf, "vf"},
    {NicPart::synthetic, "synthetic"},
}};

enum class RunKind {
  boot,     // the kernel, from its start to the next one
  program,  // a DPDK program, from the start of EAL to the next one
};

inline constexpr EnumWords<RunKind, 2> kRunKinds = {{
    {RunKind::boot, "boot"},
    {RunKind::program, "program"},
}};

enum class Ending {
  none,     // the log ends, or the next run begins, without a line about the end
  stopped,  // orderly
  failed,
};

inline constexpr EnumWords<Ending, 3> kEndings = {{
    {Ending::none, "none"},
    {Ending::stopped, "stopped"},
    {Ending::failed, "failed"},
}};

}  // namespace manactl::diag
