// SPDX-License-Identifier: MIT

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/bench/render_bench.h"
#include "cli/version.h"
#include "report/figures.h"
#include "report/search_text.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kStartMark = '*';  // of rates that are explained below the table

Json json_of(const ListedResult& row) {
  Json json;
  json["id"] = row.id;
  json["error"] = row.error.empty() ? Json() : Json(row.error);
  if (!row.error.empty()) return json;
  json["label"] = row.label.empty() ? Json() : Json(row.label);
  json["started"] = row.started;
  json["mode"] = row.mode;
  json["device"] = row.device;
  json["engine"] = row.engine;
  json["queues"] = row.queues;
  json["frame_bytes"] = row.frame_bytes ? Json(*row.frame_bytes) : Json();
  json["trials"] = row.trials;
  json["packets_per_second"] = row.rate ? Json(*row.rate) : Json();
  json["goal"] = row.goal.empty() ? Json() : Json(row.goal);
  json["noisy"] = row.noisy;
  json["interrupted"] = row.interrupted;
  return json;
}

constexpr std::size_t kMinText = 7;  // columns of a text that is shortened

// Shortens a text to the width of a terminal. The other columns take `others`.
std::string fit(const std::string& text, const Screen& screen, std::size_t others) {
  constexpr std::size_t kDots = 3;
  const auto room = screen.width() > others + kMinText ? screen.width() - others : kMinText;
  return screen.is_terminal() && text.size() > room ? printable(text, room - kDots) : text;
}

}  // namespace

ListedResult listed(std::string id, const Result<report::BenchResult>& result) {
  ListedResult row;
  row.id = std::move(id);
  if (!result) {
    row.error = safe(result.error().message);
    return row;
  }
  row.label = safe(result->label);
  row.started = report::utc_text(result->trial_starts.front());
  row.mode = name_of(result->plan.mode);
  row.device = printable(report::device_of(result->plan));
  row.engine = printable(result->report.engine);
  row.queues = result->plan.queues;
  row.frame_bytes = report::frame_bytes(result->plan, report::total_of(result->report));
  row.trials = result->report.trials.size();
  if (result->search && !result->search->found.empty()) {
    const auto& found = result->search->found.front();
    row.goal = report::goal_text(found.loss);
    row.rate = report::figure_of(*result);
    row.rate_text = fmt::format("{} {}", row.goal, report::found_rate_text(found));
  } else if ((row.rate = report::rate_of(*result))) {
    row.rate_text = report::median_text(result->summary.rate);
    if (report::includes_start(*result)) row.rate_text += kStartMark;
  } else {
    row.rate_text = "-";
  }
  row.noisy = result->summary.noisy();
  row.interrupted = report::is_interrupted(*result);
  return row;
}

void print_list_text(Screen& screen, const std::vector<ListedResult>& rows) {
  auto& out = screen.stream();
  constexpr auto kFormat = "{:<{}} {:<4} {:>6} {:>5} {:>{}} {:<5}  {:<{}}  {}";
  std::size_t width = std::string_view("LABEL").size(), rate_width = 4, id_width = 2;
  for (const auto& row : rows) {
    id_width = std::max(id_width, row.id.size());
    rate_width = std::max(rate_width, row.rate_text.size());
  }
  const auto fixed = id_width + 29;  // columns without rate, label and device, with the spaces
  const auto label = [&](const ListedResult& row) {
    return row.label.empty() ? "-" : fit(row.label, screen, fixed + rate_width + kMinText);
  };
  for (const auto& row : rows) width = std::max(width, label(row).size());
  const auto heading = fmt::format(kFormat,
                                   "ID",
                                   id_width,
                                   "MODE",
                                   "QUEUES",
                                   "BYTES",
                                   "RATE",
                                   rate_width,
                                   "NOISY",
                                   "LABEL",
                                   width,
                                   "DEVICE");
  out << screen.paint(Color::bold, heading) << '\n';
  for (const auto& row : rows) {
    if (!row.error.empty()) {
      out << fmt::format("{:<{}} {}\n", row.id, id_width, printable(row.error));
      continue;
    }
    out << fmt::format(kFormat,
                       row.id,
                       id_width,
                       row.mode,
                       row.queues,
                       row.frame_bytes ? fmt::format("{:.0f}", *row.frame_bytes) : "-",
                       row.rate_text,
                       rate_width,
                       row.noisy ? "noisy" : "-",
                       label(row),
                       width,
                       fit(row.device, screen, fixed + rate_width + width))
        << '\n';
  }
  const auto is_marked = [](const ListedResult& row) {
    return row.rate_text.ends_with(kStartMark);
  };
  if (std::ranges::any_of(rows, is_marked)) {
    out << fmt::format("{} {} ({})\n", kStartMark, report::kIncludingStart, report::kMoreIntervals);
  }
}

void print_list_json(Screen& screen, const std::vector<ListedResult>& rows) {
  Json document;
  document["schema"] = "manactl.bench-list/2";
  document["manactl"] = version();
  document["results"] = Json::array();
  for (const auto& row : rows) document["results"].push_back(json_of(row));
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
