// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/number_names.h"
#include "base/text.h"
#include "cli/doctor/render_doctor.h"
#include "cli/remedy_json.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

Json quote_json(const std::optional<diag::Quote>& quote) {
  if (!quote) return nullptr;
  return {{"log", safe(quote->log)}, {"line", quote->line}, {"text", safe(quote->text)}};
}

Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(safe(text));
}

Json milestone_json(const diag::Milestone& one) {
  return {{"state", word_of(diag::kStates, one.state)},
          {"device", text_or_null(one.device.text())},
          {"id", one.signature->id},
          {"line", one.quote.line},
          {"last_line", one.last_line},
          {"time", text_or_null(one.time)},
          {"last_time", text_or_null(one.last_time)},
          {"text", safe(one.quote.text)}};
}

Json run_json(const std::string& log, const diag::Run& run) {
  Json row;
  row["log"] = safe(log);
  row["kind"] = word_of(diag::kRunKinds, run.kind);
  row["first_line"] = run.first_line;
  row["last_line"] = run.last_line;
  row["time"] = text_or_null(run.time);
  row["dpdk"] = text_or_null(run.dpdk_release);
  row["worked"] = run.worked.has_value();
  row["ending"] = word_of(diag::kEndings, run.ending);
  row["end"] = quote_json(run.end);
  row["states"] = Json::array();
  for (const auto& one : run.milestones) row["states"].push_back(milestone_json(one));
  return row;
}

Json absences_json(const diag::Absences& absences) {
  return {{"count", absences.count},
          {"seconds", absences.lengths},
          {"longest", absences.lengths.empty() ? Json(nullptr) : Json(absences.longest)}};
}

Json nic_json(const std::string& log, const diag::NicStory& nic) {
  Json row;
  row["log"] = safe(log);
  row["channel"] = safe(nic.channel);
  row["interface"] = text_or_null(nic.interface);
  row["state"] = word_of(diag::kVfStates, nic.state);
  row["worked"] = nic.has_worked;
  row["since"] = quote_json(nic.since);
  row["time"] = nic.since ? text_or_null(nic.since->time) : Json(nullptr);
  row["seconds"] = nic.seconds ? Json(*nic.seconds) : Json(nullptr);
  row["absences"] = absences_json(nic.removals);
  row["switches"] = absences_json(nic.switches);
  row["last_switch"] = quote_json(nic.last_switch);
  return row;
}

Json verdict_json(const DoctorResult& result) {
  const auto& verdict = result.diagnosis.verdict;
  if (!verdict) return nullptr;
  const bool is_unknown = diag::is_failure(verdict->answer) && !result.diagnosis.root;
  return {{"answer", word_of(diag::kAnswers, verdict->answer)},
          {"worked", verdict->worked ? milestone_json(*verdict->worked) : Json(nullptr)},
          {"idle", verdict->idle ? milestone_json(*verdict->idle) : Json(nullptr)},
          {"failure", quote_json(verdict->failure)},
          {"failure_time", verdict->failure ? text_or_null(verdict->failure->time) : Json(nullptr)},
          {"report_with", is_unknown ? text_or_null(report_command(result)) : Json(nullptr)}};
}

Json item_json(const diag::Diagnosis::Item& item) {
  Json row;
  row["id"] = item.id.empty() ? Json(nullptr) : Json(safe(item.id));
  row["title"] = safe(item.title);
  row["quote"] = quote_json(item.quote);
  row["count"] = item.count;
  row["cause"] = text_or_null(item.cause);
  row["remedy"] = nullptr;
  if (!item.fix.empty()) {
    row["remedy"] = remedy_json<Json>({item.fix, item.commands, item.other_fixes});
  }
  row["alternatives"] = Json::array();
  for (const auto& one : item.alternatives) {
    row["alternatives"].push_back({{"cause", safe(one.cause)},
                                   {"confirm", text_or_null(one.confirm)},
                                   {"state", word_of(kConfirmations, one.confirmation)},
                                   {"by", text_or_null(one.confirmed_by)}});
  }
  row["confirmation"] = {{"state", word_of(kConfirmations, item.confirmation)},
                         {"by", text_or_null(item.confirmed_by)}};
  row["note"] = text_or_null(item.note);
  row["proof"] = quote_json(item.proof);
  row["context"] = Json::array();
  for (const auto& line : item.context) {
    row["context"].push_back({{"line", line.line}, {"text", safe(line.text)}});
  }
  return row;
}

Json items_json(const std::vector<diag::Diagnosis::Item>& items) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(item_json(item));
  return array;
}

Json stage_json(const datapath::ProbeReport& report, datapath::Stage stage) {
  const auto& one = report.at(stage);
  const int number = one.reason ? one.reason->sys : 0;
  Json row;
  row["id"] = datapath::id_of(stage);
  row["outcome"] = datapath::name_of(one.outcome);
  row["call"] = text_or_null(one.call);
  row["errno"] = number == 0 ? Json(nullptr) : Json(number);
  row["error"] = text_or_null(std::string(errno_name(number)));
  row["reason"] = text_or_null(one.reason ? one.reason->message : std::string());
  return row;
}

Json probe_json(const datapath::ProbeReport& report) {
  const auto end = report.end();
  Json row;
  row["interface"] = safe(report.interface);
  row["device"] = text_or_null(report.device);
  row["slot"] = text_or_null(report.slot);
  row["port"] = report.port == 0 ? Json(nullptr) : Json(report.port);
  row["simulated"] = report.simulated;
  row["rdma_core"] = text_or_null(report.version);
  row["ended_at"] = end ? Json(datapath::id_of(*end)) : Json(nullptr);
  row["stages"] = Json::array();
  for (std::size_t i = 0; i < datapath::kStages; ++i) {
    row["stages"].push_back(stage_json(report, static_cast<datapath::Stage>(i)));
  }
  return row;
}

}  // namespace

void print_json(std::ostream& out, const DoctorResult& result, Exit exit) {
  const auto& diagnosis = result.diagnosis;
  Json document;
  document["schema"] = "manactl.doctor/4";
  document["manactl"] = version();
  document["exit"] = static_cast<int>(exit);
  document["verdict"] = verdict_json(result);
  document["root"] = diagnosis.root ? item_json(*diagnosis.root) : Json(nullptr);
  document["others"] = items_json(diagnosis.others);
  document["consequences"] = items_json(diagnosis.consequences);
  document["unexplained"] = items_json(diagnosis.unexplained);
  document["benign"] = items_json(diagnosis.benign);
  document["expected"] = items_json(diagnosis.expected);
  document["recovered"] = items_json(diagnosis.recovered);
  document["unknown"] = items_json(diagnosis.unknown);
  document["checks"] = result.report.outcomes.size();
  document["lines"] = diagnosis.lines;
  document["logs"] = Json::array();
  for (const auto& log : result.logs) {
    document["logs"].push_back({{"name", safe(log.name)},
                                {"lines", log.lines},
                                {"dpdk", text_or_null(log.dpdk_release)},
                                {"outputs", strings(log.outputs)},
                                {"unused", strings(log.unused)}});
  }
  document["runs"] = Json::array();
  for (const auto& log : result.logs) {
    for (const auto& run : log.runs) document["runs"].push_back(run_json(log.name, run));
  }
  document["nics"] = Json::array();
  for (const auto& log : result.logs) {
    for (const auto& nic : log.nics) document["nics"].push_back(nic_json(log.name, nic));
  }
  document["notes"] = strings(result.notes);
  document["probe"] = result.probe == nullptr ? Json(nullptr) : probe_json(*result.probe);
  out << document.dump(2) << '\n';
}

}  // namespace manactl::cli
