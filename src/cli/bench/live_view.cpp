// SPDX-License-Identifier: MIT

#include "cli/bench/live_view.h"

#include <algorithm>

#include "base/text.h"
#include "cli/bench/figures.h"
#include "cli/bench/result.h"
#include "cli/bench/units.h"

namespace manactl::cli {
namespace {

constexpr std::size_t kMostQueueLines = 4;

std::string direction(std::string_view label, const datapath::Count& count, double seconds) {
  const auto rate = per_second(count, seconds);
  return fmt::format("  {:<9}{:>15} {:>16} {:>12} lost",
                     label,
                     pps_text(rate),
                     throughput_text(rate, count),
                     count.missed + count.no_buffer + count.errors);
}

// All in one unit, so that they can be compared at a glance.
std::string queue_rates(datapath::Mode mode, const std::vector<datapath::Sample>& queues) {
  std::vector<double> rates;
  double most = 0;
  for (const auto& queue : queues) {
    rates.push_back(per_second(datapath::headline(mode, queue), queue.seconds));
    most = std::max(most, rates.back());
  }
  const auto unit = rate_unit(most);
  auto text = fmt::format("queues in {}:", unit.name);
  for (const double rate : rates) text += ' ' + number_text(rate, unit);
  return text;
}

std::string bar(double share, std::size_t length) {
  const auto full =
      static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(length));
  return '[' + std::string(full, '#') + std::string(length - full, ' ') + ']';
}

}  // namespace

void LiveView::start_trial() {
  ++trial_;
  elapsed_ = 0;
}

std::vector<std::string> LiveView::lines(const datapath::Interval& interval) const {
  const auto& total = interval.total;
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} {:.1f} of {:.1f} s{}, {} on {}",
                              bar(elapsed_ / plan_.trial.seconds, 20),
                              elapsed_,
                              plan_.trial.seconds,
                              trial_ > 1 ? fmt::format(" of trial {}", trial_) : "",
                              name_of(plan_.mode),
                              device_of(plan_)));
  if (sends(plan_.mode)) lines.push_back(direction("sent", total.tx, total.seconds));
  if (receives(plan_.mode)) lines.push_back(direction("received", total.rx, total.seconds));
  if (interval.queues.size() < 2) return lines;
  auto wrapped = wrap_lines(queue_rates(plan_.mode, interval.queues), screen_.width() - 4);
  if (wrapped.size() > kMostQueueLines) {
    wrapped.resize(kMostQueueLines);
    wrapped.back() += " ...";
  }
  for (const auto& line : wrapped) lines.push_back("  " + line);
  return lines;
}

void LiveView::show(const datapath::Interval& interval) {
  elapsed_ += interval.total.seconds;
  if (!screen_.is_terminal()) return;
  const auto now = lines(interval);
  if (!screen_.can_redraw()) {
    screen_.stream() << fmt::format("{:8.1f} s{}", elapsed_, now[1]) << '\n';
    return;
  }
  // One write: a terminal that shows half of it flickers.
  std::string text = drawn_ > 0 ? fmt::format("\x1b[{}A", drawn_) : "";
  for (const auto& line : now) {
    // A line that wraps would take two, and the way up would end in the middle of the block.
    text += printable(line, screen_.width() - 4) + "\x1b[K\n";
  }
  screen_.stream() << text + "\x1b[J";
  drawn_ = now.size();
}

void LiveView::clear() {
  if (drawn_ > 0) screen_.stream() << fmt::format("\x1b[{}A\x1b[J", drawn_);
  drawn_ = 0;
}

}  // namespace manactl::cli
