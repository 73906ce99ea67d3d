// SPDX-License-Identifier: MIT
//
// An engine in place of DPDK, for machines without Hyper-V: its one port is a net_netvsc that says
// by which way packets went. "--vdev net_netvsc0,vf=90,synthetic=10" are packets of every trial.

#include <charconv>

#include "datapath/bench.h"

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
    ways_.tx = {number_after(device, ",vf="), number_after(device, ",synthetic=")};
    about_.engine = "dpdk";
    about_.version = engine_info().version;
    about_.ports.push_back({"net_netvsc0", "net_netvsc", "net_mana", {}, 0});
  }

  const BenchReport& about() const override { return about_; }

  Result<Trial> run(const TrialPlan& plan, std::stop_token, const Progress& progress) override {
    if (progress.started) progress.started();
    Interval interval;
    interval.total.seconds = plan.interval_seconds;
    interval.total.tx.packets = ways_.tx.vf + ways_.tx.synthetic;
    interval.queues = {interval.total};
    Trial trial;
    trial.plan = plan;
    trial.total = interval.total;
    trial.queues = interval.queues;
    trial.paths = {ways_};
    if (progress.interval) progress.interval(interval);
    trial.intervals.push_back(std::move(interval));
    return trial;
  }

 private:
  BenchReport about_;
  PathCount ways_;
};

class NetvscEngine final : public Engine {
 public:
  Result<std::unique_ptr<Session>> open(const BenchPlan& plan) override {
    return std::make_unique<NetvscSession>(plan);
  }
};

}  // namespace

EngineInfo engine_info() {
  return {"22.11", "off", {"net_netvsc"}};
}

Result<std::unique_ptr<Engine>> make_engine() {
  return std::make_unique<NetvscEngine>();
}

}  // namespace manactl::datapath
