// SPDX-License-Identifier: MIT
//
// The engines of bench: one row of kEngines for each, which <engine>/engine.cpp defines.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "datapath/bench.h"

namespace manactl::datapath {

// The state of a MANA NIC that an engine requires.
enum class NicState : std::uint8_t {
  prepared,   // the channel of the NIC's synthetic interface is bound to uio_hv_generic
  link_down,  // the devices keep their drivers; the interface of the VF is down
};

struct EngineRow {
  std::string_view name;         // in options and JSON
  std::string_view mana_driver;  // the driver for MANA NICs
  NicState nic_state = NicState::prepared;
  bool uses_hugepages = false;
  bool takes_vdevs = false;  // can measure DPDK's virtual devices
  // How this engine's doorbells reach the software adapter: a value of its setting "doorbell".
  std::string_view adapter_doorbell = {};
  EngineInfo (*info)() = nullptr;  // does not start the engine
  // Errc::not_found if a library is missing.
  Result<std::unique_ptr<Engine>> (*make)() = nullptr;
};

// NOLINTNEXTLINE(readability-identifier-naming): constants that are defined elsewhere
extern const EngineRow kDpdkEngine, kVerbsEngine;

// A value of EngineRow::adapter_doorbell: the engine calls the function of the adapter.
inline constexpr std::string_view kDoorbellCall = "call";

// The first is the default for a MANA NIC.
inline constexpr std::array kEngines = {&kDpdkEngine, &kVerbsEngine};

// Returns null if no engine has this name.
const EngineRow* find_engine(std::string_view name);

// The engine for DPDK's virtual devices.
const EngineRow& vdev_engine();

// The engine for the software adapter: the one whose doorbells cost least.
const EngineRow& adapter_engine();

// Loads libibverbs and libmana, which every engine needs for a MANA NIC. Errc::not_found if one is
// missing, or if they do not match.
Result<> load_mana_libraries();

// True if a preloaded software adapter replaces libibverbs in this process.
bool is_simulated();

}  // namespace manactl::datapath
