// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/bench/render_bench.h"
#include "cli/version.h"
#include "report/figures.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> frame_bytes(const report::BenchResult& result) {
  return report::frame_bytes(result.plan, report::total_of(result.report));
}

Json json_of(const ListedResult& row) {
  Json json;
  json["id"] = row.id;
  json["error"] = row.result ? Json() : Json(safe(row.result.error().message));
  if (!row.result) return json;
  const auto& result = *row.result;
  json["started"] = report::utc_text(result.trial_starts.front());
  json["mode"] = name_of(result.plan.mode);
  json["device"] = report::device_of(result.plan);
  json["engine"] = safe(result.report.engine);
  json["queues"] = result.plan.queues;
  const auto bytes = frame_bytes(result);
  json["frame_bytes"] = bytes ? Json(*bytes) : Json();
  json["trials"] = result.report.trials.size();
  json["packets_per_second"] = report::rate_of(result);
  json["noisy"] = result.summary.noisy();
  json["interrupted"] = report::is_interrupted(result);
  return json;
}

}  // namespace

void print_list_text(Screen& screen, const std::vector<ListedResult>& rows) {
  auto& out = screen.stream();
  if (rows.empty()) {
    out << "No saved results.\n";
    return;
  }
  constexpr auto kFormat = "{:<22} {:<5} {:>6} {:>5} {:>13}  {}";
  const auto heading = fmt::format(kFormat, "ID", "MODE", "QUEUES", "BYTES", "RATE", "DEVICE");
  out << screen.paint(Color::bold, heading) << '\n';
  for (const auto& [id, result] : rows) {
    if (!result) {
      out << fmt::format("{:<22} {}\n", id, printable(result.error().message));
      continue;
    }
    const auto bytes = frame_bytes(*result);
    out << fmt::format(kFormat,
                       id,
                       name_of(result->plan.mode),
                       result->plan.queues,
                       bytes ? fmt::format("{:.0f}", *bytes) : "-",
                       report::pps_text(report::rate_of(*result)),
                       report::device_of(result->plan))
        << '\n';
  }
}

void print_list_json(Screen& screen, const std::vector<ListedResult>& rows) {
  Json document;
  document["schema"] = "manactl.bench-list/1";
  document["manactl"] = version();
  document["results"] = Json::array();
  for (const auto& row : rows) document["results"].push_back(json_of(row));
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
