// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/nic_json.h"
#include "cli/setup/render_status.h"
#include "cli/version.h"
#include "host/nic_state.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

Json function_json(const host::PciFunction& function, const host::Facts& facts) {
  Json devices = Json::array();
  for (const auto* device : rdma_devices_of(facts, function)) {
    const auto* provider = find_provider(facts, device->name);
    devices.push_back(
        {{"name", safe(device->name)},
         {"uverbs", text_or_null<Json>(device->uverbs)},
         {"driver_id", device->driver_id ? Json(*device->driver_id) : Json()},
         {"provider",
          provider != nullptr ? text_or_null<Json>(provider->library) : Json(nullptr)}});
  }
  return {{"address", function.address.str()},
          {"driver", text_or_null<Json>(function.driver)},
          {"numa_node", function.numa_node < 0 ? Json(nullptr) : Json(function.numa_node)},
          {"netdevs", strings(function.netdevs)},
          {"rdma_devices", std::move(devices)}};
}

Json confirmation_json(const setup::Confirmation& confirmation) {
  constexpr double kMillisecondsPerSecond = 1000;
  Json row;
  row["seconds_left"] =
      confirmation.time_left
          ? Json(static_cast<double>(confirmation.time_left->count()) / kMillisecondsPerSecond)
          : Json();
  row["watchdog"] = word_of(setup::kWatchdogStateWords, confirmation.watchdog);
  return row;
}

Json status_json(const setup::NicStatus& nic, const host::Facts& facts) {
  auto row = nic_json<Json>(nic.name, nic.facts, facts);
  row["nic"] = identity_json<Json>(nic.nic);
  if (!nic.objections.empty() && row["free"] == true) {
    row["free"] = false;
    row["reason"] = safe(nic.objections.front());
  }
  row["objections"] = strings(nic.objections);
  row["journal"] = word_of(setup::kJournalStateWords, nic.journal);
  row["holders"] = Json::array();
  for (const auto& holder : nic.holders) {
    row["holders"].push_back({{"pid", holder.pid}, {"program", holder.program}});
  }
  row["steps"] = strings(nic.changes);
  row["confirmation"] = nic.confirmation ? confirmation_json(*nic.confirmation) : Json();
  row["commands"] = nic.commands;
  return row;
}

Json hugepages_json(const host::Memory& memory) {
  if (!memory.pools) return nullptr;
  Json list = Json::array();
  for (const auto& pool : *memory.pools) {
    list.push_back({{"node", pool.node},
                    {"page_kib", pool.page_kib},
                    {"total", pool.total},
                    {"free", pool.free}});
  }
  return list;
}

}  // namespace

void print_json(Screen& screen, const StatusOutput& result) {
  Json json;
  json["schema"] = "manactl.status/2";
  json["manactl"] = version();
  json["exit"] = static_cast<int>(Exit::ok);
  json["functions"] = Json::array();
  for (const auto* function : result.functions) {
    json["functions"].push_back(function_json(*function, result.facts));
  }
  json["nics"] = Json::array();
  for (const auto& nic : result.status.nics) json["nics"].push_back(status_json(nic, result.facts));
  json["others"] = Json::array();
  for (const auto& other : result.status.others)
    json["others"].push_back(status_json(other, result.facts));
  json["hugepages"] = hugepages_json(result.facts.memory);
  json["journal_error"] = result.journal_error.empty() ? Json() : Json(safe(result.journal_error));
  json["persistent"] = result.persistent;
  screen.stream() << json.dump(2) << '\n';
}

}  // namespace manactl::cli
