// SPDX-License-Identifier: MIT

#include "host/nic_state.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::host {
namespace {

TrafficPath path_from_counters(const PathCounters& counters) {
  const auto vf = counters.vf_rx + counters.vf_tx;
  const auto all = std::max(counters.rx + counters.tx, vf);
  if (all > 0 && vf * 2 >= all) return TrafficPath::vf;
  if (all < kEnoughPackets) return TrafficPath::unknown;
  return vf == 0 ? TrafficPath::synthetic : TrafficPath::mostly_synthetic;
}

}  // namespace

Owner owner_of(const Nic& nic) {
  if (nic.is_prepared()) return Owner::uio;
  return nic.vmbus && nic.vmbus_driver.empty() ? Owner::nobody : Owner::kernel;
}

bool is_unbound(const Nic& nic) {
  return nic.vmbus && nic.vmbus_driver.empty() && !nic.synthetic;
}

bool is_paired(const Nic& nic) {
  return nic.synthetic && nic.vf && nic.vf->master == nic.synthetic->index;
}

TrafficPath traffic_path_of(const Nic& nic) {
  if (nic.is_prepared()) return TrafficPath::user_space;
  if (is_unbound(nic)) return TrafficPath::none;
  if (nic.is_direct()) return TrafficPath::direct;
  if (!nic.vf) return TrafficPath::synthetic;
  const bool vf_is_unused =
      nic.synthetic && (!is_paired(nic) || (nic.synthetic->up && !nic.vf->up));
  if (vf_is_unused) return TrafficPath::synthetic;
  return nic.counters ? path_from_counters(*nic.counters) : TrafficPath::unknown;
}

Availability availability_of(const Nic& nic, const Facts& facts) {
  if (!nic.carries.empty()) return {false, uses_of(nic)};
  if (!nic.uppers.empty()) return {false, upper_of(nic)};
  if (is_unbound(nic)) return {false, "bound to no driver"};
  if (!nic.vf) return {false, "it has no VF"};
  if (!nic.has_mana_vf()) return {false, "its VF is not MANA"};
  const bool is_unpaired = nic.synthetic && !is_paired(nic);
  if (is_unpaired) return {false, "its VF is not paired"};
  auto obstacle = obstacle_in_modules(facts, nic.is_direct());
  if (!obstacle.empty()) return {false, std::move(obstacle)};
  if (!facts.carries_complete) return {std::nullopt, facts.carries_complete.error().message};
  return {true, {}};
}

std::string uses_of(const Nic& nic) {
  constexpr std::size_t kShown = 2;
  std::vector<std::string> uses;
  for (const auto& what : nic.carries) {
    const auto use = what.substr(0, std::min(what.find(" from "), what.find(" (")));
    // The administrator's session comes first.
    const bool is_session = use.starts_with("SSH");
    const bool is_new = std::ranges::find(uses, use) == uses.end();
    if (is_new) uses.insert(is_session ? uses.begin() : uses.end(), use);
  }
  const auto more = uses.size() - std::min(uses.size(), kShown);
  uses.resize(uses.size() - more);
  return join(uses, ", ") + (more == 0 ? std::string() : fmt::format(" and {} more", more));
}

std::string upper_of(const Nic& nic) {
  if (nic.uppers.size() < 2) return join(nic.uppers, "");
  return fmt::format("{}, and {} more", nic.uppers.front(), nic.uppers.size() - 1);
}

std::vector<const Nic*> free_nics(const Facts& facts) {
  std::vector<const Nic*> free;
  if (!facts.nics) return free;
  for (const auto& nic : *facts.nics) {
    const bool is_bound = nic.is_direct() || (nic.synthetic && nic.vmbus);
    if (is_bound && owner_of(nic) == Owner::kernel &&
        availability_of(nic, facts).is_free.value_or(false))
      free.push_back(&nic);
  }
  return free;
}

std::string prepare_command(const Nic& nic) {
  return fmt::format(
      "manactl prepare {}{}", shell_word(nic.name()), nic.is_direct() ? " --vf-only" : "");
}

}  // namespace manactl::host
