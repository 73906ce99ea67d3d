// SPDX-License-Identifier: MIT

#include "cli/bench/live_view.h"

#include <algorithm>

#include "base/text.h"
#include "report/figures.h"
#include "report/result.h"
#include "report/units.h"

namespace manactl::cli {
namespace {

constexpr std::size_t kMaxQueueLines = 4;

std::string direction(std::string_view label, const datapath::Count& count, double seconds) {
  const auto rate = report::per_second(count, seconds);
  // A sender has no count of missing buffers.
  const auto missing = label == "sent" ? datapath::ReportedCount(0) : count.no_buffer;
  const auto drops = datapath::sum_of(datapath::sum_of(count.missed, missing), count.errors);
  return fmt::format("  {:<9}{:>15} {:>16}{}",
                     label,
                     report::pps_text(rate),
                     report::throughput_text(rate, count),
                     drops ? fmt::format(" {:>12} dropped", *drops) : "");
}

// Formats the rates of all queues in one unit, so that they can be compared.
std::string queue_rates(datapath::Mode mode, const std::vector<datapath::Sample>& queues) {
  std::vector<double> rates;
  double max = 0;
  for (const auto& queue : queues) {
    rates.push_back(report::per_second(datapath::headline(mode, queue), queue.seconds));
    max = std::max(max, rates.back());
  }
  const auto unit = report::rate_unit(max);
  auto text = fmt::format("queues in {}:", unit.name);
  for (const double rate : rates) text += ' ' + report::number_text(rate, unit);
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
  so_far_ = {};
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
                              report::device_of(plan_)));
  if (interval.absent) {
    lines.emplace_back("  not measured: a device is absent");
    return lines;
  }
  if (sends(plan_.mode)) lines.push_back(direction("sent", total.tx, total.seconds));
  if (receives(plan_.mode)) lines.push_back(direction("received", total.rx, total.seconds));
  if (const auto loss = report::loss_of(plan_.mode, so_far_)) {
    lines.push_back(
        fmt::format("  {:<9}{} so far, including packets in flight", "lost", loss_text(*loss)));
  }
  if (interval.queues.size() < 2) return lines;
  constexpr std::string_view kIndent = "  ", kMore = " ...";
  auto wrapped = wrap_lines(queue_rates(plan_.mode, interval.queues),
                            frame_.width() - unsigned{kIndent.size() + kMore.size()});
  if (wrapped.size() > kMaxQueueLines) {
    wrapped.resize(kMaxQueueLines);
    wrapped.back() += kMore;
  }
  for (const auto& line : wrapped) lines.push_back(std::string(kIndent) + line);
  return lines;
}

void LiveView::show(const datapath::Interval& interval) {
  elapsed_ += interval.total.seconds;
  so_far_ += interval.total;
  if (!screen_.is_terminal()) return;
  auto now = lines(interval);
  if (!screen_.can_redraw()) {
    screen_.stream() << fmt::format("{:8.1f} s{}", elapsed_, now[1]) << '\n';
    return;
  }
  if (!status_.empty()) now.insert(now.begin(), status_);
  frame_.draw(now);
}

void LiveView::set_status(const std::string& line) {
  status_ = line;
  if (screen_.is_terminal() && !screen_.can_redraw()) screen_.stream() << line << '\n';
}

std::string LiveFrame::to_first_line() const {
  // The terminal may have printed "^C" at the cursor.
  return lines_ > 0 ? fmt::format("\r\x1b[{}A", lines_) : std::string("\r");
}

void LiveFrame::draw(const std::vector<std::string>& lines) {
  if (!screen_.can_redraw()) return;
  // A single write avoids flicker.
  auto text = to_first_line();
  std::size_t rows = 0;
  for (const auto& line : lines) {
    // A line that the terminal wraps would take two rows, and moving the cursor up would miss the
    // first line.
    const bool fits = line.size() <= width();
    for (const auto& row : fits ? std::vector{line} : wrap_lines(line, width())) {
      text += printable(row, width()) + "\x1b[K\n";
      ++rows;
    }
  }
  screen_.stream() << text + "\x1b[J" << std::flush;
  lines_ = rows;
}

void LiveFrame::clear() {
  if (!screen_.can_redraw()) return;
  screen_.stream() << to_first_line() + "\x1b[J" << std::flush;
  lines_ = 0;
}

}  // namespace manactl::cli
