// SPDX-License-Identifier: MIT

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/check/render_check.h"
#include "cli/nic_json.h"
#include "cli/remedy_json.h"
#include "cli/version.h"
#include "diag/readiness.h"
#include "diag/release_table.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

Json kernel_json(const host::Facts& facts) {
  if (!facts.kernel) return nullptr;
  Json json = {{"release", safe(facts.kernel->release)},
               {"machine", safe(facts.kernel->machine)},
               {"distribution", text_or_null<Json>(facts.kernel->distribution)}};
  if (facts.kernel->page_bytes != 0) json["page_size"] = facts.kernel->page_bytes;
  return json;
}

Json platform_json(const host::Facts& facts) {
  if (!facts.platform) return nullptr;
  return {{"azure", facts.platform->azure},
          {"hyperv", facts.platform->hyperv},
          {"evidence", safe(facts.platform->evidence)}};
}

// Null if nobody asked the metadata service, or without a reply.
Json metadata_json(const host::Facts& facts) {
  if (!facts.metadata || !*facts.metadata) return nullptr;
  const auto& metadata = **facts.metadata;
  const auto* series = diag::find_moving_series(metadata.size);
  Json json = {{"size", safe(metadata.size)},
               {"mana_series", series == nullptr ? Json(nullptr) : Json(series->name)},
               {"legacy_tag", metadata.has_legacy_tag},
               {"events", nullptr}};
  if (!metadata.events) return json;
  json["events"] = Json::array();
  for (const auto& event : *metadata.events) {
    json["events"].push_back(
        {{"type", safe(event.type)}, {"not_before", text_or_null<Json>(event.not_before)}});
  }
  return json;
}

// The platform may report no node.
Json number_or_null(int node) {
  return node < 0 ? Json(nullptr) : Json(node);
}

Json functions_json(const host::Facts& facts) {
  if (!facts.functions) return nullptr;
  Json array = Json::array();
  for (const auto& function : *facts.functions) {
    array.push_back({{"address", function.address.str()},
                     {"vendor", fmt::format("{:04x}", function.vendor)},
                     {"device", fmt::format("{:04x}", function.device)},
                     {"mana", function.is_mana()},
                     {"driver", text_or_null<Json>(function.driver)},
                     {"numa_node", number_or_null(function.numa_node)},
                     {"slot", text_or_null<Json>(function.slot)},
                     {"netdevs", strings(function.netdevs)},
                     {"rdma_devices", strings(function.rdma_devices)}});
  }
  return array;
}

Json nics_json(const host::Facts& facts) {
  if (!facts.nics) return nullptr;
  Json array = Json::array();
  for (const auto& nic : *facts.nics) {
    array.push_back(nic_json<Json>(nic.name(), &nic, facts));
  }
  return array;
}

// The names of NICs, VFs, functions, RDMA devices and modules in the facts.
std::vector<std::string> known_names(const host::Facts& facts) {
  std::vector<std::string> names;
  for (const auto& nic : facts.nics.value_or(std::vector<host::Nic>{})) {
    names.push_back(nic.name());
    if (nic.vf) names.push_back(nic.vf->name);
  }
  for (const auto& function : facts.functions.value_or(std::vector<host::PciFunction>{})) {
    names.push_back(function.address.str());
  }
  for (const auto& device : facts.rdma.devices.value_or(std::vector<host::RdmaDevice>{})) {
    names.push_back(device.name);
  }
  for (const auto& module : facts.modules) names.push_back(module.name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Returns the names that occur as words in the detail of the finding.
std::vector<std::string> subjects_of(const diag::Finding& finding,
                                     const std::vector<std::string>& names) {
  constexpr std::string_view kEnds = " ,;:()";
  std::vector<std::string> found;
  for (const auto& name : names) {
    for (auto at = finding.detail.find(name); at != std::string::npos;
         at = finding.detail.find(name, at + 1)) {
      const auto end = at + name.size();
      const bool begins = at == 0 || kEnds.find(finding.detail[at - 1]) != std::string_view::npos;
      const bool ends =
          end == finding.detail.size() || kEnds.find(finding.detail[end]) != std::string_view::npos;
      if (!begins || !ends) continue;
      found.push_back(name);
      break;
    }
  }
  return found;
}

Json check_json(const diag::CheckOutcome& ran, const std::vector<std::string>& names) {
  Json row;
  row["id"] = ran.check.id;
  row["group"] = ran.check.group();
  row["title"] = ran.check.title;
  row["status"] = word_of(ran.finding.status);
  row["detail"] = text_or_null<Json>(ran.finding.detail);
  row["subjects"] = strings(subjects_of(ran.finding, names));
  row["evidence"] = strings(ran.finding.evidence);
  const auto& remedy = ran.finding.remedy;
  row["remedy"] = remedy ? remedy_json<Json>(*remedy) : Json(nullptr);
  return row;
}

Json readiness_json(const CheckResult& result) {
  Json json = {{"forecast", !result.facts.has_mana()}};
  for (const auto& [use, word] : diag::kUseWords) {
    const auto readiness = diag::readiness_for(use, result.facts, result.report);
    Json ids = Json::array();
    for (const auto* reason : readiness.reasons) ids.push_back(reason->check.id);
    json[std::string(word)] = {{"ready", readiness.ready ? Json(*readiness.ready) : Json(nullptr)},
                               {"reasons", std::move(ids)}};
  }
  return json;
}

// The measured seconds; null if the load since boot was judged.
Json interval_json(const host::Facts& facts) {
  if (!facts.load || !facts.earlier_load) return nullptr;
  return facts.load->seconds - facts.earlier_load->seconds;
}

}  // namespace

void print_json(Screen& screen, const CheckResult& result, Exit exit) {
  using diag::Status;
  Json document;
  document["schema"] = "manactl.check/2";
  document["manactl"] = version();
  document["healthy"] = result.report.healthy() && result.facts.has_mana();
  document["complete"] = result.report.outcomes.size() == diag::all_checks().size();
  document["exit"] = static_cast<int>(exit);
  for (const auto status :
       {Status::pass, Status::warn, Status::fail, Status::skipped, Status::unknown}) {
    document["counts"][std::string(word_of(status))] = result.report.count(status);
  }
  document["readiness"] = readiness_json(result);
  document["interval"] = interval_json(result.facts);
  document["host"] = {{"kernel", kernel_json(result.facts)},
                      {"platform", platform_json(result.facts)},
                      {"metadata", metadata_json(result.facts)},
                      {"functions", functions_json(result.facts)},
                      {"nics", nics_json(result.facts)},
                      {"interfaces", strings(result.facts.interfaces)}};
  document["checks"] = Json::array();
  const auto names = known_names(result.facts);
  for (const auto& ran : result.report.outcomes) {
    document["checks"].push_back(check_json(ran, names));
  }
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
