// SPDX-License-Identifier: MIT
#include "datapath/trials.h"

namespace manactl::datapath {

Result<BenchReport> run(Engine& engine,
                        const BenchPlan& plan,
                        const std::stop_token& stop,
                        const Progress& progress) {
  const auto session = engine.open(plan);
  if (!session) return tl::unexpected<Error>(session.error());
  auto trial = (*session)->run(plan.trial, stop, progress);
  if (!trial) return tl::unexpected<Error>(trial.error());
  auto report = (*session)->about();
  report.trials.push_back(std::move(*trial));
  return report;
}

}  // namespace manactl::datapath
