// SPDX-License-Identifier: MIT
//
// The engines of bench: one row of kEngines for each. Rows are defined in <engine>/engine.cpp;
// builds without the engine's library use <engine>/not_built_in.cpp instead.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
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
  std::string_view name;  // in options and JSON
  bool built_in = false;
  std::string_view mana_driver;  // the driver for MANA NICs; may be missing in info().drivers
  NicState nic_state = NicState::prepared;
  bool uses_hugepages = false;
  bool takes_vdevs = false;  // can measure DPDK's virtual devices
  // How this engine's doorbells reach the software adapter: a value of its setting "doorbell".
  std::string_view adapter_doorbell = {};
  EngineInfo (*info)() = nullptr;  // does not start the engine
  // Errc::unsupported if the engine is not built in; Errc::not_found if a library is missing.
  Result<std::unique_ptr<Engine>> (*make)() = nullptr;

  bool drives_mana() const { return info().has_driver(mana_driver); }
};

// NOLINTNEXTLINE(readability-identifier-naming): constants that are defined elsewhere
extern const EngineRow kDpdkEngine, kVerbsEngine;

// A value of EngineRow::adapter_doorbell: the engine calls the function of the adapter.
inline constexpr std::string_view kDoorbellCall = "call";

// The engine that is preferred for a MANA NIC comes first.
inline constexpr std::array kEngines = {&kDpdkEngine, &kVerbsEngine};

// Returns null if no engine has this name.
const EngineRow* find_engine(std::string_view name);

// The first engine that can drive a MANA NIC. If none can, the first engine.
const EngineRow& default_engine(std::span<const EngineRow* const> engines = kEngines);

// The engine for DPDK's virtual devices. `built_in` may be false.
const EngineRow& vdev_engine();

// The engine for the software adapter: the one whose doorbells cost least. `built_in` may be false.
const EngineRow& adapter_engine();

// True if a preloaded software adapter replaces libibverbs in this process.
bool is_simulated();

}  // namespace manactl::datapath
