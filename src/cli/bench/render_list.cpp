// SPDX-License-Identifier: MIT

#include "cli/bench/render_list.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/bench/figures.h"
#include "cli/json_text.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Listed& row) {
  Json json;
  json["id"] = row.id;
  json["error"] = row.result ? Json() : Json(safe(row.result.error().message));
  if (!row.result) return json;
  const auto& result = *row.result;
  json["started"] = utc_text(result.began.front());
  json["mode"] = name_of(result.plan.mode);
  json["device"] = device_of(result.plan);
  json["engine"] = safe(result.report.engine);
  json["queues"] = result.plan.queues;
  const auto bytes = frame_bytes(result.plan, total_of(result.report));
  json["frame_bytes"] = bytes ? Json(*bytes) : Json();
  json["trials"] = result.report.trials.size();
  json["packets_per_second"] = rate_of(result);
  json["noisy"] = result.summary.noisy();
  json["interrupted"] = is_interrupted(result);
  return json;
}

}  // namespace

void list_text(Screen& screen, const std::vector<Listed>& rows) {
  auto& out = screen.stream();
  if (rows.empty()) {
    out << "No result is kept.\n";
    return;
  }
  constexpr auto kForm = "{:<22} {:<5} {:>6} {:>5} {:>13}  {}";
  const auto head = fmt::format(kForm, "ID", "MODE", "QUEUES", "BYTES", "RATE", "DEVICE");
  out << screen.paint(Colour::bold, head) << '\n';
  for (const auto& [id, result] : rows) {
    if (!result) {
      out << fmt::format("{:<22} {}", id, printable(result.error().message)) << '\n';
      continue;
    }
    const auto bytes = frame_bytes(result->plan, total_of(result->report));
    out << fmt::format(kForm,
                       id,
                       name_of(result->plan.mode),
                       result->plan.queues,
                       bytes ? fmt::format("{:.0f}", *bytes) : "-",
                       pps_text(rate_of(*result)),
                       device_of(result->plan))
        << '\n';
  }
}

void list_json(Screen& screen, const std::vector<Listed>& rows) {
  Json document;
  document["schema"] = "manactl.bench-list/1";
  document["manactl"] = version();
  document["results"] = Json::array();
  for (const auto& row : rows) document["results"].push_back(json_of(row));
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
