// SPDX-License-Identifier: MIT
//
// Whether kernel and rdma-core mean the same by MANA's driver id. The numbers 19 and 20 were given
// twice: a 5.15 backport calls MANA 19, upstream calls ERDMA 19 and MANA 20, and libibverbs takes
// the first provider that claims the kernel's number.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "diag/finding.h"

namespace manactl::diag {

// What libibverbs made of the device.
struct ProviderSeen {
  enum class Kind { chosen, none, not_known };
  Kind kind = Kind::not_known;
  std::string name;    // "mana", "erdma", when chosen
  std::string reason;  // why it is not known
};

struct DriverIdInput {
  std::string device;                   // "mana_0"
  std::optional<std::uint32_t> kernel;  // what netlink says for this device
  bool character_device = true;         // false: nothing can open the device
  std::string error;                    // why `kernel` is not known
  std::optional<std::int64_t> btf;      // RDMA_DRIVER_MANA of the running kernel
  ProviderSeen provider;
  std::optional<Release> rdma_core;
};

struct DriverIdVerdict {
  Status status = Status::unknown;
  std::string line;        // "mana_0: kernel 19, libibverbs chose erdma: ..."
  bool clash = false;      // 19 means MANA to the kernel and ERDMA to rdma-core
  bool old_core = false;   // rdma-core has no provider for MANA
  std::string brief = {};  // "mana_0 (20)"
};

DriverIdVerdict judge_driver_id(const DriverIdInput& input);

// "mana" of "libmana.so.1", "erdma" of "liberdma-rdmav34.so".
std::string provider_name(std::string_view library);

// "ERDMA (rdma-core 43 and later) or MANA (Ubuntu's 5.15 backport)" for 19; empty when not known.
std::string owner_of(std::uint32_t driver_id);

}  // namespace manactl::diag
