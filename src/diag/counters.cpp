// SPDX-License-Identifier: MIT

#include "diag/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace manactl::diag {
namespace {

std::size_t index_of(Counter counter) {
  return static_cast<std::size_t>(counter);
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::ranges::find(list, text) != list.end();
}

// How much the counters grew in the series. A counter of only one report counts completely, because
// some programs omit counters that are 0.
template <class Series>
std::uint64_t growth(const Series& series, const std::vector<Counter>& counters) {
  std::uint64_t sum = 0;
  for (const auto counter : counters) {
    const auto& total = series.totals.at(index_of(counter));
    if (total) sum += total->newest.value - (total->reports > 1 ? total->first : 0);
  }
  return sum;
}

std::uint64_t min_packets(const CounterRule& rule, std::uint64_t reports) {
  return reports > 1 ? rule.min_packets : rule.min_packets_in_one_report;
}

// Of these counters, the first that is not 0, or else the first one; null if there is none.
template <class Values>
const CounterValue* shown(const Values& values, const std::vector<Counter>& counters) {
  const CounterValue* shown = nullptr;
  for (const auto counter : counters) {
    const CounterValue* const value = values.find(counter);
    if (value == nullptr) continue;
    if (value->value > 0) return value;
    if (shown == nullptr) shown = value;
  }
  return shown;
}

// Whether the report has each of these counters that the series has, and at least one.
template <class Series>
bool covers(const CounterReport& report,
            const Series& series,
            const std::vector<Counter>& counters) {
  return shown(report, counters) != nullptr && std::ranges::all_of(counters, [&](Counter counter) {
           return report.find(counter) != nullptr || series.find(counter) == nullptr;
         });
}

template <class Series>
bool has_changed(const Series& series,
                 const CounterReport& report,
                 const std::vector<Counter>& counters) {
  return std::ranges::any_of(counters, [&](Counter counter) {
    const auto* const value = report.find(counter);
    const CounterValue* const before = report.has_deltas ? nullptr : series.find(counter);
    return value != nullptr && value->value != (before == nullptr ? 0 : before->value);
  });
}

}  // namespace

// ---- reports ------------------------------------------------------------------------------------

void CounterReport::add(Counter counter,
                        std::uint64_t value,
                        std::uint64_t number,
                        std::string_view text) {
  constexpr std::size_t kMaxText = 400;
  auto& one = values_.at(index_of(counter));
  const auto bit = 1U << index_of(counter);
  if ((used_ & bit) != 0) {
    one.value += value;
    return;
  }
  used_ |= bit;
  one.value = value;
  one.line.line = number;
  one.line.text = text.substr(0, kMaxText);
  one.line.time = time;
}

bool CounterReport::has(Counter counter) const {
  return (used_ & (1U << index_of(counter))) != 0;
}

CounterValue* CounterReport::find(Counter counter) {
  return has(counter) ? &values_.at(index_of(counter)) : nullptr;
}

const CounterValue* CounterReport::find(Counter counter) const {
  return has(counter) ? &values_.at(index_of(counter)) : nullptr;
}

// ---- series -------------------------------------------------------------------------------------

const CounterValue* CounterTracker::Series::find(Counter counter) const {
  const auto& total = totals.at(index_of(counter));
  return total ? &total->newest : nullptr;
}

CounterTracker::CounterTracker(const std::vector<Signature>& all) {
  for (const auto& signature : all) {
    if (signature.counters) rules_.push_back(&signature);
  }
}

bool CounterTracker::applies(const CounterRule& rule, const Series& series) const {
  return (rule.programs.empty() || contains(rule.programs, series.program)) &&
         (rule.modes.empty() || contains(rule.modes, mode_)) &&
         !contains(rule.excluded_modes, mode_);
}

CounterTracker::Series& CounterTracker::series_of(const CounterReport& report) {
  const auto found = std::ranges::find_if(series_, [&report](const Series& one) {
    return one.program == report.program && one.device == report.device;
  });
  if (found != series_.end()) return *found;
  if (series_.size() == kMaxSeries) {
    end(series_.front());
    series_.erase(series_.begin());
  }
  auto& series = series_.emplace_back();
  series.program = report.program;
  series.device = report.device;
  series.is_port = report.is_port;
  series.stops.resize(rules_.size());
  return series;
}

bool CounterTracker::has_gone_back(const Series& series, const CounterReport& report) {
  return !report.has_deltas && std::ranges::any_of(kCounters, [&](const auto& row) {
    const auto* const before = series.find(row.value);
    const auto* const value = report.find(row.value);
    return before != nullptr && value != nullptr && value->value < before->value;
  });
}

void CounterTracker::update(Series& series, CounterReport& report) {
  for (const auto& row : kCounters) {
    auto* const value = report.find(row.value);
    if (value == nullptr) continue;
    auto& total = series.totals.at(index_of(row.value));
    if (!total) total = {report.has_deltas ? 0 : value->value, 0, {}};
    ++total->reports;
    if (report.has_deltas) value->value += total->newest.value;
    std::swap(total->newest, *value);
  }
  if (series.reports++ == 0) {
    series.format = report.format;
    series.of_first_command = 0;
  }
  if (series.format == report.format) ++series.of_first_command;
}

void CounterTracker::add(CounterReport& report) {
  auto& series = series_of(report);
  if (!report.is_comparable || has_gone_back(series, report)) end(series);
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const auto& rule = *rules_[i]->counters;
    if (rule.conclusion == CounterConclusion::grown && applies(rule, series)) {
      look_for_growth(series, report, *rules_[i]);
    }
    if (series.reports == 0) continue;
    const bool can_stop = rule.conclusion == CounterConclusion::stopped && applies(rule, series) &&
                          covers(report, series, rule.of);
    if (can_stop) look_for_stop(series, report, i);
  }
  update(series, report);
}

void CounterTracker::next(const Signature& signature, const Captures& captures) {
  const auto mode = capture(captures, "mode");
  const bool is_command = signature.role == Role::note && !mode.empty();
  if (is_command) {
    end_all();
    mac_ = capture(captures, "mac");
    mode_ = mode;
  }
  if (!signature.begins && !signature.state) return;
  if (kind_of(signature) != RunKind::program) return;
  if (signature.begins) {
    end_all();
    mode_.clear();
    is_paused_ = false;
  }
  if (!mode.empty()) mode_ = mode;
  if (!signature.state) return;
  if (*signature.state == State::stopped || *signature.state == State::lost) is_paused_ = true;
  if (*signature.state == State::started) is_paused_ = false;
}

void CounterTracker::finish() {
  end_all();
  look_for_missing();
}

void CounterTracker::end_all() {
  for (const auto& series : series_) conclude(series);
  series_.clear();
}

std::vector<Conclusion> CounterTracker::take() {
  return std::exchange(found_, {});
}

void CounterTracker::report(const Signature& signature,
                            const Series& series,
                            const Quote& line,
                            Captures captures) {
  Device device;
  (series.is_port ? device.port : device.series) = series.device;
  const auto name = device.text();
  captures.emplace_back("device", name.empty() ? series.program : name);
  found_.push_back({&signature, std::move(captures), line, line.line, 1, std::move(device)});
}

// ---- conclusions from each report ---------------------------------------------------------------

void CounterTracker::look_for_growth(const Series& series,
                                     const CounterReport& report,
                                     const Signature& rule) {
  // One report of an unknown device proves nothing.
  if (series.reports == 0 && report.device.empty()) return;
  if (has_changed(series, report, rule.counters->reference)) return;
  const auto least = min_packets(*rule.counters, series.reports + 1);
  for (const auto counter : rule.counters->of) {
    const auto* const value = report.find(counter);
    const CounterValue* const before = report.has_deltas ? nullptr : series.find(counter);
    const auto packets =
        value == nullptr ? 0 : value->value - (before == nullptr ? 0 : before->value);
    if (least == 0 || packets < least) continue;
    return this->report(rule, series, value->line, {{"packets", std::to_string(packets)}});
  }
}

void CounterTracker::report_resumption(const Series& series, const Quote& line) {
  for (const auto* const signature : rules_) {
    const auto& rule = *signature->counters;
    if (rule.conclusion != CounterConclusion::resumed) continue;
    report(*signature, series, line, {});
  }
}

void CounterTracker::look_for_stop(Series& series, const CounterReport& report, std::size_t rule) {
  constexpr std::uint64_t kReports = 2;
  const auto& signature = *rules_[rule];
  const auto& counters = signature.counters->of;
  auto& stop = series.stops[rule];
  if (has_changed(series, report, counters)) {
    stop.has_changed = true;
    stop.unchanged = 0;
    if (std::exchange(stop.is_reported, false)) {
      report_resumption(series, shown(report, counters)->line);
    }
    return;
  }
  if (!stop.has_changed || is_paused_ || stop.is_reported) return;
  if (stop.unchanged == 0) {
    stop.first = shown(report, counters)->line;
    stop.last_change = shown(series, counters)->line.line;
  }
  if (++stop.unchanged < kReports) return;
  stop.is_reported = true;
  this->report(signature, series, stop.first, {{"since", std::to_string(stop.last_change)}});
}

// ---- conclusions from a whole series ------------------------------------------------------------

void CounterTracker::conclude(const Series& series) {
  for (const auto* const signature : rules_) {
    const auto& rule = *signature->counters;
    if (series.reports == 0 || !applies(rule, series)) continue;
    if (rule.conclusion == CounterConclusion::idle) look_for_idle(*signature, series);
    if (rule.conclusion == CounterConclusion::frozen) look_for_frozen(*signature, series);
    if (rule.conclusion == CounterConclusion::zero) look_for_zero(*signature, series);
    if (rule.conclusion == CounterConclusion::share) look_for_share(*signature, series);
    if (rule.conclusion == CounterConclusion::missing) note_receiver(*signature, series);
  }
  const auto sent = growth(series, {Counter::tx});
  const bool is_sender = mode_ == "txonly" && series.program == "testpmd" && !mac_.empty();
  if (is_sender && (!sender_ || sent > sender_->packets)) sender_ = Port{nullptr, mac_, sent, {}};
}

// A stop that was reported ends only if the counters change.
void CounterTracker::end(Series& series) {
  conclude(series);
  series.totals = {};
  series.reports = 0;
  for (auto& stop : series.stops) {
    stop.has_changed = false;
    stop.unchanged = 0;
  }
}

// A program that forwards from one port to another needs only one direction of each port. The
// reports of the other ports must not be older, as they are if the log is cut.
bool CounterTracker::is_zero_everywhere(const CounterRule& rule, const Series& series) const {
  return std::ranges::all_of(series_, [&](const Series& other) {
    if (other.program != series.program) return true;
    const auto* const value = shown(other, rule.of);
    return other.reports >= series.reports && (value == nullptr || value->value == 0);
  });
}

// A program without traffic may be healthy, but does not show that it works. Two commands print the
// same counters at one time. Those of a port of DPDK count from the start of the program.
void CounterTracker::look_for_idle(const Signature& signature, const Series& series) {
  const auto& counters = signature.counters->of;
  const auto* const value = shown(series, counters);
  const bool is_idle =
      value != nullptr && (value->value == 0 || !series.is_port) && !is_paused_ &&
      std::ranges::all_of(series_, [&](const Series& other) {
        const bool is_same = other.program == series.program;
        return !is_same || (other.of_first_command > 1 && growth(other, counters) == 0);
      });
  if (is_idle) report(signature, series, value->line, {});
}

void CounterTracker::look_for_frozen(const Signature& signature, const Series& series) {
  const auto& rule = *signature.counters;
  const auto* const value = shown(series, rule.of);
  const bool is_frozen =
      series.reports > 1 && value != nullptr && value->value > 0 && growth(series, rule.of) == 0;
  const auto packets = growth(series, rule.reference);
  if (!is_frozen || packets < rule.min_packets) return;
  report(signature, series, value->line, {{"packets", std::to_string(packets)}});
}

void CounterTracker::look_for_zero(const Signature& signature, const Series& series) {
  const auto& rule = *signature.counters;
  const auto least = min_packets(rule, series.reports);
  const auto packets = growth(series, rule.reference);
  const bool has_all = std::ranges::all_of(
      rule.of, [&series](Counter counter) { return series.find(counter) != nullptr; });
  const auto* const value = shown(series, rule.of);
  if (!has_all || value->value > 0 || least == 0 || packets < least) return;
  if (rule.all_devices && !is_zero_everywhere(rule, series)) return;
  report(signature, series, value->line, {{"packets", std::to_string(packets)}});
}

// A receiver that has just started may not have received its packets yet.
void CounterTracker::note_receiver(const Signature& signature, const Series& series) {
  constexpr std::uint64_t kReports = 3;
  const auto* const value = shown(series, signature.counters->of);
  if (series.reports < kReports || value == nullptr || mac_.empty()) return;
  const auto packets = growth(series, signature.counters->of);
  if (receiver_ && receiver_->packets >= packets) return;
  receiver_ = Port{&signature, mac_, packets, value->line};
}

// The log has the reports of two programs: one sends, the other receives.
void CounterTracker::look_for_missing() {
  constexpr std::uint64_t kMille = 1000;
  if (!sender_ || !receiver_ || sender_->mac == receiver_->mac) return;
  const auto& rule = *receiver_->rule->counters;
  const bool is_missing = sender_->packets >= rule.min_packets &&
                          receiver_->packets * kMille < sender_->packets * rule.per_mille;
  if (!is_missing) return;
  found_.push_back({receiver_->rule,
                    {{"packets", std::to_string(receiver_->packets)},
                     {"sent", std::to_string(sender_->packets)}},
                    receiver_->line,
                    receiver_->line.line});
}

void CounterTracker::look_for_share(const Signature& signature, const Series& series) {
  constexpr double kPercent = 100;
  constexpr double kMille = 1000;
  const auto& rule = *signature.counters;
  const auto least = min_packets(rule, series.reports);
  const auto packets = growth(series, rule.of);
  const auto others = growth(series, rule.reference);
  const bool has_reference = shown(series, rule.reference) != nullptr;
  if (least == 0 || packets < least || !has_reference) return;
  const auto all = static_cast<double>(packets) + static_cast<double>(others);
  const auto share = static_cast<double>(packets) / all;
  if (share * kMille < static_cast<double>(rule.per_mille)) return;
  report(signature,
         series,
         shown(series, rule.of)->line,
         {{"packets", std::to_string(packets)},
          {"percent", fmt::format("{:.1f}", share * kPercent)},
          {"passed", std::to_string(others)}});
}

}  // namespace manactl::diag
