// SPDX-License-Identifier: MIT
//
// A VM in memory whose drivers have the settings of tune.

#pragma once

#include "setup/fake_vm.h"
#include "setup/tune.h"

namespace manactl::test {

inline constexpr const char* kRingsKey = "ethtool/rings";
inline constexpr const char* kChannelsKey = "ethtool/channels";
inline constexpr const char* kQdiscKey = "link/qdisc";
inline constexpr const char* kTsoKey = "ethtool/feature/tx-tcp-segmentation";
inline constexpr const char* kVf1 = "enP30832p0s0d1";

inline void add_tuning_settings(FakeVm& vm) {
  vm.state.defaults[kRingsKey] = "1024 0 0 256";
  vm.state.defaults[kTsoKey] = "on";
  vm.state.limits = {{kRingsKey, "8192 0 0 16384"}, {kChannelsKey, "0 0 0 4"}};
  vm.rebuild();
}

// A request about eth1, which carries nothing.
inline setup::TuneRequest tune_request(std::map<std::string, std::string> settings = {}) {
  setup::TuneRequest request;
  request.nic = "eth1";
  if (settings.empty()) request.profile = host::Profile::standard;
  request.settings = std::move(settings);
  return request;
}

// For tune(): its changes then await `manactl confirm`.
inline Result<> unconfirmed(setup::Entry& entry, setup::Lock& /*lock*/) {
  entry.confirmed = false;
  return {};
}

}  // namespace manactl::test
