// SPDX-License-Identifier: MIT

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/live/render_traffic.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;
using host::Traffic;

struct TrafficColumn {
  const char* name;
  std::uint64_t Traffic::* member;
};

constexpr std::array<TrafficColumn, 5> kTrafficColumns = {{{"rx_packets", &Traffic::rx_packets},
                                                           {"rx_bytes", &Traffic::rx_bytes},
                                                           {"tx_packets", &Traffic::tx_packets},
                                                           {"tx_bytes", &Traffic::tx_bytes},
                                                           {"drops", &Traffic::drops}}};

// "2026-11-29T17:20:01.123Z"
std::string utc_text(TrafficReport::Time time) {
  const auto since = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto milliseconds = since.count() % 1000;
  const std::time_t seconds = since.count() / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%FT%T", &parts);
  return fmt::format("{}.{:03}Z", text.data(), milliseconds);
}

Json path_json(const std::optional<host::PathTraffic>& path, bool has_queues) {
  if (!path) return nullptr;
  Json row;
  row["interface"] = safe(path->interface);
  for (const auto& [name, member] : kTrafficColumns) {
    row[name] = path->total ? Json((*path->total).*member) : Json();
  }
  if (!has_queues) return row;
  row["queues"] = Json::object();
  for (const auto& [name, member] : kTrafficColumns) {
    if (member == &Traffic::drops) continue;
    auto& column = row["queues"][name] = Json::array();
    for (const auto& queue : path->queues) column.push_back(queue.*member);
  }
  return row;
}

}  // namespace

void print_event(Screen& screen, const TrafficReport& report) {
  Json json;
  json["schema"] = "manactl.status-event/1";
  json["time"] = utc_text(report.now);
  json["seconds"] = report.interval.seconds;
  json["nics"] = Json::array();
  for (const auto& nic : report.interval.nics) {
    const auto& history = report.histories.of(nic);
    json["nics"].push_back({{"name", safe(nic.name)},
                            {"vf_state", word_of(host::kVfUseWords, history.use)},
                            {"since", history.since ? Json(utc_text(*history.since)) : Json()},
                            {"changes", history.changes},
                            {"resets", history.resets},
                            {"vf", path_json(nic.vf, report.has_queues)},
                            {"synthetic", path_json(nic.synthetic, report.has_queues)}});
  }
  screen.stream() << json.dump() << '\n';
}

}  // namespace manactl::cli
