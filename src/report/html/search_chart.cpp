// SPDX-License-Identifier: MIT
//
// The chart of a search (bench --find): the packet loss of each trial by its rate.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures.h"
#include "report/html/charts.h"
#include "report/html/elements.h"
#include "report/html/svg.h"

namespace manactl::report {
namespace {

constexpr double kLowestDecade = -9;  // the smallest share of packets that the axis can show

double loss_decade(double loss) {
  return std::max(std::log10(loss), kLowestDecade);
}

// Spans at least a tenth of the highest rate, because trials with the same rate do not differ.
Axis search_rates(const HtmlSearch& search, const Plot& plot) {
  double low = HUGE_VAL, high = 0;
  for (const auto& trial : search.trials) {
    low = std::min(low, trial.rate);
    high = std::max(high, trial.rate);
  }
  const double span = high - low;
  const double margin = std::max(span * 0.03, (high * 0.1 - span) / 2);
  return {std::max(low - margin, 0.0), high + margin, plot.left, plot.x_end()};
}

// A logarithmic axis. Its lowest decade stands for 0, which has no logarithm.
Axis loss_axis(const HtmlSearch& search, const Plot& plot) {
  constexpr double kMinDecades = 3;
  double low = 0, high = kLowestDecade;
  const auto include = [&](double loss) {
    if (loss <= 0) return;
    low = std::min(low, std::floor(loss_decade(loss)));
    high = std::max(high, std::ceil(loss_decade(loss)));
  };
  for (const auto& trial : search.trials) include(trial.loss);
  for (const auto& goal : search.goals) include(goal.loss);
  high = std::max(high, low);
  low = std::min(low, high - kMinDecades + 1);
  return {low - 1, high, plot.y_end(), plot.top};
}

double loss_at(const Axis& y, double loss) {
  return loss > 0 ? y.at(std::clamp(loss_decade(loss), y.low, y.high)) : y.from;
}

void draw_losses(Svg& svg, const Axis& y) {
  svg.y_unit({1, "% lost"});
  svg.y_mark(y.from, "0");
  constexpr int kMaxDecimals = 4;  // more do not fit beside the axis on a phone
  for (double decade = y.low + 1; decade <= y.high; ++decade) {
    const auto decimals = static_cast<int>(std::max(-2 - decade, 0.0));
    svg.y_mark(y.at(decade),
               decimals > kMaxDecimals
                   ? fmt::format("1e-{}", decimals)
                   : fmt::format("{:.{}f}", std::pow(10, decade) * kPercent, decimals));
  }
}

// Draws each goal as a horizontal line, and the rate that was found for it as a vertical line.
void draw_goals(Svg& svg, const HtmlSearch& search, const Axis& x, const Axis& y) {
  constexpr double kGap = 6, kHalfLetter = 4, kLine = 14;
  double text_y = svg.plot().top + kLine;
  for (const auto& goal : search.goals) {
    const double at = loss_at(y, goal.loss);
    svg.line({svg.plot().left, at, svg.width(), 0}, "trial");
    svg.text(svg.plot().x_end() + kGap, at + kHalfLetter, "strong", goal.name);
    if (!goal.rate) continue;
    const double rate_x = x.at(std::clamp(*goal.rate, x.low, x.high));
    svg.line({rate_x, svg.plot().top, 0, svg.height()}, "median");
    // The text is on the side with more space.
    const bool is_right = rate_x > svg.plot().left + svg.width() / 2;
    svg.text(rate_x + (is_right ? -kGap : kGap),
             text_y,
             is_right ? "e strong" : "strong",
             fmt::format("{}: {}", goal.name, goal.text));
    text_y += kLine;
  }
}

std::string describe(const HtmlSearch& search) {
  std::string text =
      fmt::format("{} {}", search.trials.size(), search.trials.size() == 1 ? "trial" : "trials");
  for (const auto& goal : search.goals) {
    text += goal.rate ? fmt::format("; {}: {}", goal.name, goal.text)
                      : fmt::format("; {}: no rate found", goal.name);
  }
  return text;
}

}  // namespace

std::string search_chart(const HtmlSearch& search) {
  const Plot plot;
  const Axis x = search_rates(search, plot);
  if (search.trials.empty() || !std::isfinite(x.high) || x.high <= 0) return {};
  constexpr double kRadius = 4;
  const Axis y = loss_axis(search, plot);
  const auto unit = rate_unit(x.high);
  const auto description = describe(search);
  Svg svg("search", plot, "Packet loss by rate", description);
  draw_losses(svg, y);
  svg.x_marks(x, unit);
  svg.x_axis(fmt::format("rate in {}", unit.name));
  draw_goals(svg, search, x, y);
  for (const auto& trial : search.trials) {
    svg.dot({x.at(trial.rate), loss_at(y, trial.loss), kRadius},
            trial.valid ? "dot overlapping" : "hollow",
            fmt::format("{}: {:.4g} % lost{}",
                        quantity(trial.rate, unit),
                        trial.loss * kPercent,
                        trial.valid ? "" : " (repeated)"));
  }
  return chart_html("packet loss by rate",
                    std::move(svg).end(),
                    {},
                    description +
                        ". Each dot is a trial; a hollow one was repeated. Dotted lines are "
                        "the goals, dashed lines the rates found for them.");
}

}  // namespace manactl::report
