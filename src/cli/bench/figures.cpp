// SPDX-License-Identifier: MIT

#include "cli/bench/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "base/text.h"
#include "cli/bench/result.h"
#include "cli/bench/units.h"
#include "datapath/plan.h"

namespace manactl::cli {
namespace {

constexpr double kBillion = 1e9;
constexpr double kBitsPerByte = 8;

std::optional<double> share(std::uint64_t part, std::uint64_t of) {
  if (of == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(of);
}

// Of what a CPU that does not count answers 0.
std::optional<double> cost(std::uint64_t spent, std::uint64_t packets) {
  return spent == 0 ? std::nullopt : share(spent, packets);
}

}  // namespace

double per_second(const datapath::Count& count, double seconds) {
  return seconds > 0 ? static_cast<double>(count.packets) / seconds : 0;
}

double gbits(const datapath::Count& count, double seconds) {
  if (seconds <= 0) return 0;
  return static_cast<double>(count.bytes) * kBitsPerByte / seconds / kBillion;
}

std::string pps_text(double packets_per_second) {
  return quantity(packets_per_second, rate_unit(packets_per_second));
}

std::string throughput_text(double packets_per_second, const datapath::Count& counted) {
  const auto bytes = share(counted.bytes, counted.packets).value_or(0);
  const auto bits = packets_per_second * bytes * kBitsPerByte;
  return quantity(bits, bits_unit(bits));
}

std::string estimate_text(const datapath::Estimate& rate) {
  const auto unit = rate_unit(rate.median);
  auto text = quantity(rate.median, unit);
  if (rate.confidence) {
    text += fmt::format(" (95 %: {} to {})",
                        number_text(rate.confidence->low, unit),
                        number_text(rate.confidence->high, unit));
  }
  return text;
}

std::string away_text(const datapath::Servicing& servicing) {
  const auto rate = [](const std::optional<double>& value) {
    return value ? pps_text(*value) : "not known";
  };
  return fmt::format("{:.1f} s: before {}, meanwhile {}, after {}",
                     servicing.seconds,
                     rate(servicing.before),
                     rate(servicing.during),
                     rate(servicing.after));
}

std::string frames_text(const datapath::BenchPlan& plan) {
  constexpr std::uint16_t kOrdinary = 1518;  // a receiver takes these whatever was asked for
  if (datapath::makes_packets(plan.mode)) {
    return fmt::format("{}-byte frames", sizes_of(plan.traffic));
  }
  return fmt::format("frames up to {} bytes", std::max(kOrdinary, plan.traffic.largest()));
}

std::optional<double> frame_bytes(const datapath::BenchPlan& plan, const datapath::Sample& total) {
  if (datapath::makes_packets(plan.mode)) return plan.traffic.mean_bytes();
  return share(total.rx.bytes, total.rx.packets);
}

std::string time_text(double nanoseconds) {
  constexpr double kThousand = 1000;
  if (nanoseconds < kThousand) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < kMillion) return fmt::format("{:.1f} us", nanoseconds / kThousand);
  return fmt::format("{:.2f} ms", nanoseconds / kMillion);
}

void row(Screen& screen, std::string_view label, const std::string& value) {
  constexpr std::size_t kLongest = 4000;
  screen.stream() << fmt::format("  {:<20}", label) << printable(value, kLongest) << '\n';
}

Costs costs_of(datapath::Mode mode, const datapath::Sample& sample) {
  const auto& effort = sample.effort;
  const auto packets = datapath::headline(mode, sample).packets;
  const auto busy = effort.polls - std::min(effort.polls, effort.empty_polls);
  return {cost(effort.cycles, packets),
          cost(effort.instructions, packets),
          share(effort.empty_polls, effort.polls),
          share(effort.full_bursts, busy)};
}

std::string utc_text(double seconds_since_1970) {
  constexpr double kThousand = 1000;
  const auto all = static_cast<std::int64_t>(std::llround(seconds_since_1970 * kThousand));
  const auto now = static_cast<std::time_t>(all / 1000);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                     utc.tm_year + 1900,
                     utc.tm_mon + 1,
                     utc.tm_mday,
                     utc.tm_hour,
                     utc.tm_min,
                     utc.tm_sec,
                     all % 1000);
}

std::optional<double> utc_seconds(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  if (text.size() != kForm.size()) return std::nullopt;
  std::array<int, 7> numbers{};  // year to milliseconds
  std::size_t number = 0;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (digit != (kForm[i] == '0') || (!digit && text[i] != kForm[i])) return std::nullopt;
    if (digit) {
      numbers[number] = numbers[number] * 10 + (text[i] - '0');
    } else {
      ++number;
    }
  }
  std::tm utc{};
  utc.tm_year = numbers[0] - 1900;
  utc.tm_mon = numbers[1] - 1;
  utc.tm_mday = numbers[2];
  utc.tm_hour = numbers[3];
  utc.tm_min = numbers[4];
  utc.tm_sec = numbers[5];
  const auto seconds = static_cast<double>(timegm(&utc)) + numbers[6] / 1000.0;
  // timegm() makes the 1st of March of a 30th of February.
  return utc_text(seconds) == text ? std::optional(seconds) : std::nullopt;
}

}  // namespace manactl::cli
