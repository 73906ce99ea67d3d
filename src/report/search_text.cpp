// SPDX-License-Identifier: MIT

#include "report/search_text.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "datapath/analysis/statistics.h"
#include "report/figures.h"
#include "report/units.h"

namespace manactl::report {
namespace {

// Beyond this quotient, the ends of a range are printed in different units.
constexpr double kMaxDifference = 1000;

// The largest power of ten that does not exceed the value.
double magnitude(double value) {
  return value > 0 ? std::pow(10, std::floor(std::log10(value))) : 0;
}

// Returns why a search ended without a result.
std::string_view reason_of(datapath::GoalResult::End end) {
  switch (end) {
    case datapath::GoalResult::End::stopped:
      return "stopped";
    case datapath::GoalResult::End::inconclusive:
      return "too many trials gave no usable result";
    case datapath::GoalResult::End::limit:
      return "too many trials";
    case datapath::GoalResult::End::silent:
      return "no packet came back";
    case datapath::GoalResult::End::foreign:
      return "more packets came back than were counted as sent, so the loss is unknown";
    case datapath::GoalResult::End::constant:
      return "the loss is about the same at all rates";
    case datapath::GoalResult::End::below:
    case datapath::GoalResult::End::narrow:
    case datapath::GoalResult::End::above:
      break;
  }
  return {};
}

// Returns why a trial did not count. Of several trials in which the sender lagged, only the fastest
// one counts.
std::string_view repetition_reason(const datapath::SearchProbe& probe) {
  if (probe.hides_losses()) return "more packets came back than were sent";
  if (!probe.kept_up()) return "the sender was too slow";
  if (probe.disturbed && probe.loss() > 0) return "other programs took CPU time";
  return "a device was absent";
}

// Older documents have no range.
datapath::Bounds range_of(const datapath::GoalResult& found) {
  const auto lower = found.lower.value_or(0), upper = found.upper.value_or(lower);
  return {found.low.value_or(lower), found.high.value_or(upper)};
}

// Formats a rate in the unit and with the digits of the range. No figure exceeds what was measured.
std::string rate_in(const datapath::GoalResult& found, double rate) {
  const auto range = range_of(found);
  const auto unit = rate_unit(*found.lower);
  const auto step = step_of(range.low, range.high);
  return fmt::format("{} {}", floored_text(rate, unit, step), unit.name);
}

// The low end of a range, in the unit of the range. Keeps at least one digit, and gets a unit of
// its own if it would be 0.
std::string low_text(const datapath::Bounds& range, const Unit& unit) {
  const auto own_unit = rate_unit(range.low);
  if (own_unit.factor < unit.factor && range.low * kMaxDifference < range.high) {
    return fmt::format("{} {}", floored_text(range.low, own_unit, 0), own_unit.name);
  }
  return floored_text(
      range.low, unit, std::min(step_of(range.low, range.high), magnitude(range.low)));
}

// "7.81 to 7.85 Mpps"
std::string range_text(const datapath::GoalResult& found) {
  const auto range = range_of(found);
  const auto unit = rate_unit(*found.lower);
  return fmt::format("{} to {}", low_text(range, unit), rate_in(found, range.high));
}

// True if other searches may end at rates that differ by more than noise.
bool is_wide(const datapath::GoalResult& found) {
  const auto range = range_of(found);
  return range.high - range.low > datapath::kNoisy * range.high;
}

// A search that was limited by the sender. Documents without a range have a single rate.
std::string sender_text(const datapath::GoalResult& found) {
  const auto range = range_of(found);
  if (range.high > range.low) return range_text(found) + ", the highest rates of the sender";
  return fmt::format("at least {}, the highest rate of the sender", rate_in(found, range.low));
}

}  // namespace

std::string goal_text(double loss) {
  return loss == 0 ? "ndr" : fmt::format("pdr={:.6g}%", loss * kPercent);
}

std::string found_rate_text(const datapath::GoalResult& found) {
  if (!datapath::is_found(found)) return "not found";
  return is_wide(found) ? range_text(found) : rate_in(found, *found.lower);
}

std::string found_text(const datapath::GoalResult& found) {
  const auto* disturbed = found.disturbed ? "; other programs took CPU time" : "";
  const auto upper = pps_text(found.upper.value_or(0));
  switch (found.end) {
    case datapath::GoalResult::End::narrow:
      if (is_wide(found)) return range_text(found) + disturbed;
      return fmt::format("{} ({}){}", rate_in(found, *found.lower), range_text(found), disturbed);
    case datapath::GoalResult::End::above:
      return sender_text(found) + disturbed;
    case datapath::GoalResult::End::below:
      return fmt::format("not found: no rate met the goal, not even {}", upper);
    case datapath::GoalResult::End::silent:
    case datapath::GoalResult::End::foreign:
      return fmt::format("not found: {}", reason_of(found.end));
    case datapath::GoalResult::End::constant:
      return fmt::format(
          "not found: {}, even at {}, so a lower rate does not help", reason_of(found.end), upper);
    case datapath::GoalResult::End::stopped:
    case datapath::GoalResult::End::inconclusive:
    case datapath::GoalResult::End::limit:
      break;
  }
  const auto why = reason_of(found.end);
  if (found.lower && found.upper) {
    return fmt::format("not found, but {}: {}", range_text(found), why);
  }
  if (found.lower) {
    const auto rate = range_of(found).low;
    const auto unit = rate_unit(rate);
    const auto low = unit.factor < rate_unit(*found.lower).factor
                         ? fmt::format("{} {}", floored_text(rate, unit, 0), unit.name)
                         : rate_in(found, rate);
    return fmt::format("not found, but at least {}: {}", low, why);
  }
  if (found.upper) return fmt::format("not found, but less than {}: {}", upper, why);
  return fmt::format("not found: {}", why);
}

std::string goals_text(const datapath::SearchResult& search) {
  std::vector<std::string> goals;
  for (const auto& found : search.found) goals.push_back(goal_text(found.loss));
  return join(goals, ", ");
}

std::string search_text(const datapath::SearchResult& search) {
  std::vector<std::string> results;
  for (const auto& found : search.found) {
    results.push_back(fmt::format("{} {}", goal_text(found.loss), found_rate_text(found)));
  }
  return join(results, "; ");
}

std::string progress_text(std::size_t number,
                          const datapath::SearchProgress& progress,
                          const datapath::SearchProbe* last) {
  auto text =
      fmt::format("trial {}{}",
                  number,
                  std::isinf(progress.rate) ? std::string() : " at " + pps_text(progress.rate));
  if (last != nullptr) text += fmt::format("; {:.4g} % lost before", last->loss() * kPercent);
  const auto& [low, high] = std::pair(progress.lower, progress.upper);
  if (low && high) {
    const auto unit = rate_unit(*low);
    text += fmt::format("; {} {} to {} {}",
                        goal_text(progress.loss),
                        number_text(*low, unit),
                        number_text(*high, unit),
                        unit.name);
  } else if (low || high) {
    text += fmt::format(
        "; {} {} {}", goal_text(progress.loss), low ? ">" : "<", pps_text(low ? *low : *high));
  }
  return text + fmt::format("; {:.0f} s left", std::ceil(progress.seconds_left));
}

std::string probe_text(std::size_t number, const datapath::SearchProbe& probe) {
  const auto lost = probe.sent - std::min(probe.sent, probe.received);
  return fmt::format("trial {}: {} for {:.1f} s, {}",
                     number,
                     pps_text(probe.load()),
                     probe.seconds,
                     probe.valid ? "lost " + loss_text({lost, probe.loss()})
                                 : fmt::format("repeated: {}", repetition_reason(probe)));
}

}  // namespace manactl::report
