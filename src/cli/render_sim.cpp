// SPDX-License-Identifier: MIT

#include "cli/render_sim.h"

#include <nlohmann/json.hpp>

#include "adapter/checker.h"
#include "base/text.h"
#include "cli/json_text.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using adapter::Ledger;
using Json = nlohmann::ordered_json;

struct Counter {
  const char* name;
  adapter::Count adapter::PortCounters::*count;
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

// The program writes the ledger and may have written anything: no number of it is believed.
std::size_t ports_of(const Ledger& ledger) {
  return std::min<std::size_t>(ledger.ports, adapter::kMaxPorts);
}

std::vector<std::string> reports_of(Ledger& ledger) {
  return strings(adapter::Checker(ledger).reports());
}

}  // namespace

void text(Screen& screen, const SimAnswer& answer) {
  auto& out = screen.stream();
  auto& ledger = *answer.outcome.ledger;
  if (answer.outcome.signal != 0) {
    out << fmt::format("The program was ended by signal {}.\n", answer.outcome.signal);
  }
  if (ports_of(ledger) == 0) {
    out << "The program did not use the adapter.\n";
    return;
  }
  for (std::size_t i = 0; i < ports_of(ledger); ++i) {
    const auto& port = ledger.port[i];
    out << fmt::format("port {}: sent {} packets, {} bytes, {} errors, {} doorbells\n",
                       i,
                       port.tx_packets.load(),
                       port.tx_bytes.load(),
                       port.tx_errors.load(),
                       port.tx_doorbells.load());
    out << fmt::format("        received {} packets, {} bytes, {} without a buffer, {} truncated\n",
                       port.rx_packets.load(),
                       port.rx_bytes.load(),
                       port.rx_no_buffer.load(),
                       port.rx_truncated.load());
  }
  const auto total = adapter::Checker(ledger).total();
  if (total == 0) {
    out << screen.paint(Colour::green, "The driver kept the contract.") << '\n';
    return;
  }
  out << screen.paint(Colour::red, fmt::format("The driver broke the contract {} times:", total))
      << '\n';
  for (const auto& rule : adapter::rules()) {
    const auto times = adapter::Checker(ledger).of(rule.violation);
    if (times != 0) out << fmt::format("  {} ({}): {}\n", rule.id, times, rule.meaning);
  }
  for (const auto& line : reports_of(ledger)) out << "    " << line << '\n';
}

void json(Screen& screen, const SimAnswer& answer) {
  auto& ledger = *answer.outcome.ledger;
  const adapter::Checker checker(ledger);
  Json json;
  json["schema"] = "manactl.sim/1";
  json["manactl"] = version();
  json["exit"] = static_cast<int>(answer.exit);
  json["command"] = strings(answer.command);
  json["status"] = answer.outcome.status;
  json["signal"] = answer.outcome.signal == 0 ? Json(nullptr) : Json(answer.outcome.signal);
  json["ports"] = Json::array();
  for (std::size_t i = 0; i < ports_of(ledger); ++i) {
    Json row;
    row["port"] = i;
    for (const auto& [name, count] : kCounters) row[name] = (ledger.port[i].*count).load();
    json["ports"].push_back(std::move(row));
  }
  json["violations"] = checker.total();
  json["rules"] = Json::array();
  for (const auto& rule : adapter::rules()) {
    const auto times = checker.of(rule.violation);
    if (times == 0) continue;
    json["rules"].push_back({{"id", rule.id}, {"count", times}, {"meaning", rule.meaning}});
  }
  json["reports"] = reports_of(ledger);
  screen.stream() << json.dump(2) << '\n';
}

}  // namespace manactl::cli
