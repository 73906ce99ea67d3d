// SPDX-License-Identifier: MIT

#include "cli/bench/find_text.h"

#include <algorithm>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/bench/figures.h"
#include "cli/options.h"

namespace manactl::cli {
namespace {

using datapath::Found;

constexpr double kUsualLoss = 0.005;  // what others call PDR without a number
constexpr double kMostPercent = 50;
constexpr std::size_t kMostGoals = 8;

Result<double> parse_goal(std::string_view text) {
  constexpr std::string_view kPdr = "pdr=";
  if (text == "ndr") return 0;
  if (text == "pdr") return kUsualLoss;
  if (!text.starts_with(kPdr)) {
    return fail(Errc::invalid,
                fmt::format("'{}' is neither ndr nor pdr=LOSS{}",
                            printable(text, 40),
                            suggestion(text, {"ndr", "pdr"})));
  }
  auto share = text.substr(kPdr.size());
  if (share.ends_with('%')) {
    share.remove_suffix(1);
    const auto percent = parse_decimal(share);
    if (percent && *percent > 0 && *percent <= kMostPercent) return *percent / kPercent;
  }
  return fail(Errc::invalid,
              fmt::format("'{}' is no loss: more than 0% and at most 50%, as in pdr=0.5%",
                          printable(text.substr(kPdr.size()), 40)));
}

// Why the search ended before the bounds were close.
std::string_view reason_of(Found::End end) {
  switch (end) {
    case Found::End::stopped:
      return "stopped";
    case Found::End::useless:
      return "trials could not be used";
    case Found::End::limit:
      return "too many trials";
    case Found::End::narrow:
    case Found::End::above:
    case Found::End::below:
      break;
  }
  return {};
}

}  // namespace

Result<std::vector<double>> parse_goals(std::string_view text) {
  std::vector<double> losses;
  for (const auto piece : split(text, ',')) {
    const auto loss = parse_goal(piece);
    if (!loss) return tl::unexpected<Error>(loss.error());
    if (std::find(losses.begin(), losses.end(), *loss) != losses.end()) {
      return fail(Errc::invalid, fmt::format("{} is given twice", goal_text(*loss)));
    }
    losses.push_back(*loss);
  }
  if (losses.size() <= kMostGoals) return losses;
  return fail(Errc::invalid, fmt::format("{} goals: at most {}", losses.size(), kMostGoals));
}

std::string goal_text(double loss) {
  return loss == 0 ? "ndr" : fmt::format("pdr={:.6g}%", loss * kPercent);
}

std::string found_text(const Found& found) {
  const auto lower = pps_text(found.lower.value_or(0)), upper = pps_text(found.upper.value_or(0));
  switch (found.end) {
    case Found::End::narrow:
      return fmt::format("{}, more is lost from {} on", lower, upper);
    case Found::End::above:
      return fmt::format("at least {}, the most that could be sent", lower);
    case Found::End::below:
      return fmt::format("less than {}, the least that was tried", upper);
    case Found::End::stopped:
    case Found::End::useless:
    case Found::End::limit:
      break;
  }
  const auto why = reason_of(found.end);
  if (found.lower && found.upper) {
    return fmt::format("not found, between {} and {}: {}", lower, upper, why);
  }
  if (found.lower) return fmt::format("not found, perhaps {} or more: {}", lower, why);
  if (found.upper) return fmt::format("not found, less than {}: {}", upper, why);
  return fmt::format("not found: {}", why);
}

std::string probe_text(std::size_t number, const datapath::Probe& probe) {
  return fmt::format("trial {}: {} for {:.1f} s, {}",
                     number,
                     pps_text(probe.load()),
                     probe.seconds,
                     probe.valid ? fmt::format("{:.4g} % lost", probe.loss() * kPercent)
                                 : std::string("made again"));
}

}  // namespace manactl::cli
