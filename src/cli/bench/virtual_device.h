// SPDX-License-Identifier: MIT
//
// Checks the virtual devices of DPDK that can harm this process or this machine. `device` is an EAL
// argument, such as "net_memif0,role=server".

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "datapath/mode.h"
#include "host/facts.h"

namespace manactl::cli {

// The two processes of net_memif share memory, and net_memif trusts the descriptors and offsets of
// the other process: that process can crash this one and change its memory. If `device` is a
// net_memif device, fails with Errc::denied unless its socket is a file in a directory that only
// the effective user can enter. root must not use other sockets; another user decides whom to
// trust.
Result<> refuse_shared_memif(const std::string& device);

// The sockets that the net_memif devices among `devices` create as files.
std::vector<std::string> memif_sockets(const std::vector<std::string>& devices);

// Fails with Errc::denied if the device would send on an interface that carries a default route or
// other traffic that must not be interrupted, or would take the packets that it receives.
Result<> refuse_busy_interface(const std::string& device,
                               datapath::Mode mode,
                               const host::Facts& facts,
                               const os::Links& links);

}  // namespace manactl::cli
