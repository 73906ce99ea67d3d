// SPDX-License-Identifier: MIT

#include "datapath/measure/session.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "datapath/analysis/notes.h"
#include "datapath/analysis/outages.h"
#include "datapath/measure/worker_team.h"
#include "datapath/traffic/traffic.h"

namespace manactl::datapath {

namespace {

Result<CpuList> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return fail_errno(errno, "cannot read the CPUs of this process");
  }
  CpuList list;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) list.cpus.push_back(cpu);
  }
  return list;
}

void append(std::vector<std::string>& notes, std::vector<std::string> more) {
  for (auto& note : more) notes.push_back(std::move(note));
}

class EngineSession final : public Session {
 public:
  EngineSession(BenchPlan plan, BenchReport report, std::unique_ptr<EnginePorts> ports)
      : plan_(std::move(plan)), report_(std::move(report)), ports_(std::move(ports)) {}

  Result<> open() {
    if (auto ok = ports_->open(plan_, report_); !ok) return ok;
    const auto placement = place(plan_);
    team_.emplace(plan_.mode, placement, *ports_);
    if (placement.shared) report_.notes.push_back(placement.note());
    append(report_.notes, traffic_notes(plan_, ports_->are_physical()));
    for (const auto* lane : team_->lanes()) {
      if (lane->requests) requests_.push_back(lane->requests.get());
    }
    link_lanes(requests_);
    return {};
  }

  const BenchReport& about() const override { return report_; }

  Result<Trial> run(const TrialPlan& plan,
                    std::stop_token stop,
                    const Progress& progress) override {
    if (auto ok = set_pace(plan); !ok) return tl::unexpected<Error>(ok.error());
    if (auto ok = team_->launch(); !ok) return tl::unexpected<Error>(ok.error());
    begin_requests(requests_, ++run_);
    ports_->begin_trial();
    const auto empty_before = empty_pools();
    auto trial = measure(plan, *team_, stop, progress);
    const auto counts = ports_->finish(trial);
    settle(plan_.mode, plan_.queues, counts, trial);
    if (measures_latency(plan_.mode)) add_replies(requests_, trial);
    mark_outages(plan_.mode, trial);
    append(trial.notes, count_notes(plan_, report_.ports, trial));
    if (const auto empty = empty_pools() - empty_before; empty > 0) {
      trial.notes.push_back(empty_pool_note(plan_, report_.ports, empty));
    }
    return trial;
  }

 private:
  Result<> set_pace(const TrialPlan& plan) {
    const auto rate = plan.rate ? cycles_.per_second() : 0;
    const auto& lanes = team_->lanes();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const auto pace = pace_of(plan_, plan, report_.ports[i / plan_.queues], rate);
      if (!pace) return tl::unexpected<Error>(pace.error());
      lanes[i]->pace = *pace;
    }
    return {};
  }

  std::uint64_t empty_pools() const {
    std::uint64_t sum = 0;
    for (const auto* lane : team_->lanes()) sum += lane->counters.pool_empty.get();
    return sum;
  }

  BenchPlan plan_;
  BenchReport report_;
  CycleRate cycles_;
  std::unique_ptr<EnginePorts> ports_;
  std::optional<WorkerTeam> team_;
  AllRequests requests_;
  // Identifies the requests of a trial. Other programs are unlikely to start from the same number.
  std::uint16_t run_ = static_cast<std::uint16_t>(read_cycles());
};

}  // namespace

Result<BenchPlan> complete_plan(const BenchPlan& plan) {
  if (auto ok = validate(plan); !ok) return tl::unexpected<Error>(ok.error());
  const auto allowed = allowed_cpus();
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  auto complete = plan;
  auto& cpus = complete.cpus.cpus;
  if (cpus.empty()) cpus = allowed->cpus;
  for (const auto cpu : cpus) {
    if (std::find(allowed->cpus.begin(), allowed->cpus.end(), cpu) != allowed->cpus.end()) continue;
    return fail(Errc::invalid,
                fmt::format("{} {}: this process may only run on {}",
                            name_of(PlanField::cpus),
                            cpu,
                            allowed->str()));
  }
  return complete;
}

Result<std::unique_ptr<Session>> open_session(BenchPlan plan,
                                              BenchReport report,
                                              std::unique_ptr<EnginePorts> ports) {
  auto session =
      std::make_unique<EngineSession>(std::move(plan), std::move(report), std::move(ports));
  if (auto ok = session->open(); !ok) return tl::unexpected<Error>(ok.error());
  return session;
}

}  // namespace manactl::datapath
