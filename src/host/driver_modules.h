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

}  // namespace manactl::host
