// SPDX-License-Identifier: MIT
//
// Why the hardware or its driver said no, in words that help: what it is, who is in the way, and
// the command that frees it. Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace manactl::datapath::verbs {

// A port of an RDMA device, as the kernel shows it.
struct PortPlace {
  std::string device;           // "mana_0"
  std::string slot;             // "7870:00:00.0"
  std::uint32_t port = 0;       // from 1
  std::string interface;        // the kernel's name for it now; empty when it is not visible
  std::optional<bool> up;       // absent when it cannot be read
  std::uint64_t link_mbps = 0;  // 0: not known
};

// A failed call. `number` is its errno.
Error refused(const PortPlace& place, std::string_view call, int number);

}  // namespace manactl::datapath::verbs
