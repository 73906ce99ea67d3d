// SPDX-License-Identifier: MIT

#include "cli/bench/traffic_text.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/options.h"
#include "report/figures.h"
#include "report/search_text.h"

namespace manactl::cli {
namespace {

using datapath::Rate;
using datapath::SizeShare;

constexpr std::size_t kMaxSizes = 8;
constexpr std::uint16_t kMinBytes = 64, kMaxBytes = 9018, kMaxShare = 100;
constexpr double kMaxRate = 1e12, kMinRate = 0.001;

Result<SizeShare> parse_size_share(std::string_view text) {
  const auto colon = text.find(':');
  const auto bytes = parse_count(text.substr(0, colon), kMinBytes, kMaxBytes);
  if (!bytes) {
    auto error = bytes.error();
    error.message += suggestion(text, {"imix"});
    return tl::unexpected<Error>(std::move(error));
  }
  SizeShare share{*bytes, 1};
  if (colon == std::string_view::npos) return share;
  const auto times = parse_count(text.substr(colon + 1), 1, kMaxShare);
  if (!times) return because(times.error(), "share");
  share.share = *times;
  return share;
}

std::optional<Rate> rate_of(std::string_view text) {
  struct Unit {
    std::string_view name;
    Rate::Unit unit;
  };

  constexpr Unit kUnits[] = {{"pps", Rate::Unit::packets},
                             {"bit/s", Rate::Unit::bits},
                             {"bps", Rate::Unit::bits},
                             {"bit", Rate::Unit::bits},
                             {"%", Rate::Unit::percent}};
  for (const auto& [name, unit] : kUnits) {
    if (!text.ends_with(name)) continue;
    text.remove_suffix(name.size());
    const bool is_percent = unit == Rate::Unit::percent;
    const auto value = is_percent ? parse_decimal(text) : parse_scaled(text);
    if (!value || !(*value >= kMinRate && *value <= (is_percent ? 100 : kMaxRate))) {
      return std::nullopt;
    }
    return Rate{unit, *value};
  }
  return std::nullopt;
}

constexpr double kMaxPercent = 50;
constexpr std::size_t kMaxGoals = 8;

Result<double> parse_goal(std::string_view text) {
  constexpr std::string_view kPdr = "pdr=";
  if (text == "ndr") return 0;
  if (text == "pdr") return datapath::kDefaultPdr;
  if (text.ends_with('%') && parse_decimal(text.substr(0, text.size() - 1))) {
    return fail(
        Errc::invalid,
        fmt::format("'{}' is neither ndr nor pdr=LOSS; did you mean 'pdr={}'?", text, text));
  }
  if (!text.starts_with(kPdr)) {
    return fail(Errc::invalid,
                fmt::format("'{}' is neither ndr nor pdr=LOSS{}",
                            printable(text),
                            suggestion(text, {"ndr", "pdr"})));
  }
  auto share = text.substr(kPdr.size());
  if (share.ends_with('%')) {
    share.remove_suffix(1);
    const auto percent = parse_decimal(share);
    if (percent && *percent > 0 && *percent <= kMaxPercent) return *percent / report::kPercent;
  }
  return fail(Errc::invalid,
              fmt::format("'{}' is not a loss above 0% and up to 50%, as in pdr=0.5%",
                          printable(text.substr(kPdr.size()))));
}

}  // namespace

Result<std::vector<SizeShare>> parse_sizes(std::string_view text) {
  if (text == "imix") return std::vector<SizeShare>{{64, 7}, {570, 4}, {1518, 1}};
  if (text.find('-', 1) != std::string_view::npos) {
    return fail(
        Errc::invalid,
        fmt::format("'{}' is not a list of sizes: use commas, as in 64,512,1518", printable(text)));
  }
  std::vector<SizeShare> sizes;
  for (const auto piece : split(text, ',')) {
    const auto share = parse_size_share(piece);
    if (!share) return tl::unexpected<Error>(share.error());
    const bool twice = std::any_of(
        sizes.begin(), sizes.end(), [&](const auto& other) { return other.bytes == share->bytes; });
    if (twice) return fail(Errc::invalid, fmt::format("size {} is given twice", share->bytes));
    sizes.push_back(*share);
  }
  if (sizes.size() <= kMaxSizes) return sizes;
  return fail(Errc::invalid,
              fmt::format("{} sizes are given, at most {} are allowed", sizes.size(), kMaxSizes));
}

Result<Rate> parse_rate(std::string_view text) {
  const auto word = lower(text.substr(0, 64));
  const auto rate = rate_of(text.size() == word.size() ? std::string_view(word) : "");
  if (rate) return *rate;
  return fail(Errc::invalid,
              fmt::format("'{}' is not a rate (examples: 1Mpps, 500kpps, 10Gbps, 2.5Gbit, 50%)",
                          printable(text)));
}

Result<std::vector<double>> parse_goals(std::string_view text) {
  std::vector<double> losses;
  for (const auto piece : split(text, ',')) {
    const auto loss = parse_goal(piece);
    if (!loss) return tl::unexpected<Error>(loss.error());
    if (std::find(losses.begin(), losses.end(), *loss) != losses.end()) {
      return fail(Errc::invalid, fmt::format("{} is given twice", report::goal_text(*loss)));
    }
    losses.push_back(*loss);
  }
  if (losses.size() <= kMaxGoals) return losses;
  return fail(Errc::invalid,
              fmt::format("{} goals are given, at most {} are allowed", losses.size(), kMaxGoals));
}

}  // namespace manactl::cli
