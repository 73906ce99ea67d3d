// SPDX-License-Identifier: MIT

#include "report/figures.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

#include "base/text.h"
#include "datapath/plan/plan.h"
#include "report/result.h"

namespace manactl::report {
namespace {

constexpr double kBillion = 1e9;
constexpr double kBitsPerByte = 8;

std::optional<double> share(std::uint64_t part, std::uint64_t of) {
  if (of == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(of);
}

// Returns `spent` per packet; empty if it was not counted, for which older documents have 0.
std::optional<double> cost(const datapath::ReportedCount& spent, std::uint64_t packets) {
  return spent.value_or(0) == 0 ? std::nullopt : share(*spent, packets);
}

// "nothing moved after 1.2 s", "packets flowed in 12 % of the intervals"; empty if packets flowed
// in most intervals.
std::string pause_text(const BenchResult& result) {
  std::size_t all = 0, with_packets = 0;
  double now = 0, last = 0;  // seconds
  bool is_resumed = false;
  for (const auto& trial : result.report.trials) {
    for (const auto& interval : trial.intervals) {
      now += interval.total.seconds;
      ++all;
      if (datapath::headline(result.plan.mode, interval.total).packets == 0) continue;
      is_resumed = is_resumed || with_packets + 1 < all;
      ++with_packets;
      last = now;
    }
  }
  if (with_packets == all) return {};
  if (!is_resumed && result.report.trials.size() == 1) {
    return fmt::format("nothing moved after {:.1f} s", last);
  }
  if (2 * with_packets >= all) return {};
  return fmt::format("packets flowed in {:.0f} % of the intervals",
                     kPercent * static_cast<double>(with_packets) / static_cast<double>(all));
}

}  // namespace

double per_second(const datapath::Count& count, double seconds) {
  return seconds > 0 ? static_cast<double>(count.packets) / seconds : 0;
}

double gbits(const datapath::Count& count, double seconds) {
  if (seconds <= 0) return 0;
  return static_cast<double>(count.bytes) * kBitsPerByte / seconds / kBillion;
}

int digits_of(const datapath::Estimate& rate) {
  return rate.confidence ? kFullDigits : kFewDigits;
}

std::string pps_text(double packets_per_second, int digits) {
  return quantity(packets_per_second, rate_unit(rounded(packets_per_second, digits)), digits);
}

std::string median_text(const datapath::Estimate& rate) {
  return pps_text(rate.median, digits_of(rate));
}

std::string throughput_text(double packets_per_second, const datapath::Count& counted, int digits) {
  const auto bytes = share(counted.bytes, counted.packets).value_or(0);
  const auto bits = packets_per_second * bytes * kBitsPerByte;
  return quantity(bits, bits_unit(rounded(bits, digits)), digits);
}

std::string estimate_text(const datapath::Estimate& rate) {
  auto text = median_text(rate);
  if (rate.confidence) {
    const auto unit = rate_unit(rate.median);
    text += fmt::format(" (95 % CI: {} to {} {})",
                        number_text(rate.confidence->low, unit),
                        number_text(rate.confidence->high, unit),
                        unit.name);
  }
  return text;
}

std::string servicing_text(const datapath::Servicing& servicing) {
  std::vector<std::string> rates;
  for (const auto& [name, rate] : {std::pair("before", servicing.before),
                                   std::pair("during", servicing.during),
                                   std::pair("after", servicing.after)}) {
    if (rate) rates.push_back(fmt::format("{}: {}", name, pps_text(*rate)));
  }
  return fmt::format("{:.2f} s{}",
                     servicing.seconds,
                     rates.empty() ? "" : fmt::format(" (rate {})", join(rates, ", ")));
}

std::string queues_text(unsigned queues) {
  return fmt::format("{} {}", queues, queues == 1 ? "queue" : "queues");
}

std::string frames_text(const datapath::BenchPlan& plan, const datapath::Sample& total) {
  if (datapath::generates_packets(plan.mode)) {
    const auto sizes = sizes_of(plan.traffic);
    return plan.traffic.sizes.size() == 1 ? sizes + "-byte frames"
                                          : "frames of " + sizes + " bytes";
  }
  if (const auto mean = frame_bytes(plan, total)) {
    return fmt::format("frames of {:.4g} bytes on average", *mean);
  }
  return fmt::format("frames up to {} bytes",
                     std::max(datapath::kMaxStandardFrame, plan.traffic.largest()));
}

std::optional<double> frame_bytes(const datapath::BenchPlan& plan, const datapath::Sample& total) {
  if (datapath::generates_packets(plan.mode)) return plan.traffic.mean_bytes();
  return share(total.rx.bytes, total.rx.packets);
}

std::string time_text(double nanoseconds) {
  constexpr double kMicrosecond = 1e3, kMillisecond = 1e6;
  if (nanoseconds < kMicrosecond) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < kMillisecond) return fmt::format("{:.1f} \u00b5s", nanoseconds / kMicrosecond);
  return fmt::format("{:.2f} ms", nanoseconds / kMillisecond);
}

std::optional<Loss> loss_of(datapath::Mode mode, const datapath::Sample& total) {
  if (!datapath::sends(mode) || !datapath::receives(mode)) return std::nullopt;
  const bool forwards = datapath::forwards(mode);
  const auto from = forwards ? total.rx.packets : total.tx.packets;
  const auto to = forwards ? total.tx.packets : total.rx.packets;
  if (to > from || from == 0) return std::nullopt;
  return Loss{from - to, share(from - to, from).value_or(0)};
}

std::string loss_text(const Loss& loss) {
  constexpr double kSmallest = 0.001;
  const auto percent = loss.share * kPercent;
  const bool is_tiny = loss.packets > 0 && percent < kSmallest;
  return fmt::format(
      "{} {} ({} %)",
      manactl::grouped(loss.packets),
      loss.packets == 1 ? "packet" : "packets",
      is_tiny ? fmt::format("less than {}", kSmallest) : fmt::format("{:.3g}", percent));
}

std::string counts_text(std::initializer_list<NamedCount> counts) {
  std::vector<std::string> known;
  std::vector<std::string> unknown;
  for (const auto& [count, name] : counts) {
    if (count) known.push_back(fmt::format("{} {}", manactl::grouped(*count), name));
    if (!count) unknown.emplace_back(name);
  }
  if (unknown.empty()) return join(known, ", ");
  const auto missing = "not reported: " + join(unknown, ", ");
  return known.empty() ? missing : fmt::format("{} ({})", join(known, ", "), missing);
}

Costs costs_of(datapath::Mode mode, const datapath::Sample& sample) {
  const auto& effort = sample.effort;
  const auto packets = datapath::headline(mode, sample).packets;
  const auto busy = effort.polls - std::min(effort.polls, effort.empty_polls);
  return {cost(effort.cycles, packets),
          cost(effort.instructions, packets),
          datapath::receives(mode) ? share(effort.empty_polls, effort.polls) : std::nullopt,
          share(effort.full_bursts, busy)};
}

std::string utc_text(double seconds_since_1970) {
  const auto milliseconds = std::llround(seconds_since_1970 * 1000);
  const std::time_t seconds = milliseconds / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  const auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  return fmt::format("{}.{:03}Z", std::string_view(text.data(), size), milliseconds % 1000);
}

std::optional<double> utc_seconds(std::string_view text) {
  const std::string copy(text);
  std::tm utc{};
  const char* fraction = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S.", &utc);
  if (fraction == nullptr) return std::nullopt;
  unsigned milliseconds = 0;
  std::from_chars(fraction, copy.data() + copy.size(), milliseconds);
  const auto seconds = static_cast<double>(timegm(&utc)) + milliseconds / 1000.0;
  // Compare the text, because timegm() normalizes February 30 and strptime() accepts other forms.
  return utc_text(seconds) == text ? std::optional(seconds) : std::nullopt;
}

std::string why_no_rate(const BenchResult& result) {
  if (moved_nothing(result)) {
    const auto total = datapath::headline(result.plan.mode, total_of(result.report));
    return fmt::format("all {} packets had errors", manactl::grouped(total.errors.value_or(0)));
  }
  const auto pause = pause_text(result);
  return pause.empty() ? fmt::format("no interval was steady ({})", kMoreIntervals) : pause;
}

}  // namespace manactl::report
