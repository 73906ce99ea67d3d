// SPDX-License-Identifier: MIT
#include "datapath/dpdk/path_counters.h"

#include <rte_ethdev.h>

#include <vector>

#include "datapath/analysis/path.h"

namespace manactl::datapath::dpdk {

std::optional<PathCounters> read_path_counters(std::uint16_t port) {
  const int size = rte_eth_xstats_get_names(port, nullptr, 0);
  if (size <= 0) return std::nullopt;
  const auto count = static_cast<unsigned>(size);
  std::vector<rte_eth_xstat_name> names(count);
  std::vector<rte_eth_xstat> values(count);
  // The number of statistics changes if a VF is added or removed between the calls.
  if (rte_eth_xstats_get_names(port, names.data(), count) != size ||
      rte_eth_xstats_get(port, values.data(), count) != size) {
    return std::nullopt;
  }
  std::vector<NamedCount> counts;
  for (const auto& value : values) {
    if (value.id < count) counts.push_back({names[value.id].name, value.value});
  }
  return sum_path_counters(counts);
}

std::string lower_driver(std::uint16_t port) {
  rte_ether_addr own{};
  if (rte_eth_macaddr_get(port, &own) != 0) return {};
  for (std::uint16_t other = 0; other < RTE_MAX_ETHPORTS; ++other) {
    rte_eth_dev_owner owner{};
    rte_ether_addr address{};
    rte_eth_dev_info info{};
    if (other == port || rte_eth_dev_is_valid_port(other) == 0) continue;
    if (rte_eth_dev_owner_get(other, &owner) != 0 || owner.id == RTE_ETH_DEV_NO_OWNER) continue;
    if (rte_eth_macaddr_get(other, &address) != 0 || !rte_is_same_ether_addr(&own, &address)) {
      continue;
    }
    if (rte_eth_dev_info_get(other, &info) == 0) return info.driver_name;
  }
  return {};
}

}  // namespace manactl::datapath::dpdk
