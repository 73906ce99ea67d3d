// SPDX-License-Identifier: MIT
//
// Replaces the DPDK engine on machines without Hyper-V. Its only port is a fake net_netvsc that
// counts packets per path: "--vdev net_netvsc0,vf=90,synthetic=10" sets the counts of every trial.

#include <charconv>

#include "datapath/engines.h"

namespace manactl::datapath {
namespace {

std::uint64_t number_after(std::string_view device, std::string_view key) {
  const auto at = device.find(key);
  std::uint64_t number = 0;
  if (at == std::string_view::npos) return number;
  device.remove_prefix(at + key.size());
  std::from_chars(device.data(), device.data() + device.size(), number);
  return number;
}

class NetvscSession final : public Session {
 public:
  explicit NetvscSession(const BenchPlan& plan) {
    const std::string_view device = plan.vdevs.front();
    packets_.tx = {number_after(device, ",vf="), number_after(device, ",synthetic=")};
    about_.engine = "dpdk";
    about_.version = kDpdkEngine.info().version;
    about_.ports.push_back({"net_netvsc0", "net_netvsc", "net_mana", {}, 0});
  }

  const BenchReport& about() const override { return about_; }

  Result<Trial> run(const TrialPlan& plan, std::stop_token, const Progress& progress) override {
    if (progress.started) progress.started();
    Interval interval;
    interval.total.seconds = plan.interval_seconds;
    interval.total.tx.packets = packets_.tx.vf + packets_.tx.synthetic;
    interval.queues = {interval.total};
    Trial trial;
    trial.plan = plan;
    trial.total = interval.total;
    trial.queues = interval.queues;
    trial.paths = {packets_};
    if (progress.interval) progress.interval(interval);
    trial.intervals.push_back(std::move(interval));
    return trial;
  }

 private:
  BenchReport about_;
  PathCounters packets_;
};

class NetvscEngine final : public Engine {
 public:
  Result<std::unique_ptr<Session>> open(const BenchPlan& plan) override {
    return std::make_unique<NetvscSession>(plan);
  }
};

}  // namespace

// Replaces the definition in the library, because the linker finds this definition first.
constinit const EngineRow kDpdkEngine = {
    .name = "dpdk",
    .mana_driver = "net_mana",
    .uses_hugepages = true,
    .takes_vdevs = true,
    .info = [] { return EngineInfo{"22.11", "off", {"net_netvsc"}}; },
    .make = []() -> Result<std::unique_ptr<Engine>> { return std::make_unique<NetvscEngine>(); },
};

}  // namespace manactl::datapath
