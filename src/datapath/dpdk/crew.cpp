// SPDX-License-Identifier: MIT
#include "datapath/dpdk/crew.h"

#include <rte_launch.h>
#include <rte_lcore.h>

#include <algorithm>
#include <thread>

#include "datapath/drain.h"

namespace manactl::datapath::dpdk {

Crew::Crew(Mode mode,
           const Placement& placement,
           std::vector<Lane>& lanes,
           const std::vector<Port>& ports,
           DeviceWatch& watch)
    : mode_(mode),
      lanes_(lanes),
      ports_(ports),
      watch_(watch),
      workers_(placement.workers().size()) {
  const auto cpus = placement.workers();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto at = std::find(cpus.begin(), cpus.end(), placement.worker_cpus[i]) - cpus.begin();
    auto& worker = workers_[static_cast<std::size_t>(at)];
    worker.team = &team_;
    worker.lanes.push_back(&lanes[i]);
    team_.lanes.push_back(&lanes[i]);
  }
}

Crew::~Crew() {
  stop();
}

Result<> Crew::launch() {
  team_.phase.store(Phase::waiting, std::memory_order_release);
  for (auto& worker : workers_) {
    worker.done.store(false, std::memory_order_relaxed);
    worker.ready.store(false, std::memory_order_relaxed);
    const auto lcore = launched_ + 1;
    if (const int error = rte_eal_remote_launch(row_of(mode_).work, &worker, lcore); error != 0) {
      stop();
      return fail_errno(-error, "cannot start a worker");
    }
    launched_ = lcore;
  }
  for (const auto& worker : workers_) {
    while (!worker.ready.load(std::memory_order_acquire)) std::this_thread::yield();
  }
  team_.on_the_way = outstanding(team_.lanes);  // all have taken their leftovers
  return {};
}

void Crew::go() {
  team_.phase.store(Phase::running, std::memory_order_release);
}

void Crew::stop() {
  team_.phase.store(Phase::stopping, std::memory_order_release);
  for (; launched_ > 0; --launched_) {
    rte_eal_wait_lcore(launched_);
    while (!workers_[launched_ - 1].done.load(std::memory_order_acquire)) std::this_thread::yield();
  }
}

Interval Crew::read() const {
  Interval now;
  for (const auto& lane : lanes_) now.queues.push_back(lane.counters.read());
  if (mode_ == Mode::fwd) {
    // What a worker sent is told by the queue that it left by.
    std::vector<Count> sent(lanes_.size());
    for (std::size_t i = 0; i < lanes_.size(); ++i) sent[lanes_[i].out_lane] = now.queues[i].tx;
    for (std::size_t i = 0; i < lanes_.size(); ++i) now.queues[i].tx = sent[i];
  }
  // A thread with several queues worked for each as often as it looked there.
  for (const auto& worker : workers_) {
    const auto count = worker.instructions.read();
    if (count == 0) continue;
    double polls = 0;
    for (const auto* lane : worker.lanes) polls += static_cast<double>(lane->counters.polls());
    for (const auto* lane : worker.lanes) {
      auto& effort = now.queues[static_cast<std::size_t>(lane - lanes_.data())].effort;
      const auto share = polls > 0 ? static_cast<double>(effort.polls) / polls : 0;
      effort.instructions = static_cast<std::uint64_t>(static_cast<double>(count) * share);
    }
  }
  for (const auto& queue : now.queues) now.total += queue;
  for (const auto& port : ports_) {
    const auto count = port.count();
    if (!count) continue;
    if (sends(mode_)) now.total.tx.errors += count->tx.errors;
    if (!receives(mode_)) continue;
    now.total.rx.errors += count->rx.errors;
    now.total.rx.missed += count->rx_missed;
    now.total.rx.no_buffer += count->rx_no_buffer;
  }
  return now;
}

}  // namespace manactl::datapath::dpdk
