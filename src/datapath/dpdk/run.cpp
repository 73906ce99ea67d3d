// SPDX-License-Identifier: MIT
#include "datapath/dpdk/run.h"

#include <rte_launch.h>
#include <rte_lcore.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "datapath/frame.h"

namespace manactl::datapath::dpdk {

namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
using Seconds = std::chrono::duration<double>;

// How long a stop may go unnoticed; a hundred wake-ups a second cost nothing.
constexpr auto kNap = std::chrono::milliseconds(10);

std::uint64_t get(const std::atomic<std::uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

Sample read(const BenchPlan& plan, const Lane& lane) {
  Sample sample;
  sample.packets = get(lane.counters.packets);
  sample.bytes = plan.mode == Mode::tx ? sample.packets * plan.frame_bytes
                                       : get(lane.counters.bytes) + sample.packets * kFcsBytes;
  sample.missed = get(lane.counters.missed);
  return sample;
}

// All that happened since the start, as far as it is known while it happens.
Sample read_all(const BenchPlan& plan, const std::vector<Lane>& lanes, const Port& port) {
  Sample all;
  for (const auto& lane : lanes) {
    const auto one = read(plan, lane);
    all.packets += one.packets;
    all.bytes += one.bytes;
    all.missed += one.missed;
  }
  if (const auto count = port.count(plan.mode)) {
    all.errors = count->errors;
    if (plan.mode == Mode::rx) all.missed = count->missed;
  }
  return all;
}

// The threads of a run. They are stopped and waited for whatever happens to the main thread.
class Crew {
 public:
  Crew(const Placement& placement, std::vector<Lane>& lanes)
      : workers_(placement.workers().size()) {
    const auto cpus = placement.workers();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const auto at = std::find(cpus.begin(), cpus.end(), placement.worker_cpus[i]) - cpus.begin();
      auto& worker = workers_[static_cast<std::size_t>(at)];
      worker.phase = &phase_;
      worker.lanes.push_back(&lanes[i]);
    }
  }

  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  ~Crew() { stop(); }

  Result<> launch(Mode mode) {
    for (auto& worker : workers_) {
      const auto lcore = launched_ + 1;
      if (const int error = rte_eal_remote_launch(work_of(mode), &worker, lcore); error != 0) {
        return fail_errno(-error, "cannot start a worker");
      }
      launched_ = lcore;
    }
    return {};
  }

  void go() { phase_.store(Phase::running, std::memory_order_release); }

  void stop() {
    phase_.store(Phase::stopping, std::memory_order_release);
    for (; launched_ > 0; --launched_) {
      rte_eal_wait_lcore(launched_);
      while (!workers_[launched_ - 1].done.load(std::memory_order_acquire))
        std::this_thread::yield();
    }
  }

 private:
  alignas(kOwnLines) std::atomic<Phase> phase_ = Phase::waiting;
  std::vector<Worker> workers_;
  unsigned launched_ = 0;
};

// Turns running totals into samples of intervals.
class Series {
 public:
  Series(Clock::time_point start, const std::function<void(const Sample&)>& tell)
      : last_time_(start), tell_(tell) {}

  void add(Clock::time_point now, const Sample& all) {
    Sample sample;
    sample.seconds = Seconds(now - last_time_).count();
    sample.packets = all.packets - last_.packets;
    sample.bytes = all.bytes - last_.bytes;
    sample.missed = all.missed - std::min(last_.missed, all.missed);
    sample.errors = all.errors - std::min(last_.errors, all.errors);
    last_ = all;
    last_time_ = now;
    samples_.push_back(sample);
    if (tell_) tell_(sample);
  }

  std::vector<Sample> take() { return std::move(samples_); }

 private:
  Clock::time_point last_time_;
  Sample last_;
  std::vector<Sample> samples_;
  const std::function<void(const Sample&)>& tell_;
};

Clock::time_point after(Clock::time_point start, double seconds) {
  return start + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

// False when a stop was asked before the time came.
bool sleep_until(Clock::time_point time, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto now = Clock::now();
    if (now >= time) return true;
    std::this_thread::sleep_for(std::min<Clock::duration>(time - now, kNap));
  }
  return false;
}

}  // namespace

Result<Measured> measure(const BenchPlan& plan,
                         const Placement& placement,
                         std::vector<Lane>& lanes,
                         const Port& port,
                         const std::stop_token& stop,
                         const Progress& progress) {
  Measured measured;
  Crew crew(placement, lanes);
  if (auto ok = crew.launch(plan.mode); !ok) return tl::unexpected<Error>(ok.error());

  if (progress.started) progress.started();
  const auto start = Clock::now();
  crew.go();
  const auto end = after(start, plan.seconds);
  Series series(start, progress.interval);
  for (double time = plan.interval_seconds;; time += plan.interval_seconds) {
    const auto until = std::min(end, after(start, time));
    measured.interrupted = !sleep_until(until, stop);
    series.add(Clock::now(), read_all(plan, lanes, port));
    if (measured.interrupted || until == end) break;
  }
  crew.stop();
  const auto seconds = Seconds(Clock::now() - start).count();

  std::uint64_t busy = 0, packets = 0;
  for (const auto& lane : lanes) {
    auto sample = read(plan, lane);
    sample.seconds = seconds;
    measured.queues.push_back(sample);
    measured.dry += get(lane.counters.dry);
    busy += get(lane.counters.busy);
    packets += sample.packets;
  }
  if (packets > 0) {
    measured.cycles_per_packet = static_cast<double>(busy) / static_cast<double>(packets);
  }
  measured.samples = series.take();
  return measured;
}

}  // namespace manactl::datapath::dpdk
