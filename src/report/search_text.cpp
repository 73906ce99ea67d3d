// SPDX-License-Identifier: MIT

#include "report/search_text.h"

#include <algorithm>

#include "report/figures.h"

namespace manactl::report {
namespace {

// Returns why a search ended without a result.
std::string_view reason_of(datapath::GoalResult::End end) {
  switch (end) {
    case datapath::GoalResult::End::stopped:
      return "stopped";
    case datapath::GoalResult::End::inconclusive:
      return "too many trials gave no usable result";
    case datapath::GoalResult::End::limit:
      return "too many trials";
    case datapath::GoalResult::End::narrow:
    case datapath::GoalResult::End::above:
    case datapath::GoalResult::End::below:
      break;
  }
  return {};
}

}  // namespace

std::string goal_text(double loss) {
  return loss == 0 ? "ndr" : fmt::format("pdr={:.6g}%", loss * kPercent);
}

std::string found_text(const datapath::GoalResult& found) {
  const auto lower = pps_text(found.lower.value_or(0)), upper = pps_text(found.upper.value_or(0));
  switch (found.end) {
    case datapath::GoalResult::End::narrow:
      return fmt::format("{}; the loss exceeds the goal at {}", lower, upper);
    case datapath::GoalResult::End::above:
      return fmt::format("at least {}, the highest rate of the sender", lower);
    case datapath::GoalResult::End::below:
      return fmt::format("less than {}, the lowest rate of the search", upper);
    case datapath::GoalResult::End::stopped:
    case datapath::GoalResult::End::inconclusive:
    case datapath::GoalResult::End::limit:
      break;
  }
  const auto why = reason_of(found.end);
  if (found.lower && found.upper) {
    return fmt::format("not found, but between {} and {}: {}", lower, upper, why);
  }
  if (found.lower) return fmt::format("not found, but at least {}: {}", lower, why);
  if (found.upper) return fmt::format("not found, but less than {}: {}", upper, why);
  return fmt::format("not found: {}", why);
}

std::string probe_text(std::size_t number, const datapath::SearchProbe& probe) {
  const auto lost = probe.sent - std::min(probe.sent, probe.received);
  return fmt::format("trial {}: {} for {:.1f} s, {}",
                     number,
                     pps_text(probe.load()),
                     probe.seconds,
                     probe.valid ? "lost " + loss_text({lost, probe.loss()}) : "repeated");
}

}  // namespace manactl::report
