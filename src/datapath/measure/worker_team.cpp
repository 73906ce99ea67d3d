// SPDX-License-Identifier: MIT

#include "datapath/measure/worker_team.h"

#include <algorithm>
#include <thread>

namespace manactl::datapath {

WorkerTeam::WorkerTeam(Mode mode, const Placement& placement, EnginePorts& ports)
    : mode_(mode), ports_(ports) {
  team_.lanes = ports.lanes();
  team_.drain_limits = ports.drain_limits();
  const auto cpus = placement.workers();
  workers_ = std::vector<Worker>(cpus.size());
  lanes_of_worker_.resize(cpus.size());
  for (std::size_t i = 0; i < team_.lanes.size(); ++i) {
    const auto at = std::find(cpus.begin(), cpus.end(), placement.worker_cpus[i]) - cpus.begin();
    const auto index = static_cast<std::size_t>(at);
    auto& worker = workers_[index];
    worker.cpu = cpus[index];
    worker.team = &team_;
    worker.lanes.push_back(team_.lanes[i]);
    lanes_of_worker_[index].push_back(i);
  }
}

WorkerTeam::~WorkerTeam() {
  stop();
}

Result<> WorkerTeam::launch() {
  team_.phase.store(Phase::waiting, std::memory_order_release);
  for (auto& worker : workers_) {
    worker.error.store(0, std::memory_order_relaxed);
    worker.ready.store(false, std::memory_order_relaxed);
    worker.done.store(false, std::memory_order_relaxed);
    if (auto ok = ports_.start_worker(started_, worker); !ok) {
      stop();
      return ok;
    }
    ++started_;
  }
  for (const auto& worker : workers_) {
    while (!worker.ready.load(std::memory_order_acquire)) std::this_thread::yield();
  }
  for (const auto& worker : workers_) {
    const int number = worker.error.load(std::memory_order_relaxed);
    if (number == 0) continue;
    stop();
    return fail_errno(number, fmt::format("cannot run a worker on CPU {}", worker.cpu));
  }
  team_.lost_before = outstanding(team_.lanes);  // all workers have discarded late packets
  return {};
}

void WorkerTeam::go() {
  team_.phase.store(Phase::running, std::memory_order_release);
}

void WorkerTeam::end() {
  team_.phase.store(Phase::stopping, std::memory_order_release);
  while (team_.busy.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

void WorkerTeam::stop() {
  end();
  for (; started_ > 0; --started_) {
    auto& worker = workers_[started_ - 1];
    ports_.join_worker(started_ - 1, worker);
    while (!worker.done.load(std::memory_order_acquire)) std::this_thread::yield();
  }
}

Interval WorkerTeam::read() const {
  const auto& lanes = team_.lanes;
  Interval now;
  for (const auto* lane : lanes) now.queues.push_back(lane->counters.read());
  if (forwards(mode_)) {
    // Sent packets belong to the queue that sent them, not to the one that received them.
    std::vector<Count> sent(lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) sent[lanes[i]->out_lane] = now.queues[i].tx;
    for (std::size_t i = 0; i < lanes.size(); ++i) now.queues[i].tx = sent[i];
  }
  attribute_instructions(now.queues);
  for (const auto& queue : now.queues) now.total += queue;
  ports_.set_device_counts(now);
  return now;
}

bool WorkerTeam::all_devices_absent() const {
  return std::none_of(
      team_.lanes.begin(), team_.lanes.end(), [](const BaseLane* lane) { return lane->in_use(); });
}

// A thread with several queues divides its instructions among them by their polls.
void WorkerTeam::attribute_instructions(std::vector<Sample>& queues) const {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const auto count = ports_.instructions(i);
    if (!count) continue;
    double polls = 0;
    for (const auto lane : lanes_of_worker_[i]) {
      polls += static_cast<double>(queues[lane].effort.polls);
    }
    for (const auto lane : lanes_of_worker_[i]) {
      auto& effort = queues[lane].effort;
      const auto share = polls > 0 ? static_cast<double>(effort.polls) / polls : 0;
      effort.instructions = static_cast<std::uint64_t>(static_cast<double>(*count) * share);
    }
  }
}

}  // namespace manactl::datapath
