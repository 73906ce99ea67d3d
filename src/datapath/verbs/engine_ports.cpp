// SPDX-License-Identifier: MIT

#include "datapath/verbs/engine_ports.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <system_error>

namespace manactl::datapath::verbs {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kDrainTime = std::chrono::milliseconds(50);

int bind_to_cpu(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// Waits for completions of sent packets. The workers have ended, so this thread may read the rings.
void drain_sends(const std::vector<Lane*>& lanes) {
  const auto end = Clock::now() + kDrainTime;
  for (auto* lane : lanes) {
    if (lane->tx == nullptr) continue;
    auto& ring = *lane->tx;
    for (ring.reclaim(); ring.completed() != ring.head() && Clock::now() < end; ring.reclaim()) {
      std::this_thread::yield();
    }
    lane->counters.tx_errors.set(ring.errors());
  }
}

void note_overflow(const Lane& lane, std::size_t index, Trial& trial) {
  if (lane.tx == nullptr) return;
  const bool has_overflow = lane.tx->overflowed() || (lane.rx != nullptr && lane.rx->overflowed());
  if (!has_overflow) return;
  trial.notes.push_back(
      fmt::format("queue {}: completions were overwritten before they were read", index));
}

void remove_lanes(Port& port) {
  for (auto& lane : port.lanes()) {
    // A worker may have set `parked` again after the previous removal.
    lane.parked.store(false, std::memory_order_relaxed);
    lane.removed.store(true, std::memory_order_release);
  }
}

}  // namespace

Result<> VerbsPorts::open(const BenchPlan& plan, BenchReport& report) {
  plan_ = &plan;
  bursts_ = find_bursts(plan.mode);
  if (bursts_ == nullptr) {
    return fail(Errc::unsupported,
                fmt::format("engine verbs does not support mode {}", name_of(plan.mode)));
  }
  const bool is_shared = plan.traffic.flows == 1 && !measures_latency(plan.mode);
  report.template_mode = is_shared || !generates_packets(plan.mode) ? "shared" : "per-packet";
  for (const auto& nic : plan.nics) {
    auto port = Port::open(open_, plan, nic);
    if (!port) return tl::unexpected<Error>(port.error());
    const auto speed = (*port)->context()->link_mbps();
    report.ports.push_back({nic.pci.str(), "libmana", "", nic.mac, speed});
    ports_.push_back(std::move(*port));
  }
  for (const auto& port : ports_) {
    for (auto& lane : port->lanes()) {
      lane.out_lane = static_cast<std::uint32_t>(lanes_.size());
      lanes_.push_back(&lane);
    }
  }
  absent_.resize(ports_.size());
  return {};
}

std::vector<BaseLane*> VerbsPorts::lanes() {
  return {lanes_.begin(), lanes_.end()};
}

bool VerbsPorts::are_physical() const {
  return !is_simulated();
}

DrainLimits VerbsPorts::drain_limits() const {
  return is_simulated() ? kSoftwareDrainLimits : kDrainLimits;
}

Result<> VerbsPorts::start_worker(std::size_t index, Worker& worker) {
  while (threads_.size() <= index) threads_.emplace_back();
  try {
    threads_[index] = std::thread([&worker, work = bursts_->work] {
      if (const int number = bind_to_cpu(worker.cpu); number != 0) worker.error.store(number);
      work(worker);
    });
  } catch (const std::system_error& error) {
    return fail_errno(error.code().value(), "cannot start a worker");
  }
  return {};
}

void VerbsPorts::join_worker(std::size_t index, Worker& /*worker*/) {
  threads_[index].join();
}

std::vector<Event> VerbsPorts::take_events() {
  std::vector<Event> events;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto slot = plan_->nics[i].pci.str();
    if (absent_[i]) {
      if (!try_reopen(i)) continue;
      absent_[i] = false;
      events.push_back({0, slot, Event::Kind::returned});
    } else if (ports_[i]->context()->is_lost()) {
      absent_[i] = true;
      remove_lanes(*ports_[i]);
      events.push_back({0, slot, Event::Kind::removed});
    }
  }
  return events;
}

// Returns true if the device of the port has returned and its workers continue.
bool VerbsPorts::try_reopen(std::size_t port) {
  auto& lanes = ports_[port]->lanes();
  // A worker that has not parked its lane may still use the rings: try again later.
  for (const auto& lane : lanes) {
    if (!lane.parked.load(std::memory_order_acquire)) return false;
  }
  ports_[port]->close();
  if (!ports_[port]->reopen(open_, *plan_, plan_->nics[port])) return false;
  for (auto& lane : lanes) lane.resume();
  return true;
}

// Completed packets do not include those that failed. Direct verbs have no call for the number of
// packets that the device dropped.
std::vector<std::optional<PortCount>> VerbsPorts::finish(Trial& trial) {
  std::vector<std::uint64_t> errors_before;
  errors_before.reserve(lanes_.size());
  for (const auto* lane : lanes_) errors_before.push_back(lane->counters.tx_errors.get());
  drain_sends(lanes_);
  std::vector<std::optional<PortCount>> counts;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    auto& lane = *lanes_[i];
    auto& queue = trial.queues[i];
    const auto errors =
        queue.tx.errors.value_or(0) + lane.counters.tx_errors.get() - errors_before[i];
    queue.tx.errors = errors;
    if (i % plan_->queues == 0) counts.emplace_back(PortCount{{}, {}, std::nullopt, std::nullopt});
    auto& count = *counts.back();
    const auto in_ring = lane.tx != nullptr ? lane.tx->head() - lane.tx->completed() : 0;
    const auto pending = in_ring + std::exchange(lane.abandoned, 0);
    const auto completed =
        queue.tx.packets - std::min<std::uint64_t>(queue.tx.packets, pending + errors);
    count.tx.packets += completed;
    count.tx.errors += errors;
    count.tx.queue_packets.push_back(completed);
    count.rx.errors += queue.rx.errors.value_or(0);
    note_overflow(lane, i, trial);
  }
  return counts;
}

}  // namespace manactl::datapath::verbs
