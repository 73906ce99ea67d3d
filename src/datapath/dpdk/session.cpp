// SPDX-License-Identifier: MIT
#include "datapath/dpdk/session.h"

#include <algorithm>

#include "base/text.h"
#include "datapath/notes.h"
#include "datapath/settle.h"
#include "datapath/traffic.h"

namespace manactl::datapath::dpdk {

namespace {

// Shortage of memory is said with the number that would do.
Error with_need(const BenchPlan& plan, Error error) {
  if (plan.hugepages && error.code == Errc::unsupported) {
    error.message += fmt::format(", the run needs {} = {} pages of 2 MiB",
                                 human_bytes(pool_size(plan).bytes),
                                 pages_needed(plan, 2048));
  }
  return error;
}

// As testpmd pairs ports: 0 with 1, 2 with 3, and one that is left over with itself.
std::size_t partner_of(std::size_t port, std::size_t ports) {
  const auto partner = port ^ 1U;
  return partner < ports ? partner : port;
}

}  // namespace

Result<std::unique_ptr<Session>> DpdkSession::open(BenchPlan plan) {
  std::unique_ptr<DpdkSession> session(new DpdkSession(std::move(plan)));
  if (auto ok = session->start(); !ok) return tl::unexpected<Error>(ok.error());
  return session;
}

Result<> DpdkSession::start() {
  about_.engine = "dpdk";
  about_.version = engine_info().version;
  about_.eal_arguments = eal_arguments(plan_);
  auto eal = Eal::start(about_.eal_arguments);
  if (!eal) return because(with_need(plan_, eal.error()), "DPDK did not start");
  eal_.emplace(std::move(*eal));
  auto found = Port::find(plan_);
  if (!found) return tl::unexpected<Error>(found.error());
  ports_ = std::move(*found);
  pools_.resize(ports_.size());
  for (unsigned port = 0; port < ports_.size(); ++port) {
    if (auto ok = start_port(port); !ok) return ok;
  }
  placement_ = place(plan_);
  make_lanes();
  if (auto ok = make_packets(); !ok) return ok;
  watch_.emplace(plan_.mode, lanes_, ports_);
  crew_.emplace(plan_.mode, placement_, lanes_, ports_, *watch_);
  describe();
  return {};
}

Result<> DpdkSession::start_port(unsigned number) {
  auto& port = ports_[number];
  auto& pools = pools_[number];
  std::vector<rte_mempool*> receive;
  if (datapath::makes_packets(plan_.mode)) {
    auto ring = make_ring_pool(plan_, number, port.node());
    if (!ring) return tl::unexpected<Error>(with_need(plan_, ring.error()));
    pools.ring = std::move(*ring);
  }
  for (unsigned queue = 0; queue < plan_.queues; ++queue) {
    auto pool = make_queue_pool(plan_, number, queue, port.node());
    if (!pool) return tl::unexpected<Error>(with_need(plan_, pool.error()));
    receive.push_back(pools.ring ? pools.ring.get() : pool->get());
    pools.queues.push_back(std::move(*pool));
  }
  return port.start(plan_, receive);
}

void DpdkSession::make_lanes() {
  lanes_ = std::vector<Lane>(ports_.size() * plan_.queues);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const auto port = i / plan_.queues;
    auto& lane = lanes_[i];
    lane.port = ports_[port].id();
    const auto out = partner_of(port, ports_.size());
    lane.queue = static_cast<std::uint16_t>(i % plan_.queues);
    lane.out_port = ports_[out].id();
    lane.out_lane = static_cast<std::uint32_t>(out * plan_.queues + lane.queue);
    lane.burst = plan_.burst;
    lane.pool = pools_[port].queues[lane.queue].get();
  }
}

std::optional<Ipv4Address> DpdkSession::own_address(unsigned port) const {
  // Ports of NICs follow those of --vdev.
  const auto first = ports_.size() - plan_.nics.size();
  return port < first ? std::nullopt : plan_.nics[port - first].ip;
}

Flow DpdkSession::flow_of(unsigned port, unsigned queue) const {
  const auto& traffic = plan_.traffic;
  Flow flow;
  // Azure drops what does not come from the NIC's own addresses.
  flow.source = ports_[port].mac().value_or(MacAddress{});
  flow.destination = traffic.destination;
  if (const auto own = own_address(port)) flow.source_ip = *own;
  if (traffic.source_ip) flow.source_ip = *traffic.source_ip;
  if (traffic.peer_ip) flow.destination_ip = *traffic.peer_ip;
  flow.source_port = source_ports(queue, plan_.queues, traffic.flows).first;
  return flow;
}

Result<> DpdkSession::make_packets() {
  const auto begin = row_of(plan_.mode).begin;
  if (begin == nullptr) return {};
  for (unsigned i = 0; i < lanes_.size(); ++i) {
    const auto flow = flow_of(i / plan_.queues, lanes_[i].queue);
    if (auto ok = begin(plan_, flow, lanes_[i]); !ok) return ok;
  }
  if (plan_.mode != Mode::rtt) return {};
  for (auto& lane : lanes_) requests_.push_back(lane.requests.get());
  connect_requests(requests_);
  return {};
}

void DpdkSession::describe() {
  const auto& traffic = plan_.traffic;
  const bool shared = traffic.sizes.size() == 1 && traffic.flows == 1 && plan_.mode != Mode::rtt;
  about_.template_mode = shared || !datapath::makes_packets(plan_.mode) ? "shared" : "per-packet";
  bool physical = false;
  for (const auto& port : ports_) {
    about_.ports.push_back(port.report());
    physical = physical || port.is_physical();
  }
  if (placement_.shared) about_.notes.push_back(placement_.note());
  auto notes = traffic_notes(plan_, physical);
  about_.notes.insert(about_.notes.end(), notes.begin(), notes.end());
}

Result<> DpdkSession::set_pace(const TrialPlan& plan) {
  const auto ticks = ticks_.per_second();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const auto pace = pace_of(plan_, plan, about_.ports[i / plan_.queues], ticks);
    if (!pace) return tl::unexpected<Error>(pace.error());
    lanes_[i].pace = *pace;
  }
  return {};
}

std::uint64_t DpdkSession::dry_bursts() const {
  std::uint64_t sum = 0;
  for (const auto& lane : lanes_) sum += lane.counters.dry.get();
  return sum;
}

Result<Trial> DpdkSession::run(const TrialPlan& plan,
                               std::stop_token stop,
                               const Progress& progress) {
  if (auto ok = set_pace(plan); !ok) return tl::unexpected<Error>(ok.error());
  if (auto ok = crew_->launch(); !ok) return tl::unexpected<Error>(ok.error());
  if (plan_.mode == Mode::rtt) begin_requests(requests_, ++run_);
  for (auto& port : ports_) port.mark();
  const auto dry_before = dry_bursts();
  auto trial = measure(plan, *crew_, stop, progress);
  finish(trial, dry_bursts() - dry_before);
  return trial;
}

// The device's word is heard when everything has reached it.
void DpdkSession::finish(Trial& trial, std::uint64_t dry) {
  std::vector<std::uint64_t> handed(ports_.size());
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    handed[i / plan_.queues] += trial.queues[i].tx.packets;
  }
  std::vector<std::optional<PortCount>> counts;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const bool there = lanes_[i * plan_.queues].in_use();
    if (sends(plan_.mode) && there) ports_[i].drain(plan_.queues, handed[i]);
    counts.push_back(ports_[i].count());
    trial.paths.push_back(ports_[i].ways());
  }
  settle(plan_.mode, plan_.queues, counts, trial);
  if (plan_.mode == Mode::rtt) collect_answers(requests_, trial);
  const auto notes = count_notes(plan_, about_.ports, trial);
  trial.notes.insert(trial.notes.end(), notes.begin(), notes.end());
  if (dry > 0) {
    trial.notes.push_back(
        fmt::format("{} bursts found no packets: the device keeps more than its descriptors", dry));
  }
}

}  // namespace manactl::datapath::dpdk
