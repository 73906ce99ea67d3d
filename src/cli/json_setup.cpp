// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/render_setup.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

Json head(const char* schema, Exit exit) {
  Json json;
  json["schema"] = schema;
  json["manactl"] = version();
  json["exit"] = static_cast<int>(exit);
  return json;
}

Json values_json(const setup::Values& values) {
  Json json = Json::object();
  for (const auto& [key, value] : values) json[key] = printable(value, 1000);
  return json;
}

Json undone_json(const std::vector<setup::Undone>& undone) {
  Json list = Json::array();
  for (const auto& one : undone) {
    Json row;
    row["title"] = printable(one.title);
    row["undone"] = one.result.has_value();
    row["gone"] = one.gone;
    row["error"] = one.result ? Json() : Json(printable(one.result.error().message));
    row["by_hand"] = one.by_hand;
    list.push_back(std::move(row));
  }
  return list;
}

Json slots_json(const std::vector<setup::Slot>& slots) {
  Json list = Json::array();
  for (const auto& slot : slots) {
    Json row;
    row["pci"] = slot.pci.str();
    row["interfaces"] = Json::array();
    for (const auto& name : slot.interfaces) row["interfaces"].push_back(printable(name));
    row["macs"] = Json::array();
    for (const auto& mac : slot.macs) row["macs"].push_back(mac.str());
    row["channels"] = slot.channels;
    row["vdev"] = setup::vdev_of(slot);
    list.push_back(std::move(row));
  }
  return list;
}

const char* word_of(setup::Outcome outcome) {
  switch (outcome) {
    case setup::Outcome::done:
      return "prepared";
    case setup::Outcome::already:
      return "already-prepared";
    case setup::Outcome::rolled_back:
      return "rolled-back";
    case setup::Outcome::roll_back_failed:
      break;
  }
  return "roll-back-failed";
}

const char* word_of(setup::WatchdogState state) {
  if (state == setup::WatchdogState::unknown) return "unknown";
  return state == setup::WatchdogState::alive ? "alive" : "dead";
}

Json wait_json(const setup::Wait& wait) {
  constexpr double kSecond = 1000;
  Json row;
  row["seconds_left"] =
      wait.left ? Json(static_cast<double>(wait.left->count()) / kSecond) : Json();
  row["watchdog"] = word_of(wait.watchdog);
  return row;
}

Json nic_json(const setup::NicStatus& nic) {
  Json row;
  row["name"] = printable(nic.name);
  row["nic"] = values_json(nic.nic);
  row["owner"] = nic.owner;
  row["uio"] = printable(nic.uio);
  row["journal"] = nic.journal;
  row["holders"] = Json::array();
  for (const auto& holder : nic.holders) {
    row["holders"].push_back({{"pid", holder.pid}, {"program", holder.program}});
  }
  row["did"] = Json::array();
  for (const auto& step : nic.did) row["did"].push_back(printable(step));
  row["wait"] = nic.wait ? wait_json(*nic.wait) : Json();
  row["run"] = nic.run;
  return row;
}

void print(Screen& screen, const Json& json) {
  screen.stream() << json.dump(2) << '\n';
}

}  // namespace

void json(Screen& screen, const PrepareAnswer& answer) {
  const auto& prepared = answer.prepared;
  auto json = head("manactl.prepare/1", answer.exit);
  json["outcome"] = answer.rehearsed && prepared.outcome == setup::Outcome::done
                        ? "rehearsed"
                        : word_of(prepared.outcome);
  json["interface"] = printable(prepared.entry.interface);
  json["nic"] = values_json(prepared.entry.nic);
  json["error"] = prepared.cause.message.empty() ? Json() : Json(printable(prepared.cause.message));
  json["steps"] = Json::array();
  for (const auto& step : prepared.ran) {
    json["steps"].push_back({{"title", printable(step.title)},
                             {"changed", step.changed},
                             {"before", values_json(step.before)},
                             {"milliseconds", step.took.count()}});
  }
  json["undone"] = undone_json(prepared.undone);
  json["slots"] = slots_json(answer.slots);
  json["commands"] = answer.commands;
  json["persistent"] = answer.persistent;
  json["confirm_within"] = answer.confirm_within ? Json(*answer.confirm_within) : Json();
  print(screen, json);
}

void json(Screen& screen, const RestoreAnswer& answer) {
  auto json = head("manactl.restore/1", answer.exit);
  json["restored"] = Json::array();
  for (const auto& one : answer.restored) {
    Json row;
    row["id"] = printable(one.id);
    row["interface"] = printable(one.interface);
    row["earlier_boot"] = one.earlier_boot;
    row["journaled"] = one.journaled;
    row["complete"] = one.is_complete();
    row["undone"] = undone_json(one.undone);
    row["unknown"] = one.unknown;
    json["restored"].push_back(std::move(row));
  }
  json["removed"] = answer.removed;
  print(screen, json);
}

void json(Screen& screen, const StatusAnswer& answer) {
  auto json = head("manactl.status/1", Exit::ok);
  json["nics"] = Json::array();
  for (const auto& nic : answer.status.nics) json["nics"].push_back(nic_json(nic));
  json["others"] = Json::array();
  for (const auto& other : answer.status.others) json["others"].push_back(nic_json(other));
  json["journal_error"] =
      answer.journal_error.empty() ? Json() : Json(printable(answer.journal_error));
  json["persistent"] = answer.persistent;
  print(screen, json);
}

void json(Screen& screen, const ArgsAnswer& answer) {
  auto json = head("manactl.args/1", Exit::ok);
  json["slots"] = slots_json(answer.slots);
  json["eal"] = Json::array();
  for (const auto& slot : answer.slots) {
    json["eal"].push_back("--vdev=" + setup::vdev_of(slot));
    for (const auto& channel : slot.channels) {
      if (!answer.allow_channels) continue;
      json["eal"].push_back("-a");
      json["eal"].push_back(channel);
    }
  }
  json["cores"] = answer.cores;
  json["queues"] = answer.queues;
  json["descriptors"] = kDescriptors;
  print(screen, json);
}

void confirm_json(Screen& screen, const std::vector<std::string>& confirmed) {
  auto json = head("manactl.confirm/1", Exit::ok);
  json["confirmed"] = Json::array();
  for (const auto& name : confirmed) json["confirmed"].push_back(printable(name));
  print(screen, json);
}

}  // namespace manactl::cli
