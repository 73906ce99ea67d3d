// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/text.h"
#include "datapath/bench.h"
#include "datapath/dpdk/eal.h"
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/pool.h"
#include "datapath/dpdk/port.h"
#include "datapath/dpdk/run.h"
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
  std::vector<std::uint8_t> frame(plan.frame_bytes - kFcsBytes);
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
    lanes[queue].pool = pools.queues[queue].get();
  }
  return lanes;
}

class DpdkEngine final : public Engine {
 public:
  Result<BenchReport> run(const BenchPlan& asked,
                          std::stop_token stop,
                          const Progress& progress) override {
    if (auto ok = validate(asked); !ok) return tl::unexpected<Error>(ok.error());
    if (auto ok = check_driver(asked); !ok) return tl::unexpected<Error>(ok.error());
    const auto plan = with_cpus(asked);
    if (!plan) return tl::unexpected<Error>(plan.error());

    BenchReport report;
    report.engine = "dpdk";
    report.version = engine_info().version;
    report.template_mode = "shared";
    report.eal_arguments = eal_arguments(*plan);
    const auto eal = Eal::start(report.eal_arguments);
    if (!eal) return because(with_need(*plan, eal.error()), "DPDK did not start");
    if (auto ok = run_started(*plan, stop, progress, report); !ok) {
      return tl::unexpected<Error>(ok.error());
    }
    return report;
  }

 private:
  // Owners are in the order in which DPDK wants them gone: the port before its pools.
  static Result<> run_started(const BenchPlan& plan,
                              const std::stop_token& stop,
                              const Progress& progress,
                              BenchReport& report) {
    auto found = Port::find(plan);
    if (!found) return tl::unexpected<Error>(found.error());
    const auto pools = make_pools(plan, *found);
    if (!pools) return tl::unexpected<Error>(with_need(plan, pools.error()));
    auto port = std::move(*found);
    report.driver = port.driver();
    if (auto ok = port.start(plan, receive_pools(*pools)); !ok) return ok;

    auto lanes = make_lanes(plan, port, *pools);
    const auto placement = place(plan);
    auto measured = measure(plan, placement, lanes, port, stop, progress);
    if (!measured) return tl::unexpected<Error>(measured.error());
    finish(plan, placement, port, std::move(*measured), report);
    return {};
  }

  static void finish(const BenchPlan& plan,
                     const Placement& placement,
                     const Port& port,
                     Measured measured,
                     BenchReport& report) {
    if (plan.mode == Mode::tx) {
      std::uint64_t handed = 0;
      for (const auto& queue : measured.queues) handed += queue.packets;
      port.drain(plan.queues, handed);
    }
    auto settled = settle(plan, std::move(measured.queues), port.count(plan.mode));
    report.samples = std::move(measured.samples);
    report.queues = std::move(settled.queues);
    report.total = settled.total;
    report.cycles_per_packet = measured.cycles_per_packet;
    report.interrupted = measured.interrupted;
    report.notes = std::move(settled.notes);
    if (placement.shared) report.notes.push_back(placement.note());
    if (measured.dry > 0) {
      report.notes.push_back(fmt::format(
          "{} bursts found no packets: the device keeps more than its descriptors", measured.dry));
    }
    if (plan.mode == Mode::tx && plan.pci) {
      report.notes.emplace_back(
          "packets carry the source address 198.18.0.1, which Azure drops behind the device");
    }
  }
};

}  // namespace

}  // namespace dpdk

Result<std::unique_ptr<Engine>> make_engine() {
  return std::make_unique<dpdk::DpdkEngine>();
}

}  // namespace manactl::datapath
