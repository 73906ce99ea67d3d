// SPDX-License-Identifier: MIT
//
// The row of the DPDK engine in a build without DPDK.

#include "datapath/engines.h"

namespace manactl::datapath {

constinit const EngineRow kDpdkEngine = {
    .name = "dpdk",
    .mana_driver = "net_mana",
    .uses_hugepages = true,
    .takes_vdevs = true,
    .adapter_doorbell = "trap",
    .info = [] { return EngineInfo{"", "off", {}}; },
    .make = []() -> Result<std::unique_ptr<Engine>> {
      return fail(Errc::unsupported, "this manactl was built without DPDK");
    },
};

}  // namespace manactl::datapath
