// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "datapath/bench.h"
#include "datapath/dpdk/crew.h"
#include "datapath/dpdk/eal.h"
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/pool.h"
#include "datapath/dpdk/port.h"
#include "datapath/frame.h"
#include "datapath/plan.h"
#include "datapath/settle.h"

namespace manactl::datapath {

namespace dpdk {

namespace {

struct Pools {
  std::vector<Pool> queues;  // tx: finished packets; rx: what the queue receives into
  Pool ring;                 // tx only
};

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
Result<> check_driver(const BenchPlan& plan) {
  const auto info = engine_info();
  if (plan.vdevs.empty()) return {};
  const auto name = std::string_view(plan.vdevs.front()).substr(0, plan.vdevs.front().find(','));
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

// Shortage of memory is said with the number that would do.
Error with_need(const BenchPlan& plan, Error error) {
  if (plan.hugepages && error.code == Errc::unsupported) {
    error.message += fmt::format(", the run needs {} = {} pages of 2 MiB",
                                 human_bytes(pool_size(plan).bytes),
                                 pages_needed(plan, 2048));
  }
  return error;
}

Result<Pools> make_pools(const BenchPlan& plan, const Port& port) {
  Pools pools;
  for (unsigned queue = 0; queue < plan.queues; ++queue) {
    auto pool = make_queue_pool(plan, queue, port.node());
    if (!pool) return tl::unexpected<Error>(pool.error());
    pools.queues.push_back(std::move(*pool));
  }
  if (plan.mode == Mode::rx) return pools;

  const auto mac = port.mac();
  if (!mac) return tl::unexpected<Error>(mac.error());
  std::vector<std::uint8_t> frame(plan.traffic.largest() - kFcsBytes);
  for (std::size_t queue = 0; queue < pools.queues.size(); ++queue) {
    Flow flow;
    flow.source = *mac;
    flow.source_port = static_cast<std::uint16_t>(kFirstSourcePort + queue);
    write_frame(flow, frame);
    finish_packets(*pools.queues[queue], frame);
  }
  auto ring = make_ring_pool(plan, port.node());
  if (!ring) return tl::unexpected<Error>(ring.error());
  pools.ring = std::move(*ring);
  return pools;
}

std::vector<rte_mempool*> receive_pools(const Pools& pools) {
  std::vector<rte_mempool*> receive;
  for (const auto& pool : pools.queues)
    receive.push_back(pools.ring ? pools.ring.get() : pool.get());
  return receive;
}

std::vector<Lane> make_lanes(const BenchPlan& plan, const Port& port, const Pools& pools) {
  std::vector<Lane> lanes(plan.queues);
  for (std::uint16_t queue = 0; queue < plan.queues; ++queue) {
    lanes[queue].port = port.id();
    lanes[queue].queue = queue;
    lanes[queue].burst = plan.burst;
    lanes[queue].frame_bytes = static_cast<std::uint16_t>(plan.traffic.largest() - kFcsBytes);
    lanes[queue].pool = pools.queues[queue].get();
  }
  return lanes;
}

// Owners are in the order in which DPDK wants them gone: the ports before their pools.
class DpdkSession final : public Session {
 public:
  static Result<std::unique_ptr<Session>> open(BenchPlan plan) {
    std::unique_ptr<DpdkSession> session(new DpdkSession(std::move(plan)));
    if (auto ok = session->start(); !ok) return tl::unexpected<Error>(ok.error());
    return session;
  }

  const BenchReport& about() const override { return about_; }

  Result<Trial> run(const TrialPlan& plan,
                    std::stop_token stop,
                    const Progress& progress) override {
    const auto dry = [this] {
      return std::accumulate(lanes_.begin(), lanes_.end(), std::uint64_t{0}, [](auto sum, auto& l) {
        return sum + l.counters.dry.get();
      });
    };
    if (auto ok = crew_->launch(); !ok) return tl::unexpected<Error>(ok.error());
    for (auto& port : ports_) port.mark();
    const auto dry_before = dry();
    auto trial = measure(plan, *crew_, stop, progress);
    finish(trial, dry() - dry_before);
    return trial;
  }

 private:
  explicit DpdkSession(BenchPlan plan) : plan_(std::move(plan)) {}

  Result<> start() {
    about_.engine = "dpdk";
    about_.version = engine_info().version;
    about_.template_mode = "shared";
    about_.eal_arguments = eal_arguments(plan_);
    auto eal = Eal::start(about_.eal_arguments);
    if (!eal) return because(with_need(plan_, eal.error()), "DPDK did not start");
    eal_.emplace(std::move(*eal));
    auto found = Port::find(plan_);
    if (!found) return tl::unexpected<Error>(found.error());
    auto& port = found->front();
    auto pools = make_pools(plan_, port);
    if (!pools) return tl::unexpected<Error>(with_need(plan_, pools.error()));
    pools_ = std::move(*pools);
    ports_ = std::move(*found);
    if (auto ok = ports_.front().start(plan_, receive_pools(pools_)); !ok) return ok;
    lanes_ = make_lanes(plan_, ports_.front(), pools_);
    const auto placement = place(plan_);
    crew_.emplace(plan_.mode, placement, lanes_, ports_);
    describe(placement);
    return {};
  }

  void describe(const Placement& placement) {
    for (const auto& port : ports_) {
      const auto mac = port.mac();
      about_.ports.push_back({port.driver(), port.driver(), "", mac.value_or(MacAddress{}), 0});
    }
    if (placement.shared) about_.notes.push_back(placement.note());
    if (plan_.mode == Mode::tx && !plan_.nics.empty()) {
      about_.notes.emplace_back(
          "packets carry the source address 198.18.0.1, which Azure drops behind the device");
    }
  }

  // The device's word is heard when everything has reached it.
  void finish(Trial& trial, std::uint64_t dry) {
    std::vector<std::optional<PortCount>> counts;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      std::uint64_t handed = 0;
      for (std::size_t queue = 0; queue < plan_.queues; ++queue) {
        handed += trial.queues[i * plan_.queues + queue].tx.packets;
      }
      if (sends(plan_.mode)) ports_[i].drain(plan_.queues, handed);
      counts.push_back(ports_[i].count());
    }
    settle(plan_.mode, plan_.queues, counts, trial);
    if (dry > 0) {
      trial.notes.push_back(fmt::format(
          "{} bursts found no packets: the device keeps more than its descriptors", dry));
    }
  }

  BenchPlan plan_;
  BenchReport about_;
  std::optional<Eal> eal_;
  Pools pools_;
  std::vector<Port> ports_;
  std::vector<Lane> lanes_;
  std::optional<Crew> crew_;
};

class DpdkEngine final : public Engine {
 public:
  Result<std::unique_ptr<Session>> open(const BenchPlan& asked) override {
    if (auto ok = validate(asked); !ok) return tl::unexpected<Error>(ok.error());
    if (auto ok = check_driver(asked); !ok) return tl::unexpected<Error>(ok.error());
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
