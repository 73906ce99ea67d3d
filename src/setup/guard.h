// SPDX-License-Identifier: MIT
//
// Reasons not to change a NIC: what it carries, such as the administrator's SSH session, and the
// processes that have its device open.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "host/facts.h"
#include "os/system.h"

namespace manactl::setup {

// Reasons not to prepare this NIC; empty if there are none. Each is a clause: "it carries the
// default route". A fact that could not be read is a reason as well.
std::vector<std::string> find_objections(const host::Nic& nic,
                                         const host::Facts& facts,
                                         const os::System& system,
                                         bool vf_only = false);

// Adds to Nic::uppers what find_objections() reads from the system, so that a NIC that prepare
// refuses is not free in any report. Without CAP_NET_ADMIN, only what every user can read. Does not
// search other network namespaces, because that assigns ids to them.
void add_objections(host::Facts& facts, const os::System& system);

// A sentence about the programs with sockets that are bound to the synthetic interface, and stay
// without packets when it vanishes. Empty if none are found.
std::string warn_of_bound_sockets(const host::Nic& nic, const os::System& system);

// Fails with Errc::unsupported outside the initial network namespace: the kernel creates the
// interface of a driver in the initial one, so restore would wait for it in vain. Succeeds if the
// files do not show the namespace, as in a captured tree.
Result<> require_initial_namespace(const os::Files& files);

// A process that has a device open.
struct Holder {
  unsigned pid = 0;
  std::string program;

  std::string text() const;  // "process 4711 (dpdk-testpmd)"
};

// The holders of devices such as "/dev/uio0". Skips processes whose descriptors cannot be read.
std::vector<Holder> find_holders(const std::set<std::string>& devices, const os::Files& files);

}  // namespace manactl::setup
