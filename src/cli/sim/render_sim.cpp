// SPDX-License-Identifier: MIT

#include "cli/sim/render_sim.h"

#include <nlohmann/json.hpp>

#include "adapter/check/checker.h"
#include "adapter/check/known_defects.h"
#include "base/enum_words.h"
#include "base/json_text.h"
#include "base/text.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using adapter::AdapterCounters;
using Json = nlohmann::ordered_json;

struct Counter {
  const char* name;
  adapter::Count adapter::PortCounters::* count;
};

using Port = adapter::PortCounters;

constexpr Counter kCounters[] = {
    {"tx_packets", &Port::tx_packets},
    {"tx_bytes", &Port::tx_bytes},
    {"tx_errors", &Port::tx_errors},
    {"tx_lost", &Port::tx_lost},
    {"tx_completions", &Port::tx_completions},
    {"tx_doorbells", &Port::tx_doorbells},
    {"rx_packets", &Port::rx_packets},
    {"rx_bytes", &Port::rx_bytes},
    {"rx_no_buffer", &Port::rx_no_buffer},
    {"rx_truncated", &Port::rx_truncated},
    {"rx_completions", &Port::rx_completions},
    {"rx_doorbells", &Port::rx_doorbells},
    {"events", &Port::events},
};

// The program can write to the shared counters, so their values are untrusted.
std::size_t ports_of(const AdapterCounters& counters) {
  return std::min<std::size_t>(counters.ports, adapter::kMaxPorts);
}

std::vector<std::string> reports_of(AdapterCounters& counters) {
  return strings(adapter::Checker(counters).reports());
}

// Why the program did not use the adapter; empty if it did, or if the reason is unknown.
std::string unused_reason(const AdapterCounters& counters) {
  if (ports_of(counters) != 0 || !counters.lacks_net_mana) return {};
  return fmt::format(
      "its {} has no net_mana. Debian 13 has net_mana in librte-net-mana25; elsewhere, use a DPDK "
      "that is built with it.",
      printable(adapter::driver_of(counters)));
}

// Returns the number of injected faults of each planned kind.
std::vector<std::pair<std::string_view, std::uint64_t>> injected_faults(const SimResult& result) {
  const auto& counters = *result.outcome.counters;
  std::vector<std::pair<std::string_view, std::uint64_t>> faults;
  for (const auto kind : result.faults) {
    faults.emplace_back(word_of(adapter::kFaultKindWords, kind),
                        counters.injected[static_cast<std::size_t>(kind)].load());
  }
  return faults;
}

}  // namespace

void print_text(Screen& screen, const SimResult& result) {
  auto& out = screen.stream();
  auto& counters = *result.outcome.counters;
  if (result.outcome.signal != 0) {
    out << fmt::format("The program was killed by signal {}.\n", result.outcome.signal);
  }
  if (ports_of(counters) == 0) {
    const auto reason = unused_reason(counters);
    out << "The program did not use the adapter" << (reason.empty() ? "." : ": " + reason) << '\n';
    return;
  }
  for (std::size_t i = 0; i < ports_of(counters); ++i) {
    const auto& port = counters.port[i];
    out << fmt::format("port {}: sent {} packets, {} bytes, {} errors, {} lost, {} doorbells\n",
                       i,
                       grouped(port.tx_packets),
                       grouped(port.tx_bytes),
                       grouped(port.tx_errors),
                       grouped(port.tx_lost),
                       grouped(port.tx_doorbells));
    out << fmt::format("        received {} packets, {} bytes, {} without a buffer, {} truncated\n",
                       grouped(port.rx_packets),
                       grouped(port.rx_bytes),
                       grouped(port.rx_no_buffer),
                       grouped(port.rx_truncated));
  }
  std::vector<std::string> faults;
  for (const auto& [name, times] : injected_faults(result)) {
    faults.push_back(fmt::format("{} {}", grouped(times), name));
  }
  if (!faults.empty()) out << "Injected faults: " << join(faults, ", ") << ".\n";
  const auto total = adapter::Checker(counters).total();
  if (total == 0) {
    out << screen.paint(Color::green, "No contract violations.") << '\n';
    return;
  }
  const auto driver = adapter::driver_of(counters);
  out << screen.paint(
             Color::red,
             fmt::format("{} contract {}:", total, total == 1 ? "violation" : "violations"))
      << '\n';
  for (const auto& rule : adapter::rules()) {
    const auto times = adapter::Checker(counters).count_of(rule.violation);
    if (times == 0) continue;
    out << fmt::format("  {} ({}): {}\n", rule.id, times, rule.meaning);
    if (const auto* known = adapter::find_known_defect(driver, rule.violation)) {
      out << fmt::format(
          "    known defect of {}: {} ({})\n", printable(driver), known->meaning, known->reference);
    }
  }
  for (const auto& line : reports_of(counters)) out << "    " << line << '\n';
}

void print_json(Screen& screen, const SimResult& result, Exit exit) {
  auto& counters = *result.outcome.counters;
  const adapter::Checker checker(counters);
  Json json;
  json["schema"] = "manactl.sim/1";
  json["manactl"] = version();
  json["exit"] = static_cast<int>(exit);
  json["command"] = strings(result.command);
  json["status"] = result.outcome.status;
  json["signal"] = result.outcome.signal == 0 ? Json(nullptr) : Json(result.outcome.signal);
  json["ports"] = Json::array();
  for (std::size_t i = 0; i < ports_of(counters); ++i) {
    Json row;
    row["port"] = i;
    for (const auto& [name, count] : kCounters) row[name] = (counters.port[i].*count).load();
    json["ports"].push_back(std::move(row));
  }
  json["faults"] = Json::array();
  for (const auto& [name, times] : injected_faults(result)) {
    json["faults"].push_back({{"fault", name}, {"injected", times}});
  }
  const auto driver = adapter::driver_of(counters);
  const auto reason = unused_reason(counters);
  json["unused_reason"] = reason.empty() ? Json(nullptr) : Json(reason);
  json["driver"] = driver.empty() ? Json(nullptr) : Json(printable(driver));
  json["violations"] = checker.total();
  json["rules"] = Json::array();
  for (const auto& rule : adapter::rules()) {
    const auto times = checker.count_of(rule.violation);
    if (times == 0) continue;
    const auto* known = adapter::find_known_defect(driver, rule.violation);
    json["rules"].push_back(
        {{"id", rule.id},
         {"count", times},
         {"meaning", rule.meaning},
         {"known_defect", known == nullptr ? Json(nullptr) : Json(known->meaning)},
         {"reference", known == nullptr ? Json(nullptr) : Json(known->reference)}});
  }
  json["reports"] = reports_of(counters);
  screen.stream() << json.dump(2) << '\n';
}

}  // namespace manactl::cli
