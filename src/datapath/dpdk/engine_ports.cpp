// SPDX-License-Identifier: MIT

#include "datapath/dpdk/engine_ports.h"

#include <rte_launch.h>

#include <algorithm>

#include "base/text.h"
#include "datapath/engines.h"
#include "datapath/traffic/traffic.h"

namespace manactl::datapath::dpdk {

namespace {

// If `error` reports a lack of memory, adds the amount that the run needs.
Error with_need(const BenchPlan& plan, Error error) {
  if (plan.hugepages && error.code == Errc::unsupported) {
    error.message +=
        fmt::format("; the run needs {} of hugepages", human_bytes(pool_size(plan).bytes));
  }
  return error;
}

// The port that sends what `port` receives. Like testpmd, pairs port 0 with 1, 2 with 3, and so on,
// and a remaining port with itself.
std::size_t partner_of(std::size_t port, std::size_t ports) {
  const auto partner = port ^ 1U;
  return partner < ports ? partner : port;
}

// Returns whether packets are written once or for each burst.
std::string_view template_mode(const BenchPlan& plan) {
  const auto& traffic = plan.traffic;
  const bool is_shared =
      traffic.sizes.size() == 1 && traffic.flows == 1 && !measures_latency(plan.mode);
  return is_shared || !generates_packets(plan.mode) ? "shared" : "per-packet";
}

void copy_device_counts(const Sample& from, Sample& to) {
  to.tx.errors = from.tx.errors;
  to.rx.errors = from.rx.errors;
  to.rx.missed = from.rx.missed;
  to.rx.no_buffer = from.rx.no_buffer;
}

// Returns true if the driver counted much less than the workers received. A driver may count
// packets as received before mark() that a worker polls after it, but not most of them.
bool was_reset(const PortCount& count, std::uint64_t received) {
  return count.rx.packets < received / 2;
}

}  // namespace

Result<> DpdkPorts::open(const BenchPlan& plan, BenchReport& report) {
  plan_ = &plan;
  bursts_ = find_bursts(plan.mode);
  if (bursts_ == nullptr) {
    return fail(Errc::unsupported,
                fmt::format("engine dpdk does not support mode {}", name_of(plan.mode)));
  }
  report.eal_arguments = eal_arguments(plan);
  auto eal = Eal::start(report.eal_arguments);
  if (!eal) return because(with_need(plan, eal.error()), "DPDK did not start");
  eal_.emplace(std::move(*eal));
  auto found = find_ports(plan);
  if (!found) return tl::unexpected<Error>(found.error());
  ports_ = std::move(*found);
  pools_.resize(ports_.size());
  for (unsigned port = 0; port < ports_.size(); ++port) {
    if (auto ok = start_port(port); !ok) return ok;
  }
  make_lanes();
  if (auto ok = make_packets(); !ok) return ok;
  watcher_.emplace(plan.mode, lanes_, ports_);
  report.template_mode = template_mode(plan);
  for (const auto& port : ports_) report.ports.push_back(port.report());
  return {};
}

Result<> DpdkPorts::start_port(unsigned number) {
  auto& port = ports_[number];
  auto& pools = pools_[number];
  std::vector<rte_mempool*> receive;
  if (datapath::generates_packets(plan_->mode)) {
    auto ring = make_ring_pool(*plan_, number, port.node());
    if (!ring) return tl::unexpected<Error>(with_need(*plan_, ring.error()));
    pools.ring = std::move(*ring);
  }
  for (unsigned queue = 0; queue < plan_->queues; ++queue) {
    auto pool = make_queue_pool(*plan_, number, queue, port.node());
    if (!pool) return tl::unexpected<Error>(with_need(*plan_, pool.error()));
    receive.push_back(pools.ring ? pools.ring.get() : pool->get());
    pools.queues.push_back(std::move(*pool));
  }
  return port.start(*plan_, receive);
}

void DpdkPorts::make_lanes() {
  const std::size_t queues = plan_->queues;
  lanes_ = std::vector<Lane>(ports_.size() * queues);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const auto port = i / queues;
    const auto out = partner_of(port, ports_.size());
    auto& lane = lanes_[i];
    lane.port = ports_[port].id();
    lane.queue = static_cast<std::uint16_t>(i % queues);
    lane.out_port = ports_[out].id();
    lane.out_lane = static_cast<std::uint32_t>(out * queues + lane.queue);
    lane.burst = plan_->burst;
    lane.pool = pools_[port].queues[lane.queue].get();
  }
}

Result<> DpdkPorts::make_packets() {
  if (bursts_->prepare == nullptr) return {};
  const auto first_nic = ports_.size() - plan_->nics.size();  // ports of --vdev come first
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const auto port = i / plan_->queues;
    const auto ip = port < first_nic ? std::nullopt : plan_->nics[port - first_nic].ip;
    const auto mac = ports_[port].mac().value_or(MacAddress{});
    const auto flow = flow_of(*plan_, mac, ip, lanes_[i].queue);
    if (auto ok = bursts_->prepare(*plan_, flow, lanes_[i]); !ok) return ok;
  }
  return {};
}

std::vector<BaseLane*> DpdkPorts::lanes() {
  std::vector<BaseLane*> lanes;
  lanes.reserve(lanes_.size());
  for (auto& lane : lanes_) lanes.push_back(&lane);
  return lanes;
}

bool DpdkPorts::are_physical() const {
  return std::any_of(
      ports_.begin(), ports_.end(), [](const Port& port) { return port.is_physical(); });
}

DrainLimits DpdkPorts::drain_limits() const {
  return is_simulated() ? kSoftwareDrainLimits : kDrainLimits;
}

int DpdkPorts::run_thread(void* thread) {
  auto& self = *static_cast<Thread*>(thread);
  self.instructions.count_this_thread();
  self.work(*self.worker);
  return 0;
}

Result<> DpdkPorts::start_worker(std::size_t index, Worker& worker) {
  while (threads_.size() <= index) threads_.emplace_back();
  auto& thread = threads_[index];
  thread.work = bursts_->work;
  thread.worker = &worker;
  const auto lcore = static_cast<unsigned>(index) + 1;  // see Placement::workers()
  const int error = rte_eal_remote_launch(run_thread, &thread, lcore);
  if (error != 0) return fail_errno(-error, "cannot start a worker");
  return {};
}

void DpdkPorts::join_worker(std::size_t index, Worker& /*worker*/) {
  rte_eal_wait_lcore(static_cast<unsigned>(index) + 1);
}

ReportedCount DpdkPorts::instructions(std::size_t index) const {
  return index < threads_.size() ? threads_[index].instructions.read() : ReportedCount();
}

void DpdkPorts::begin_trial() {
  for (auto& port : ports_) port.mark();
}

// Drivers count losses and errors per port. If there is a single queue, all are its own.
void DpdkPorts::set_device_counts(Interval& now) const {
  const std::size_t queues = plan_->queues;
  Sample counts;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Sample port;
    datapath::set_device_counts(plan_->mode, ports_[i].count(), port);
    for (std::size_t queue = i * queues; queue < (i + 1) * queues; ++queue) {
      auto& sample = now.queues[queue];
      datapath::set_device_counts(plan_->mode, std::nullopt, sample);
      if (queues == 1) copy_device_counts(port, sample);
    }
    counts += port;
  }
  copy_device_counts(counts, now.total);
}

// Reads the device counters only after the queues have drained.
std::vector<std::optional<PortCount>> DpdkPorts::finish(Trial& trial) {
  const std::size_t queues = plan_->queues;
  std::vector<std::uint64_t> posted(ports_.size()), received(ports_.size());
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    posted[i / queues] += trial.queues[i].tx.packets;
    received[i / queues] += trial.queues[i].rx.packets;
  }
  std::vector<std::optional<PortCount>> counts;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const bool is_present = lanes_[i * queues].in_use();
    if (sends(plan_->mode) && is_present) ports_[i].drain(plan_->queues, posted[i]);
    counts.push_back(ports_[i].count());
    if (counts.back()) counts.back()->is_reset = was_reset(*counts.back(), received[i]);
    trial.paths.push_back(ports_[i].path_counters());
  }
  return counts;
}

}  // namespace manactl::datapath::dpdk
