// SPDX-License-Identifier: MIT
#include <rte_version.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/text.h"
#include "datapath/bench.h"

namespace manactl::datapath {

namespace {

// EAL loads whatever lies in its plugin directory: "librte_net_null.so.23.0" is net_null.
std::vector<std::string> plugins() {
  std::set<std::string> names;
  std::error_code ignored;  // no directory, no drivers
  for (const auto& entry : std::filesystem::directory_iterator(RTE_EAL_PMD_PATH, ignored)) {
    auto name = entry.path().filename().string();
    for (const std::string_view kind : {"librte_net_", "librte_bus_"}) {
      if (name.starts_with(kind)) names.insert(name.substr(7, name.find('.') - 7));
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> built_in() {
  std::vector<std::string> names;
  for (const auto name : split(MANACTL_DPDK_DRIVERS, ',')) names.emplace_back(name);
  return names;
}

}  // namespace

EngineInfo engine_info() {
  constexpr std::string_view kLinkage = MANACTL_DPDK_LINKAGE;
  std::string_view version = rte_version();  // "DPDK 22.11.11"
  version.remove_prefix(std::min(version.find(' ') + 1, version.size()));
  return {
      std::string(version), std::string(kLinkage), kLinkage == "static" ? built_in() : plugins()};
}

}  // namespace manactl::datapath
