// SPDX-License-Identifier: MIT
//
// The row of the DPDK engine in kEngines.

#include <rte_version.h>

#include <algorithm>

#include "base/text.h"
#include "datapath/dpdk/engine_ports.h"
#include "datapath/engines.h"
#include "datapath/measure/session.h"
#include "datapath/plan/plan.h"

namespace manactl::datapath {

namespace dpdk {

namespace {

std::vector<std::string> linked_drivers() {
  std::vector<std::string> names;
  for (const auto name : split(MANACTL_DPDK_DRIVERS, ',')) names.emplace_back(name);
  return names;
}

EngineInfo info() {
  std::string_view version = rte_version();  // "DPDK 22.11.11"
  version.remove_prefix(std::min(version.find(' ') + 1, version.size()));
  return {std::string(version), "static", linked_drivers()};
}

constexpr std::string_view kPrefix = "net_";  // of the names of drivers for network devices

// Returns "net_null0" for "net_nul0"; empty if no driver has a similar name.
std::string similar_device(std::string_view name, const std::vector<std::string>& drivers) {
  if (!name.starts_with(kPrefix)) return {};
  const auto end = name.find_last_not_of("0123456789") + 1;
  std::vector<std::string> stems;
  for (const auto& driver : drivers) stems.push_back(driver.substr(kPrefix.size()));
  const auto stem = nearest(name.substr(kPrefix.size(), end - kPrefix.size()), stems);
  return stem.empty() ? stem : fmt::format("{}{}{}", kPrefix, stem, name.substr(end));
}

// Detects a missing driver before EAL does, because EAL would report it in five lines.
Result<> check_driver(const std::string& device, const EngineInfo& info) {
  const auto name = std::string_view(device).substr(0, device.find(','));
  const auto shown = fmt::format("{} '{}'", name_of(PlanField::vdevs), printable(name));
  if (PciAddress::parse(name)) return {};
  std::vector<std::string> drivers;
  for (const auto& driver : info.drivers) {
    if (!driver.starts_with(kPrefix)) continue;
    if (name.starts_with(driver)) return {};
    drivers.push_back(driver);
  }
  const auto similar = similar_device(name, drivers);
  return fail(Errc::invalid,
              fmt::format("{}: this build does not contain the driver; {}",
                          shown,
                          similar.empty() ? "it has " + join(drivers, ", ")
                                          : fmt::format("did you mean '{}'?", similar)));
}

class DpdkEngine final : public Engine {
 public:
  Result<std::unique_ptr<Session>> open(const BenchPlan& plan) override {
    auto complete = complete_plan(plan);
    if (!complete) return tl::unexpected<Error>(complete.error());
    const auto engine = info();
    for (const auto& device : plan.vdevs) {
      if (auto ok = check_driver(device, engine); !ok) return tl::unexpected<Error>(ok.error());
    }
    BenchReport report;
    report.engine = kDpdkEngine.name;
    report.version = engine.version;
    return open_session(std::move(*complete), std::move(report), std::make_unique<DpdkPorts>());
  }
};

Result<std::unique_ptr<Engine>> make() {
  return std::make_unique<DpdkEngine>();
}

}  // namespace

}  // namespace dpdk

constinit const EngineRow kDpdkEngine = {
    .name = "dpdk",
    .mana_driver = "net_mana",
    .uses_hugepages = true,
    .takes_vdevs = true,
    .adapter_doorbell = "trap",
    .info = dpdk::info,
    .make = dpdk::make,
};

}  // namespace manactl::datapath
