// SPDX-License-Identifier: MIT
#include "datapath/verbs/crew.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <system_error>

#include "datapath/drain.h"

namespace manactl::datapath::verbs {

namespace {

constexpr Patience kPatience{25'000'000, 45'000'000};  // nanoseconds; a stop is to take 100 ms

int pin(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

}  // namespace

Crew::Crew(Mode mode, const Placement& placement, const std::vector<std::unique_ptr<Port>>& ports)
    : burst_(burst_of(mode)), drain_(drain_of(mode)), ports_(ports), lost_(ports.size()) {
  for (const auto& port : ports) {
    for (auto& lane : port->lanes()) lanes_.push_back(&lane);
  }
  const auto cpus = placement.workers();
  workers_ = std::vector<Worker>(cpus.size());
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const auto at = std::find(cpus.begin(), cpus.end(), placement.worker_cpus[i]) - cpus.begin();
    auto& worker = workers_[static_cast<std::size_t>(at)];
    worker.cpu = placement.worker_cpus[i];
    worker.lanes.push_back(lanes_[i]);
  }
}

Crew::~Crew() {
  stop();
}

Result<> Crew::launch() {
  phase_.store(Phase::waiting);
  ready_.store(0);
  error_.store(0);
  try {
    for (auto& worker : workers_) worker.thread = std::thread([this, &worker] { work(worker); });
  } catch (const std::system_error& wrong) {
    stop();
    return fail_errno(wrong.code().value(), "cannot start a worker");
  }
  while (ready_.load(std::memory_order_acquire) < workers_.size()) std::this_thread::yield();
  on_the_way_ = outstanding(lanes_);
  if (const int number = error_.load(); number != 0) {
    stop();
    return fail_errno(number, "cannot bind a worker to its CPU");
  }
  return {};
}

void Crew::go() {
  phase_.store(Phase::running, std::memory_order_release);
}

void Crew::stop() {
  phase_.store(Phase::stopping, std::memory_order_release);
  for (auto& worker : workers_) {
    if (worker.thread.joinable()) worker.thread.join();
  }
}

// Nothing here allocates, locks, throws or logs once it runs.
void Crew::work(Worker& worker) {
  if (const int number = pin(worker.cpu); number != 0) error_.store(number);
  if (drain_ != nullptr) take_leftovers(worker.lanes, drain_);
  busy_.fetch_add(1, std::memory_order_relaxed);
  ready_.fetch_add(1, std::memory_order_release);
  while (phase_.load(std::memory_order_acquire) == Phase::waiting) std::this_thread::yield();
  auto before = cycles();
  for (auto* lane : worker.lanes) lane->pace.start(before);
  while (phase_.load(std::memory_order_relaxed) == Phase::running) {
    for (auto* lane : worker.lanes) {
      const auto moved = burst_(*lane, before);
      const auto now = cycles();
      if (moved != 0) lane->counters.cycles.add(now - before);
      before = now;
    }
  }
  busy_.fetch_sub(1, std::memory_order_release);
  if (drain_ != nullptr) take_late(worker);
}

// What the others send until they have heard of the stop may come back here.
void Crew::take_late(Worker& worker) const {
  // A completion is a sign of life, too: its packet may be on its way back.
  const auto take = [this](Lane& lane, std::uint64_t now) {
    const auto done = lane.tx->done();
    lane.tx->reclaim();
    return drain_(lane, now) + (lane.tx->done() - done);
  };
  drain(Late<Lane>{worker.lanes, lanes_, busy_, on_the_way_}, kPatience, request_time, take);
}

Interval Crew::read() const {
  Interval now;
  for (const auto* lane : lanes_) {
    auto sample = lane->counters.read();
    sample.tx.errors = lane->tx_errors.get();
    sample.rx.errors = lane->rx_errors.get();
    now.total += sample;
    now.queues.push_back(sample);
  }
  return now;
}

std::vector<Event> Crew::take_events() {
  std::vector<Event> events;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    auto& context = ports_[i]->context();
    if (lost_[i] || !context.lost()) continue;
    lost_[i] = true;
    events.push_back({0, context.place().slot, Event::Kind::removed});
  }
  return events;
}

}  // namespace manactl::datapath::verbs
