// SPDX-License-Identifier: MIT
#include "datapath/dpdk/crew.h"

#include <rte_launch.h>
#include <rte_lcore.h>

#include <algorithm>
#include <thread>

namespace manactl::datapath::dpdk {

Crew::Crew(Mode mode,
           const Placement& placement,
           std::vector<Lane>& lanes,
           const std::vector<Port>& ports)
    : mode_(mode), lanes_(lanes), ports_(ports), workers_(placement.workers().size()) {
  const auto cpus = placement.workers();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto at = std::find(cpus.begin(), cpus.end(), placement.worker_cpus[i]) - cpus.begin();
    auto& worker = workers_[static_cast<std::size_t>(at)];
    worker.phase = &phase_;
    worker.lanes.push_back(&lanes[i]);
  }
}

Crew::~Crew() {
  stop();
}

Result<> Crew::launch() {
  phase_.store(Phase::waiting, std::memory_order_release);
  for (auto& worker : workers_) {
    worker.done.store(false, std::memory_order_relaxed);
    const auto lcore = launched_ + 1;
    if (const int error = rte_eal_remote_launch(work_of(mode_), &worker, lcore); error != 0) {
      stop();
      return fail_errno(-error, "cannot start a worker");
    }
    launched_ = lcore;
  }
  return {};
}

void Crew::go() {
  phase_.store(Phase::running, std::memory_order_release);
}

void Crew::stop() {
  phase_.store(Phase::stopping, std::memory_order_release);
  for (; launched_ > 0; --launched_) {
    rte_eal_wait_lcore(launched_);
    while (!workers_[launched_ - 1].done.load(std::memory_order_acquire)) std::this_thread::yield();
  }
}

Interval Crew::read() const {
  Interval now;
  for (const auto& lane : lanes_) {
    now.queues.push_back(lane.counters.read());
    now.total += now.queues.back();
  }
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
