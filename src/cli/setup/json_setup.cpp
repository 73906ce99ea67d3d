// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>

#include "base/enum_words.h"
#include "base/json_text.h"
#include "base/text.h"
#include "cli/nic_json.h"
#include "cli/setup/render_setup.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

Json document_for(const char* schema, Exit exit = Exit::ok) {
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

Json steps_json(const std::vector<setup::StepResult>& steps, bool is_dry_run) {
  Json list = Json::array();
  for (const auto& step : steps) {
    Json row{{"title", printable(step.title)},
             {"changed", step.changed && !step.only_verifies()},
             {"before", values_json(step.before)}};
    if (!is_dry_run) row["milliseconds"] = step.took.count();
    list.push_back(std::move(row));
  }
  return list;
}

Json undone_json(const std::vector<setup::RevertResult>& undone) {
  Json list = Json::array();
  for (const auto& one : undone) {
    Json row;
    row["title"] = printable(one.title);
    row["undone"] = one.result.has_value();
    row["vanished"] = one.device_vanished;
    row["given_up"] = one.given_up;
    row["notes"] = strings(one.notes);
    row["error"] = one.result ? Json() : Json(printable(one.result.error().message));
    row["manual_commands"] = one.manual_commands;
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

// The outcomes of a NIC that was not left alone.
constexpr EnumWords<setup::PrepareOutcome, 4> kTuneOutcomeWords{{
    {setup::PrepareOutcome::done, "tuned"},
    {setup::PrepareOutcome::already_prepared, "unchanged"},
    {setup::PrepareOutcome::rolled_back, "rolled-back"},
    {setup::PrepareOutcome::roll_back_failed, "roll-back-failed"},
}};

Json tuned_json(const setup::TunedNic& nic, bool is_dry_run) {
  const auto& result = nic.result;
  Json settings = Json::array();
  for (const auto& setting : nic.settings) {
    settings.push_back({{"name", setting.tunable->name},
                        {"interface", printable(setting.interface)},
                        {"now", text_or_null<Json>(setting.now)},
                        {"wanted", printable(setting.wanted)},
                        {"state", word_of(setup::kSettingStateWords, setting.state)},
                        {"interrupts", setting.tunable->interrupts},
                        {"why", setting.tunable->why},
                        {"source", setting.tunable->source}});
  }
  return {{"interface", printable(nic.name)},
          {"outcome",
           nic.left_alone.empty() ? word_of(kTuneOutcomeWords, result.outcome) : "left-alone"},
          {"reason", text_or_null<Json>(nic.left_alone)},
          {"error", text_or_null<Json>(result.cause.message)},
          {"settings", std::move(settings)},
          {"objections", strings(nic.objections)},
          {"steps", steps_json(result.steps, is_dry_run)},
          {"undone", undone_json(result.reverted)}};
}

Json program_json(const Program& program, const Result<ProgramArgs>& args) {
  Json row{{"name", program.name}, {"error", nullptr}};
  if (!args) row["error"] = printable(args.error().message);
  const bool has_threads = args && !program.threads.empty();
  row["threads"] = has_threads ? Json(args->size.threads) : Json();
  row["queues"] = has_threads ? Json(args->size.queues) : Json();
  row["cores"] = has_threads ? args->size.cpus : std::vector<unsigned>();
  row["lines"] = args ? args->lines : std::vector<std::string>();
  row["warnings"] = args ? strings(args->warnings) : std::vector<std::string>();
  return row;
}

void print(Screen& screen, const Json& json) {
  screen.stream() << json.dump(2) << '\n';
}

}  // namespace

void print_json(Screen& screen, const PrepareOutput& result, Exit exit) {
  const auto& prepared = result.prepared;
  auto json = document_for("manactl.prepare/2", exit);
  json["outcome"] = result.is_dry_run && prepared.outcome == setup::PrepareOutcome::done
                        ? "dry-run"
                        : word_of(setup::kPrepareOutcomeWords, prepared.outcome);
  json["interface"] = printable(prepared.entry.interface);
  json["nic"] = identity_json<Json>(prepared.entry.nic);
  json["error"] = prepared.cause.message.empty() ? Json() : Json(printable(prepared.cause.message));
  json["steps"] = steps_json(prepared.steps, result.is_dry_run);
  json["undone"] = undone_json(prepared.reverted);
  json["slots"] = slots_json(result.slots);
  json["warnings"] = strings(warnings_of(prepared));
  json["commands"] = result.commands;
  json["persistent"] = result.persistent;
  json["confirm_within"] = result.confirm_within ? Json(*result.confirm_within) : Json();
  print(screen, json);
}

void print_json(Screen& screen, const TuneOutput& result, Exit exit) {
  auto json = document_for("manactl.tune/1", exit);
  json["dry_run"] = result.is_dry_run;
  json["profile"] = result.profile ? Json(word_of(host::kProfileWords, *result.profile)) : Json();
  json["nics"] = Json::array();
  for (const auto& nic : result.nics) json["nics"].push_back(tuned_json(nic, result.is_dry_run));
  json["commands"] = result.commands;
  json["persistent"] = result.persistent;
  json["confirm_within"] = result.confirm_within ? Json(*result.confirm_within) : Json();
  print(screen, json);
}

void print_json(Screen& screen,
                const std::vector<setup::RestoreResult>& restored,
                bool is_dry_run,
                Exit exit) {
  auto json = document_for("manactl.restore/2", exit);
  json["dry_run"] = is_dry_run;
  json["restored"] = Json::array();
  json["removed"] = Json::array();
  json["commands"] = Json::array();
  for (const auto& one : restored) {
    for (const auto& path : one.removed) json["removed"].push_back(path);
    for (const auto& step : one.planned) {
      for (const auto& command : step.commands)
        json["commands"].push_back(printable(command, 1000));
    }
    if (one.has_only_files()) continue;
    Json row;
    row["id"] = printable(one.id);
    row["interface"] = printable(one.interface);
    row["earlier_boot"] = one.earlier_boot;
    row["journaled"] = one.journaled;
    row["complete"] = one.is_complete() && !is_dry_run;
    row["steps"] = steps_json(one.planned, true);
    row["undone"] = undone_json(one.reverted);
    row["renamed"] = Json::array();
    for (const auto& interface : one.renamed) {
      row["renamed"].push_back(
          {{"before", printable(interface.before)}, {"now", printable(interface.now)}});
    }
    row["unknown"] = one.unknown;
    json["restored"].push_back(std::move(row));
  }
  print(screen, json);
}

void print_json(Screen& screen, const ArgsOutput& result) {
  auto json = document_for("manactl.args/1");
  const auto& devices = result.devices;
  json["slots"] = slots_json(devices.slots);
  json["eal"] = eal_arguments(devices.slots, devices.allow_channels);
  json["nics"] = Json::array();
  for (const auto* nic : devices.nics) {
    json["nics"].push_back(nic_json<Json>(nic->name(), nic, *devices.facts));
  }
  json["descriptors"] = kDescriptors;
  json["warnings"] = strings(result.warnings);
  json["programs"] = Json::array();
  for (const auto& [program, args] : result.programs)
    json["programs"].push_back(program_json(*program, args));
  // These members are those of testpmd.
  const auto& testpmd = json["programs"].front();
  json["cores"] = testpmd["cores"];
  json["queues"] = testpmd["queues"];
  for (const auto& warning : testpmd["warnings"]) json["warnings"].push_back(warning);
  print(screen, json);
}

void print_json(Screen& screen, const std::optional<setup::ConfirmResult>& confirmed) {
  auto json = document_for("manactl.confirm/1");
  json["confirmed"] = Json::array();
  if (confirmed) json["confirmed"].push_back(printable(confirmed->name));
  json["persistent"] = confirmed ? strings(confirmed->persistent) : std::vector<std::string>();
  print(screen, json);
}

}  // namespace manactl::cli
