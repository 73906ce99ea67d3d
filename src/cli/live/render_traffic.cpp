// SPDX-License-Identifier: MIT

#include "cli/live/render_traffic.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "base/text.h"
#include "diag/log_time.h"
#include "report/units.h"

namespace manactl::cli {
namespace {

using host::NicTraffic;
using host::PathTraffic;
using host::Traffic;
using host::VfUse;

constexpr double kBitsPerByte = 8;

struct QueueColumn {
  std::string_view name;
  std::uint64_t Traffic::* member;
};

constexpr std::array<QueueColumn, 2> kQueueColumns = {
    {{"received", &Traffic::rx_packets}, {"sent", &Traffic::tx_packets}}};

std::string rate_text(double rate, report::Unit (*unit_for)(double)) {
  return rate == 0 ? "0" : report::quantity(rate, unit_for(rate), report::kFewDigits);
}

// "  VF         14.2 Mpps  9.63 Gbit/s     812 kpps  6.49 Gbit/s         0"
std::string row_of(std::string_view label, const std::optional<Traffic>& total, double seconds) {
  std::array<std::string, 5> cells;
  cells.fill("-");
  if (total && seconds > 0) {
    const auto packets = [&](std::uint64_t count) {
      return rate_text(static_cast<double>(count) / seconds, report::rate_unit);
    };
    const auto bits = [&](std::uint64_t bytes) {
      return rate_text(static_cast<double>(bytes) * kBitsPerByte / seconds, report::bits_unit);
    };
    cells = {packets(total->rx_packets),
             bits(total->rx_bytes),
             packets(total->tx_packets),
             bits(total->tx_bytes),
             packets(total->drops)};
  }
  return fmt::format("  {:<10}{:>11} {:>13}{:>13} {:>13}{:>12}\n",
                     label,
                     cells[0],
                     cells[1],
                     cells[2],
                     cells[3],
                     cells[4]);
}

// The local time of day, or the date and the time if this was on another day than `now`.
std::string moment_text(TrafficReport::Time time, TrafficReport::Time now) {
  const auto parts_of = [](TrafficReport::Time moment) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(moment);
    std::tm parts{};
    localtime_r(&seconds, &parts);
    return parts;
  };
  const auto then = parts_of(time), today = parts_of(now);
  const bool is_today = then.tm_yday == today.tm_yday && then.tm_year == today.tm_year;
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), is_today ? "%H:%M:%S" : "%F %H:%M:%S", &then);
  return text.data();
}

// "since 11:58:02 (6 min 29 s); 3 changes, 1 reset"
std::string history_text(const host::VfHistory& history, const TrafficReport& report) {
  const auto seconds = [&](TrafficReport::Time from) {
    return diag::duration_text(std::chrono::duration<double>(report.now - from).count());
  };
  auto text = history.since ? fmt::format("since {} ({})",
                                          moment_text(*history.since, report.now),
                                          seconds(*history.since))
                            : fmt::format("for at least {}", seconds(report.start));
  std::vector<std::string> events;
  const auto add = [&events](unsigned count, std::string_view what) {
    if (count > 0) events.push_back(fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"));
  };
  add(history.changes, "change");
  add(history.resets, "reset");
  return events.empty() ? text : fmt::format("{}; {}", text, join(events, ", "));
}

// The rates of all queues in one unit, so that they can be compared.
void print_queues(Screen& screen, std::string_view label, const PathTraffic& path, double seconds) {
  if (path.queues.empty() || seconds <= 0) return;
  for (const auto& [name, member] : kQueueColumns) {
    double max = 0;
    for (const auto& queue : path.queues) {
      max = std::max(max, static_cast<double>(queue.*member) / seconds);
    }
    const auto unit = report::rate_unit(max);
    std::vector<std::string> rates;
    for (const auto& queue : path.queues) {
      const auto rate = static_cast<double>(queue.*member) / seconds;
      rates.push_back(rate == 0 ? "0" : report::number_text(rate, unit, report::kFewDigits));
    }
    write_indented(screen,
                   "    ",
                   fmt::format("{} queues, {} {}: {}", label, name, unit.name, join(rates, " ")));
  }
}

void print_nic(Screen& screen, const NicTraffic& nic, const TrafficReport& report) {
  const auto& history = report.histories.of(nic);
  const auto phrase =
      host::phrase_of(history.use, nic.vf ? std::string_view(nic.vf->interface) : "");
  const auto is_fine = history.use == VfUse::used || history.use == VfUse::user_space;
  write_indented(screen,
                 printable(nic.name) + "  ",
                 fmt::format("{} {}", phrase, history_text(history, report)),
                 is_fine ? Color::bold : Color::yellow);
  const auto print_path = [&](std::string_view label, const std::optional<PathTraffic>& path) {
    if (!path) return;
    screen.stream() << row_of(label, path->total, report.interval.seconds);
    if (report.has_queues) print_queues(screen, label, *path, report.interval.seconds);
  };
  print_path("VF", nic.vf);
  print_path("synthetic", nic.synthetic);
}

}  // namespace

void print_text(Screen& screen, const TrafficReport& report) {
  const auto heading = fmt::format("{:<12}{:>25}{:>27}{:>12}",
                                   moment_text(report.now, report.now),
                                   "received",
                                   "sent",
                                   "dropped");
  screen.stream() << screen.paint(Color::dim, heading) << '\n';
  for (const auto& nic : report.interval.nics) print_nic(screen, nic, report);
  if (report.interval.nics.empty()) screen.stream() << "There is no Azure NIC.\n";
}

}  // namespace manactl::cli
