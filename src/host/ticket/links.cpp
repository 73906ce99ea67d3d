// SPDX-License-Identifier: MIT
//
// The outputs of ip (ip/ipaddress.c of iproute2) and of ethtool.

#include <algorithm>
#include <array>

#include "base/text.h"
#include "host/ticket/formats.h"

namespace manactl::host {
namespace {

// ---- ip -----------------------------------------------------------------------------------------

// "ip -br link", "ip -d link show", "ip a"; not "ip route" or "ip link set".
bool is_ip_links(const TicketWords& words) {
  if (words.empty() || words[0] != "ip") return false;
  const auto object =
      std::find_if(words.begin() + 1, words.end(), [](auto word) { return word[0] != '-'; });
  if (object == words.end()) return false;
  const bool is_list = std::string_view("link").starts_with(*object) ||
                       std::string_view("address").starts_with(*object) || *object == "addr";
  if (!is_list || object + 1 == words.end()) return is_list;
  constexpr std::array<std::string_view, 7> kShows = {
      "show", "s", "sh", "list", "ls", "lst", "dev"};
  return std::ranges::find(kShows, object[1]) != kShows.end() || object[1].size() > 2;
}

// True if the command lists all interfaces. With -4 or -6, it lists those with such an address.
bool lists_all_links(std::string_view command) {
  const auto all = words(command);
  return std::none_of(all.begin() + (all.empty() ? 0 : 1), all.end(), [](auto word) {
    return word == "-4" || word == "-6" ||
           (word[0] != '-' && word != "link" && word != "l" && word != "li" && word != "a" &&
            word != "addr" && word != "address" && word != "add" && word != "show" &&
            word != "ls" && word != "list" && word != "sh" && word != "s");
  });
}

bool is_flags(std::string_view word) {
  return word.size() > 2 && word.front() == '<' && word.back() == '>';
}

// "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 ..."
bool is_full_link(const TicketWords& words) {
  return words.size() > 4 && words[0].size() > 1 && words[0].back() == ':' &&
         is_all_digits(words[0].substr(0, words[0].size() - 1)) && words[1].back() == ':' &&
         is_flags(words[2]);
}

// "eth0             UP             00:0d:3a:6f:df:72 <BROADCAST,MULTICAST,UP,LOWER_UP>"
bool is_brief_link(const TicketWords& words) {
  return words.size() == 4 && is_flags(words[3]) && MacAddress::parse(words[2]).has_value();
}

bool is_link_line(std::string_view line) {
  const auto all = words(line);
  return is_full_link(all) || is_brief_link(all);
}

void begin_link(std::string_view name, TicketOutput& output, TicketStatements& statements) {
  output.subject = std::string(name.substr(0, name.find('@')));
  output.seen.insert(output.subject);
  statements.add(fmt::format("link {} present", output.subject), "yes");
}

// States the value after each known word: "mtu 1500", "master eth0", "link/ether 00:0d:...".
void add_link_words(const TicketWords& words,
                    const TicketOutput& output,
                    TicketStatements& statements) {
  const auto add = [&](std::string_view field, std::string_view value) {
    statements.add(fmt::format("link {} {}", output.subject, field), std::string(value));
  };
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto word = words[i];
    const auto next = words[i + 1];
    if (word == "mtu" || word == "master") add(word, next);
    if (word == "link/ether") add("mac", next);
    if (word == "parentbus") add("bus", next);
    if (word == "parentdev") add("device", next);
  }
}

bool parse_link(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  const auto all = words(line);
  // A line with two interfaces was joined from several.
  const auto flags = std::ranges::count_if(all, is_flags);
  if (flags > 1) return false;
  if (is_full_link(all)) {
    begin_link(all[1].substr(0, all[1].size() - 1), output, statements);
    statements.add(fmt::format("link {} flags", output.subject), std::string(all[2]));
    if (std::ranges::find(all, "master") == all.end()) {
      statements.add(fmt::format("link {} master", output.subject), "");
    }
    add_link_words(all, output, statements);
    return true;
  }
  if (is_brief_link(all)) {
    begin_link(all[0], output, statements);
    statements.add(fmt::format("link {} flags", output.subject), std::string(all[3]));
    statements.add(fmt::format("link {} mac", output.subject), std::string(all[2]));
    return true;
  }
  constexpr std::array<std::string_view, 12> kDetails = {"link/",
                                                         "altname",
                                                         "inet",
                                                         "valid_lft",
                                                         "RX:",
                                                         "TX:",
                                                         "alias",
                                                         "vlan ",
                                                         "bond",
                                                         "bridge",
                                                         "veth",
                                                         "promiscuity"};
  const bool is_detail =
      std::ranges::any_of(kDetails, [line](auto start) { return line.starts_with(start); }) ||
      std::ranges::all_of(all, is_all_digits) || line.find("addrgenmode") != line.npos ||
      line.find("parentbus") != line.npos;
  // `ip -br addr` prints neither flags nor MAC addresses.
  constexpr std::array<std::string_view, 5> kStates = {
      "UP", "DOWN", "UNKNOWN", "LOWERLAYERDOWN", "DORMANT"};
  const bool is_brief_address =
      all.size() >= 2 && std::ranges::find(kStates, all[1]) != kStates.end();
  if (is_brief_address) return true;
  if (!is_detail || output.subject.empty()) return false;
  add_link_words(all, output, statements);
  return true;
}

void finish_links(const TicketOutput& output, TicketStatements& statements) {
  const auto filter = filter_of_pipe(output.command);
  // Every network namespace has a loopback interface.
  const bool is_all = output.is_complete && output.seen.contains("lo") && filter.is_known &&
                      filter.patterns.empty() && lists_all_links(output.command);
  if (!is_all) return;
  add_absent("link", filter, output, statements);
  statements.renew("links", "all");
}

// ---- ethtool ------------------------------------------------------------------------------------

template <char option>
bool is_ethtool(const TicketWords& words) {
  return words.size() > 1 && words[0] == "ethtool" && words[1].size() == 2 && words[1][0] == '-' &&
         words[1][1] == option;
}

// The interface of "ethtool -i eth0"; empty for other commands.
std::string_view interface_of(const TicketOutput& output) {
  const auto all = words(output.command);
  const bool is_named = all.size() > 2 && InterfaceName::parse(all[2]).has_value();
  return is_named ? all[2] : std::string_view();
}

std::string_view value_after_colon(std::string_view line) {
  return trim(line.substr(std::min(line.find(':') + 1, line.size())));
}

bool is_driver_line(std::string_view line) {
  return line == "driver: mana" || line == "driver: hv_netvsc";
}

bool parse_driver(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  constexpr std::array<std::string_view, 6> kKeys = {"driver:",
                                                     "version:",
                                                     "firmware-version:",
                                                     "expansion-rom-version:",
                                                     "bus-info:",
                                                     "supports-"};
  const auto has_key =
      std::ranges::any_of(kKeys, [line](auto key) { return line.starts_with(key); });
  // A second output without a command in between is of an unknown interface.
  const bool is_again = line.starts_with("driver:") && !output.note.empty();
  if (!has_key || is_again) return false;
  const auto value = std::string(value_after_colon(line));
  const auto name = interface_of(output);
  if (line.starts_with("driver:")) {
    output.note = value;
    if (!name.empty()) statements.add(fmt::format("link {} driver", name), value);
    if (value == kSyntheticDriver) statements.add("hyperv", "yes");
    if (value == kManaDriver) statements.add("mana", "yes");
    if (value == "mlx4_core" || value == "mlx5_core") statements.add("other nic", "yes");
  } else if (line.starts_with("bus-info:") && output.note == kManaDriver) {
    const auto address = PciAddress::parse(value);
    if (!address) return true;
    statements.add(fmt::format("function {} present", address->str()), "yes");
    statements.add(fmt::format("function {} mana", address->str()), "yes");
    statements.add(fmt::format("function {} driver", address->str()), output.note);
    if (!name.empty()) {
      statements.add(fmt::format("function {} netdev {}", address->str(), name), "yes");
    }
  }
  return true;
}

bool parse_counters(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  // Only hv_netvsc counts the packets of a VF, and only mana has counters of the hardware channel.
  const bool is_synthetic = line.starts_with("vf_rx_packets:");
  const bool is_mana = line.starts_with("hc_rx_discards_no_wqe:");
  const auto name = interface_of(output);
  if ((is_synthetic || is_mana) && !name.empty()) {
    statements.add(fmt::format("link {} driver", name),
                   std::string(is_mana ? kManaDriver : kSyntheticDriver));
    statements.add(is_mana ? "mana" : "hyperv", "yes");
  }
  return line.find(':') != std::string_view::npos;
}

}  // namespace

std::vector<TicketFormat> link_formats() {
  return {
      {"ip link", is_ip_links, is_link_line, parse_link, finish_links},
      {"ethtool -i", is_ethtool<'i'>, is_driver_line, parse_driver},
      {"ethtool -S", is_ethtool<'S'>, nullptr, parse_counters},
  };
}

}  // namespace manactl::host
