// SPDX-License-Identifier: MIT
//
// Which sockets belong to an SSH server, told by the processes that hold them.

#pragma once

#include <cstdint>
#include <set>

#include "base/result.h"
#include "os/files.h"

namespace manactl::host {

using SocketInodes = std::set<std::uint64_t>;

// Of the server that started this process; privilege is needed to see them.
SocketInodes sockets_of_own_sshd(const os::Files& files);

// Of every process whose program is an SSH server: a look at each process of the machine.
// Errc::denied when one may not be looked at.
Result<SocketInodes> sockets_of_every_sshd(const os::Files& files);

}  // namespace manactl::host
