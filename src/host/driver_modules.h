// SPDX-License-Identifier: MIT
//
// The modules of Facts::modules, and the options of the kernel's configuration that build them.

#pragma once

#include <array>
#include <string_view>

namespace manactl::host {

struct DriverModule {
  std::string_view name;
  std::string_view option;
};

inline constexpr std::array kDriverModules = {
    DriverModule{"mana", "CONFIG_MICROSOFT_MANA"},
    DriverModule{"mana_ib", "CONFIG_MANA_INFINIBAND"},
    DriverModule{"ib_uverbs", "CONFIG_INFINIBAND_USER_ACCESS"},
    DriverModule{"hv_netvsc", "CONFIG_HYPERV_NET"},
    DriverModule{"uio_hv_generic", "CONFIG_UIO_HV_GENERIC"},
    DriverModule{"mlx5_core", "CONFIG_MLX5_CORE"},
};

// The modules that another kernel needs on a host with MANA: the first three for the
// network, the others for DPDK.
inline constexpr std::array<std::string_view, 6> kModulesForMana = {
    "mana", "hv_netvsc", "pci_hyperv", "mana_ib", "ib_uverbs", "uio_hv_generic"};

// Those that a network in the initramfs needs.
inline constexpr std::array<std::string_view, 3> kInitramfsModules = {
    "mana", "hv_netvsc", "pci_hyperv"};

}  // namespace manactl::host
