// SPDX-License-Identifier: MIT
#include "datapath/verbs/engine.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "datapath/engines.h"
#include "datapath/notes.h"
#include "datapath/settle.h"
#include "datapath/verbs/crew.h"

namespace manactl::datapath {

namespace verbs {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::milliseconds(50);  // of a drain; a stop is to take 100

Result<CpuList> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return fail_errno(errno, "cannot ask which CPUs may be used");
  }
  CpuList list;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) list.cpus.push_back(cpu);
  }
  return list;
}

Result<BenchPlan> with_cpus(BenchPlan plan) {
  const auto allowed = allowed_cpus();
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  if (plan.cpus.cpus.empty()) plan.cpus = *allowed;
  for (const auto cpu : plan.cpus.cpus) {
    if (std::find(allowed->cpus.begin(), allowed->cpus.end(), cpu) != allowed->cpus.end()) continue;
    return fail(Errc::invalid,
                fmt::format("--cpus {}: this process may run on {}", cpu, allowed->str()));
  }
  return plan;
}

struct Instant {
  Clock::time_point time;
  std::uint64_t ticks = 0;
};

// Both clocks at once: a thread that is interrupted between them tries again.
Instant instant() {
  constexpr int kTries = 8;
  Instant best;
  auto least = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const auto before = cycles();
    const auto time = Clock::now();
    const auto took = cycles() - before;
    if (took >= least) continue;
    least = took;
    best = {time, before};
  }
  return best;
}

// Ticks of cycles() in a second.
double tick_rate() {
  constexpr auto kWhile = std::chrono::milliseconds(20);
  const auto start = instant();
  std::this_thread::sleep_for(kWhile);
  const auto end = instant();
  const std::chrono::duration<double> seconds = end.time - start.time;
  return static_cast<double>(end.ticks - start.ticks) / seconds.count();
}

class VerbsSession final : public Session {
 public:
  static Result<std::unique_ptr<Session>> open(const OpenPort& open,
                                               BenchPlan plan,
                                               std::string version) {
    std::unique_ptr<VerbsSession> session(new VerbsSession(std::move(plan)));
    session->about_.version = std::move(version);
    if (auto ok = session->start(open); !ok) return tl::unexpected<Error>(ok.error());
    return session;
  }

  const BenchReport& about() const override { return about_; }

  Result<Trial> run(const TrialPlan& plan,
                    std::stop_token stop,
                    const Progress& progress) override {
    if (auto ok = set_pace(plan); !ok) return tl::unexpected<Error>(ok.error());
    if (auto ok = crew_->launch(); !ok) return tl::unexpected<Error>(ok.error());
    if (plan_.mode == Mode::rtt) begin_requests(requests_, ++run_);
    auto trial = measure(plan, *crew_, stop, progress);
    finish(trial);
    return trial;
  }

 private:
  explicit VerbsSession(BenchPlan plan) : plan_(std::move(plan)) {}

  Result<> start(const OpenPort& open) {
    about_.engine = "verbs";
    const bool shared = plan_.traffic.flows == 1 && plan_.mode != Mode::rtt;
    about_.template_mode = shared || !makes_packets(plan_.mode) ? "shared" : "per-packet";
    for (const auto& nic : plan_.nics) {
      auto port = Port::open(open, plan_, nic);
      if (!port) return tl::unexpected<Error>(port.error());
      const auto speed = (*port)->context().link_mbps();
      about_.ports.push_back({nic.pci.str(), "libmana", "", nic.mac, speed});
      ports_.push_back(std::move(*port));
    }
    const auto placement = place(plan_);
    if (placement.shared) about_.notes.push_back(placement.note());
    if (receives(plan_.mode)) {
      about_.notes.emplace_back(
          "direct verbs do not tell which packets were dropped for want of a buffer");
    }
    auto notes = traffic_notes(plan_, !verbs::is_simulated());
    about_.notes.insert(about_.notes.end(), notes.begin(), notes.end());
    crew_.emplace(plan_.mode, placement, ports_);
    if (plan_.mode != Mode::rtt) return {};
    for (const auto* lane : crew_->lanes()) requests_.push_back(lane->requests.get());
    connect_requests(requests_);
    return {};
  }

  Result<> set_pace(const TrialPlan& plan) {
    if (plan.rate && ticks_ == 0) ticks_ = tick_rate();
    const auto& lanes = crew_->lanes();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const auto pace = pace_of(plan_, plan, about_.ports[i / plan_.queues], ticks_);
      if (!pace) return tl::unexpected<Error>(pace.error());
      lanes[i]->pace = *pace;
    }
    return {};
  }

  // The workers are gone: this thread may read the rings.
  static void drain(const std::vector<Lane*>& lanes) {
    const auto end = Clock::now() + kPatience;
    for (auto* lane : lanes) {
      auto& ring = *lane->tx;
      for (ring.reclaim(); ring.done() != ring.head() && Clock::now() < end; ring.reclaim()) {
        std::this_thread::yield();
      }
      lane->tx_errors.set(ring.errors());
    }
  }

  // What the device has completed, without what failed.
  void finish(Trial& trial) {
    const auto& lanes = crew_->lanes();
    std::vector<std::uint64_t> errors;
    errors.reserve(lanes.size());
    for (const auto* lane : lanes) errors.push_back(lane->tx_errors.get());
    drain(lanes);
    std::vector<std::optional<PortCount>> counts;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      auto& queue = trial.queues[i];
      // Those that failed while it was drained are of this trial, too.
      queue.tx.errors += lanes[i]->tx_errors.get() - errors[i];
      if (i % plan_.queues == 0) counts.emplace_back(PortCount{});
      auto& count = *counts.back();
      const auto waiting = lanes[i]->tx->head() - lanes[i]->tx->done();
      const auto completed =
          queue.tx.packets - std::min<std::uint64_t>(queue.tx.packets, waiting + queue.tx.errors);
      count.tx.packets += completed;
      count.tx.errors += queue.tx.errors;
      count.tx.queue_packets.push_back(completed);
      count.rx.errors += queue.rx.errors;
      note_broken(*lanes[i], i, trial);
    }
    settle(plan_.mode, plan_.queues, counts, trial);
    if (plan_.mode == Mode::rtt) collect_answers(requests_, trial);
    const auto notes = count_notes(plan_, about_.ports, trial);
    trial.notes.insert(trial.notes.end(), notes.begin(), notes.end());
  }

  static void note_broken(const Lane& lane, std::size_t index, Trial& trial) {
    const bool broken = lane.tx->broken() || (lane.rx != nullptr && lane.rx->broken());
    if (!broken) return;
    trial.notes.push_back(
        fmt::format("queue {}: completions were overwritten before they were read", index));
  }

  BenchPlan plan_;
  BenchReport about_;
  double ticks_ = 0;
  std::vector<std::unique_ptr<Port>> ports_;
  std::optional<Crew> crew_;
  AllRequests requests_;  // of mode rtt
  // Of the trial, for its requests; another program's trials have other numbers, most likely.
  std::uint16_t run_ = static_cast<std::uint16_t>(cycles());
};

Result<> check_plan(const BenchPlan& plan) {
  if (auto ok = validate(plan); !ok) return ok;
  if (!plan.vdevs.empty() || plan.nics.empty()) {
    return fail(Errc::invalid, "--engine verbs measures MANA only: name an interface, not --vdev");
  }
  if ((plan.queues & (plan.queues - 1U)) != 0) {
    return fail(Errc::invalid,
                fmt::format("--queues {}: MANA takes powers of two (1, 2, 4 to 64)", plan.queues));
  }
  return {};
}

class VerbsEngine final : public Engine {
 public:
  VerbsEngine(OpenPort open, std::string version)
      : open_(std::move(open)), version_(std::move(version)) {}

  Result<std::unique_ptr<Session>> open(const BenchPlan& asked) override {
    if (auto ok = check_plan(asked); !ok) return tl::unexpected<Error>(ok.error());
    auto plan = with_cpus(asked);
    if (!plan) return tl::unexpected<Error>(plan.error());
    return VerbsSession::open(open_, std::move(*plan), version_);
  }

 private:
  OpenPort open_;
  std::string version_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(OpenPort open, std::string version) {
  return std::make_unique<VerbsEngine>(std::move(open), std::move(version));
}

}  // namespace verbs

bool has_verbs_engine() {
  return true;
}

bool is_simulated() {
  return verbs::is_simulated();
}

Result<std::unique_ptr<Engine>> make_verbs_engine() {
  const auto library = verbs::load_library();
  if (!library) return tl::unexpected<Error>(library.error());
  auto version = verbs::version_of(*library);
  return verbs::make_engine(
      [library = *library](const Nic& nic) {
        return verbs::Context::open(library, nic.pci, nic.mac);
      },
      std::move(version));
}

}  // namespace manactl::datapath
