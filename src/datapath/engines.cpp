// SPDX-License-Identifier: MIT

#include "datapath/engines.h"

#include <algorithm>

namespace manactl::datapath {

bool EngineInfo::has_driver(std::string_view name) const {
  return std::find(drivers.begin(), drivers.end(), name) != drivers.end();
}

const EngineRow* find_engine(std::string_view name) {
  for (const auto* engine : kEngines) {
    if (engine->name == name) return engine;
  }
  return nullptr;
}

const EngineRow& vdev_engine() {
  for (const auto* engine : kEngines) {
    if (engine->takes_vdevs) return *engine;
  }
  return *kEngines.front();
}

const EngineRow& adapter_engine() {
  for (const auto* engine : kEngines) {
    if (engine->adapter_doorbell == kDoorbellCall) return *engine;
  }
  return *kEngines.front();
}

}  // namespace manactl::datapath
