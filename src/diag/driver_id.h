// SPDX-License-Identifier: MIT
//
// Checks whether the kernel and rdma-core agree on MANA's driver id (enum rdma_driver_id). Upstream
// assigns 19 to ERDMA and 20 to MANA, but Ubuntu's 5.15 backport assigns 19 to MANA. libibverbs
// chooses the first provider that claims the kernel's number.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "diag/finding.h"
#include "host/facts.h"

namespace manactl::diag {

inline constexpr std::uint32_t kBackportManaId = 19;  // upstream, the id of ERDMA
inline constexpr std::uint32_t kManaId = 20;

// The provider that libibverbs chose for the device.
struct ProviderChoice {
  enum class Kind { chosen, none, unknown };
  Kind kind = Kind::unknown;
  std::string name;    // "mana" or "erdma"; set if `kind` is chosen
  std::string reason;  // why `kind` is unknown
};

struct DriverIdInput {
  std::string device;                   // "mana_0"
  std::optional<std::uint32_t> kernel;  // driver id from RDMA netlink
  bool has_character_device = true;     // false: no program can open the device
  std::string error;                    // why `kernel` is unknown
  std::optional<std::int64_t> btf;      // RDMA_DRIVER_MANA in the kernel's type information
  ProviderChoice provider;
  std::optional<Release> rdma_core;
  bool has_mana_library = false;  // libmana.so.1, with which net_mana is linked, is installed
};

struct DriverIdVerdict {
  Status status = Status::unknown;
  std::string line;              // "mana_0: kernel reports 19, libibverbs chose erdma: ..."
  bool ids_clash = false;        // kernel and rdma-core use the id for different hardware
  bool core_is_too_old = false;  // rdma-core has no provider for MANA
  std::string name = {};         // "mana_0 (20)"
};

// Returns the provider that libibverbs chose for the RDMA device of this name.
ProviderChoice provider_of(const host::Facts& facts, const std::string& device);

// Returns true if libmana is installed.
bool has_mana_library(const host::Facts& facts);

DriverIdInput driver_id_input(const host::RdmaDevice& device, const host::Facts& facts);

DriverIdVerdict judge_driver_id(const DriverIdInput& input);

// Returns "mana" for "libmana.so.1" and "erdma" for "liberdma-rdmav34.so".
std::string provider_name(std::string_view library);

// Returns "MANA since rdma-core 44 and Linux 6.2" for 20; empty for an unknown id.
std::string driver_id_owner(std::uint32_t driver_id);

}  // namespace manactl::diag
