// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.h"
#include "datapath/bench.h"
#include "datapath/dpdk/eal.h"
#include "datapath/dpdk/session.h"
#include "datapath/plan.h"

namespace manactl::datapath {

namespace dpdk {

namespace {

Result<BenchPlan> with_cpus(BenchPlan plan) {
  const auto allowed = allowed_cpus();
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  if (plan.cpus.cpus.empty()) plan.cpus = *allowed;
  // EAL ends the process when it cannot pin a thread, so it must not come to that.
  for (const auto cpu : plan.cpus.cpus) {
    if (std::find(allowed->cpus.begin(), allowed->cpus.end(), cpu) == allowed->cpus.end()) {
      return fail(Errc::invalid,
                  fmt::format("--cpus {}: this process may run on {}", cpu, allowed->str()));
    }
  }
  return plan;
}

// EAL would say the same in five lines.
Result<> check_driver(const std::string& device, const EngineInfo& info) {
  const auto name = std::string_view(device).substr(0, device.find(','));
  if (PciAddress::parse(name)) {
    const auto& drivers = info.drivers;
    if (std::find(drivers.begin(), drivers.end(), "net_mana") != drivers.end()) return {};
    return fail(Errc::unsupported,
                fmt::format("--vdev '{}': DPDK {} inside this manactl has no net_mana to drive it",
                            printable(name, 80),
                            info.version));
  }
  std::vector<std::string> devices;
  for (const auto& driver : info.drivers) {
    if (!driver.starts_with("net_")) continue;
    if (name.starts_with(driver)) return {};
    devices.push_back(driver);
  }
  return fail(Errc::invalid,
              fmt::format("--vdev '{}': no such driver in this build, it has {}",
                          printable(name, 80),
                          join(devices, ", ")));
}

class DpdkEngine final : public Engine {
 public:
  Result<std::unique_ptr<Session>> open(const BenchPlan& asked) override {
    if (auto ok = validate(asked); !ok) return tl::unexpected<Error>(ok.error());
    const auto info = engine_info();
    for (const auto& device : asked.vdevs) {
      if (auto ok = check_driver(device, info); !ok) return tl::unexpected<Error>(ok.error());
    }
    auto plan = with_cpus(asked);
    if (!plan) return tl::unexpected<Error>(plan.error());
    return DpdkSession::open(std::move(*plan));
  }
};

}  // namespace

}  // namespace dpdk

Result<std::unique_ptr<Engine>> make_engine() {
  return std::make_unique<dpdk::DpdkEngine>();
}

}  // namespace manactl::datapath
