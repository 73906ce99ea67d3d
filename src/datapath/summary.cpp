// SPDX-License-Identifier: MIT
#include "datapath/summary.h"

#include <fmt/format.h>

#include <span>

namespace manactl::datapath {

namespace {

constexpr std::size_t kFewest = 3;  // intervals that stay when both ends are cut
constexpr double kStolen = 0.01;    // a hundredth of the CPUs is more than steal's own rounding
constexpr double kPercent = 100;

// Without the intervals that began before the warm-up was over, and those before the first packet.
std::span<const Sample> after_warmup(std::span<const Sample> samples, double warmup_seconds) {
  double began = 0;
  while (!samples.empty() && (began < warmup_seconds || samples.front().packets == 0)) {
    began += samples.front().seconds;
    samples = samples.subspan(1);
  }
  return samples;
}

}  // namespace

Summary summarize(const std::vector<Sample>& samples,
                  double warmup_seconds,
                  const Disturbance& disturbance) {
  auto steady = after_warmup(samples, warmup_seconds);
  if (steady.size() >= kFewest + 2) steady = steady.subspan(1, steady.size() - 2);
  Summary summary;
  for (const auto& sample : steady) {
    if (sample.seconds > 0) {
      summary.rates.push_back(static_cast<double>(sample.packets) / sample.seconds);
    }
  }
  summary.left_out = samples.size() - summary.rates.size();
  summary.rate = estimate(summary.rates);
  if (summary.rate.variation > kNoisy) {
    summary.why.push_back(fmt::format("the rate varies by {:.1f} % from interval to interval",
                                      summary.rate.variation * kPercent));
  }
  if (disturbance.stolen > kStolen) {
    summary.why.push_back(fmt::format("the hypervisor gave {:.1f} % of the CPUs' time to others",
                                      disturbance.stolen * kPercent));
  }
  return summary;
}

}  // namespace manactl::datapath
