// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/check/render_check.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

Json kernel_json(const host::Facts& facts) {
  if (!facts.kernel) return nullptr;
  return {{"release", safe(facts.kernel->release)},
          {"machine", safe(facts.kernel->machine)},
          {"distribution", safe(facts.kernel->distribution)}};
}

Json platform_json(const host::Facts& facts) {
  if (!facts.platform) return nullptr;
  return {{"azure", facts.platform->azure},
          {"hyperv", facts.platform->hyperv},
          {"evidence", safe(facts.platform->evidence)}};
}

Json functions_json(const host::Facts& facts) {
  if (!facts.functions) return nullptr;
  Json array = Json::array();
  for (const auto& function : *facts.functions) {
    array.push_back({{"address", function.address.str()},
                     {"vendor", fmt::format("{:04x}", function.vendor)},
                     {"device", fmt::format("{:04x}", function.device)},
                     {"mana", function.is_mana()},
                     {"driver", safe(function.driver)},
                     {"numa_node", function.numa_node},
                     {"slot", safe(function.slot)},
                     {"netdevs", strings(function.netdevs)},
                     {"rdma_devices", strings(function.rdma_devices)}});
  }
  return array;
}

Json netdev_json(const std::optional<host::Netdev>& netdev) {
  if (!netdev) return nullptr;
  return {{"name", safe(netdev->name)},
          {"mac", netdev->mac.str()},
          {"driver", safe(netdev->driver)},
          {"up", netdev->up},
          {"running", netdev->running},
          {"mtu", netdev->mtu}};
}

Json nics_json(const host::Facts& facts) {
  if (!facts.nics) return nullptr;
  Json array = Json::array();
  for (const auto& nic : *facts.nics) {
    array.push_back({{"name", safe(nic.name())},
                     {"synthetic", netdev_json(nic.synthetic)},
                     {"vf", netdev_json(nic.vf)},
                     {"vmbus", nic.vmbus ? Json(nic.vmbus->str()) : Json(nullptr)},
                     {"vmbus_driver", safe(nic.vmbus_driver)},
                     {"prepared", nic.is_prepared()},
                     {"paired_by", safe(nic.paired_by)},
                     {"carries", strings(nic.carries)}});
  }
  return array;
}

Json check_json(const diag::CheckOutcome& ran) {
  Json row;
  row["id"] = ran.check.id;
  row["group"] = ran.check.group();
  row["title"] = ran.check.title;
  row["status"] = word_of(ran.finding.status);
  row["detail"] = safe(ran.finding.detail);
  row["evidence"] = strings(ran.finding.evidence);
  row["remedy"] = nullptr;
  if (ran.finding.remedy) {
    row["remedy"] = {{"why", safe(ran.finding.remedy->why)},
                     {"commands", strings(ran.finding.remedy->commands)}};
  }
  return row;
}

}  // namespace

void print_json(Screen& screen, const CheckResult& result, Exit exit) {
  using diag::Status;
  Json document;
  document["schema"] = "manactl.check/1";
  document["manactl"] = version();
  document["healthy"] = result.report.healthy() && result.facts.has_mana();
  document["complete"] = result.report.outcomes.size() == diag::all_checks().size();
  document["exit"] = static_cast<int>(exit);
  for (const auto status :
       {Status::pass, Status::warn, Status::fail, Status::skipped, Status::unknown}) {
    document["counts"][std::string(word_of(status))] = result.report.count(status);
  }
  document["host"] = {{"kernel", kernel_json(result.facts)},
                      {"platform", platform_json(result.facts)},
                      {"functions", functions_json(result.facts)},
                      {"nics", nics_json(result.facts)},
                      {"interfaces", strings(result.facts.interfaces)}};
  document["checks"] = Json::array();
  for (const auto& ran : result.report.outcomes) document["checks"].push_back(check_json(ran));
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
