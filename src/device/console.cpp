// SPDX-License-Identifier: MIT

#include "device/console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace manactl::device {
namespace {

constexpr std::string_view kHelp =
    "statistics | violations | requests | fault CODE=ACTION | no-faults | hostile SEED[,...] | "
    "hostile off | event TYPE | link up|down | revoke | help";

// The types of events that a device sends on its own.
constexpr EnumWords<wire::EventType, 3> kEvents = {{
    {wire::EventType::fpga_reconfiguration, "fpga-reconfiguration"},
    {wire::EventType::soc_service, "soc-service"},
    {wire::EventType::reset_request, "reset-request"},
}};

std::string error(std::string_view reason) {
  return fmt::format("error: {}", reason);
}

std::uint64_t packets(const wire::TrafficCounters& counters) {
  return counters.unicast_packets + counters.broadcast_packets + counters.multicast_packets;
}

// The member "uplink" of a port's object; empty if the port has no uplink.
std::string uplink_member(const UplinkCounters* counters) {
  if (counters == nullptr) return {};
  return fmt::format(
      R"(,"uplink":{{"tx_packets":{},"tx_dropped":{},"rx_packets":{},"rx_dropped":{}}})",
      counters->sent,
      counters->send_dropped,
      counters->received,
      counters->receive_dropped);
}

// The member "misbehaviors" with the counts by kind; empty if there was none.
std::string misbehaviors_member(const Hostile& hostile) {
  std::vector<std::string> counts;
  for (const auto& [kind, word] : kHostileKinds) {
    const auto count = hostile.counts()[static_cast<std::size_t>(kind)];
    if (count != 0) counts.push_back(fmt::format(R"("{}":{})", word, count));
  }
  if (counts.empty()) return {};
  return fmt::format(R"(,"misbehaviors":{{{}}})", fmt::join(counts, ","));
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char character : printable(text)) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result + '"';
}

}  // namespace

std::string Console::statistics() {
  std::vector<std::string> ports;
  const auto& vports = device_.vports().all();
  for (std::size_t i = 0; i < vports.size(); ++i) {
    const auto& vport = vports[i];
    const auto& counters = vport.counters;
    std::uint64_t errors = 0;
    for (const auto count : counters.tx_errors) errors += count;
    ports.push_back(fmt::format(
        R"({{"mac":"{}","tx_packets":{},"tx_bytes":{},"tx_errors":{},"rx_packets":{},"rx_bytes":{},)"
        R"("rx_without_buffer":{},"rx_disabled":{}{}}})",
        vport.mac.str(),
        packets(counters.tx),
        counters.tx.bytes,
        errors,
        packets(counters.rx),
        counters.rx.bytes,
        counters.rx_no_wqe,
        counters.rx_vport_disabled,
        uplink_member(device_.packets().uplink_counters(i))));
  }
  const auto link_drops = device_.packets().link_drops();
  return fmt::format(R"({{"messages":{},"violations":{},"ports":[{}]{}{}}})",
                     device_.messages(),
                     trace_.violations(),
                     fmt::join(ports, ","),
                     link_drops == 0 ? "" : fmt::format(R"(,"link_drops":{})", link_drops),
                     misbehaviors_member(device_.hostile()));
}

std::string Console::violations() const {
  std::vector<std::string> texts;
  for (const auto& text : trace_.kept()) texts.push_back(quoted(text));
  return fmt::format("[{}]", fmt::join(texts, ","));
}

std::string Console::requests() const {
  std::vector<std::string> counts;
  for (const auto& [command, count] : device_.executed()) {
    counts.push_back(fmt::format(R"("{}":{})", wire::name_of(command), count));
  }
  return fmt::format("{{{}}}", fmt::join(counts, ","));
}

std::string Console::hostile(std::string_view argument) {
  if (argument == "off") {
    device_.hostile().stop();
    return "ok";
  }
  const auto plan = HostilePlan::parse(argument);
  if (!plan) return error(plan.error().message);
  device_.hostile().start(*plan);
  return "ok";
}

std::string Console::execute(std::string_view line) {
  const auto space = line.find(' ');
  const auto command = line.substr(0, space);
  const auto argument = space == std::string_view::npos ? "" : line.substr(space + 1);
  if (command == "help") return std::string(kHelp);
  if (command == "statistics") return statistics();
  if (command == "violations") return violations();
  if (command == "requests") return requests();
  if (command == "no-faults") {
    device_.faults().clear();
    return "ok";
  }
  if (command == "fault") {
    const auto fault = Fault::parse(argument);
    if (!fault) return error(fault.error().message);
    device_.faults().add(*fault);
    return "ok";
  }
  if (command == "revoke") {
    device_.revoke();
    return "ok";
  }
  if (command == "link") {
    if (argument != "up" && argument != "down") return error("expected link up or link down");
    device_.set_link(argument == "up");
    return "ok";
  }
  if (command == "hostile") return hostile(argument);
  if (command == "event") {
    const auto type = value_of(kEvents, argument);
    if (!type) return error(fmt::format("expected one of {}", fmt::join(words_of(kEvents), ", ")));
    return device_.send_event(*type) ? "ok" : error("no driver has set up the hardware channel");
  }
  return error(fmt::format("unknown command '{}', try help", printable(command)));
}

}  // namespace manactl::device
