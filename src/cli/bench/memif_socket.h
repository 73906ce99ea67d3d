// SPDX-License-Identifier: MIT
//
// Checks who can connect to the socket of a net_memif device. The two processes share memory, and
// net_memif trusts the descriptors and offsets of the other process: that process can crash this
// one and change its memory.

#pragma once

#include <string>

#include "base/result.h"

namespace manactl::cli {

// `device` is an EAL argument, such as "net_memif0,role=server". If it is a net_memif device, fails
// with Errc::denied unless its socket is a file in a directory that only the effective user can
// enter. root must not use other sockets; another user decides whom to trust.
Result<> refuse_open_memif(const std::string& device);

}  // namespace manactl::cli
