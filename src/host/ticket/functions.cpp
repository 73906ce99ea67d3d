// SPDX-License-Identifier: MIT
//
// The outputs that list PCI functions: lspci (pciutils), dpdk-devbind.py (usertools of DPDK), and
// the kernel's messages about the functions that it finds.

#include <algorithm>
#include <array>
#include <optional>

#include "base/characters.h"
#include "base/text.h"
#include "host/ticket/formats.h"

namespace manactl::host {
namespace {

// "7870:00:00.0" or, if all domains are 0, "00:02.0".
std::optional<PciAddress> address_in(std::string_view word) {
  constexpr std::size_t kWithoutDomain = 7;
  const auto text = word.size() == kWithoutDomain ? "0000:" + std::string(word) : std::string(word);
  const auto address = PciAddress::parse(text);
  return address ? std::optional(*address) : std::nullopt;
}

// The ids of the functions that drivers of MANA and Mellanox support. `text` is the rest of a line
// of lspci: "Ethernet controller [0200]: Microsoft Corporation Device [1414:00ba]".
std::string id_in(std::string_view text) {
  const auto has = [text](std::string_view part) { return text.find(part) != text.npos; };
  for (const std::string_view id : {"1414:00ba", "1414:00b9", "1414:00c1"}) {
    if (has(id)) return std::string(id);
  }
  const bool is_network = has("Ethernet") || has("Network") || has("Infiniband");
  if (has("15b3:") || (is_network && has("Mellanox"))) return "15b3:0000";
  if (!has("Ethernet controller") || !has("Microsoft") || has("[1414:")) return {};
  return has("Device 00b9") ? "1414:00b9" : has("Device 00c1") ? "1414:00c1" : "1414:00ba";
}

// ---- lspci --------------------------------------------------------------------------------------

bool is_lspci(const TicketWords& words) {
  return !words.empty() && words[0] == "lspci";
}

bool is_lspci_header(std::string_view line) {
  const auto all = words(line);
  return all.size() > 2 && address_in(all[0]) && line.find(": ") != line.npos;
}

bool is_ethernet_header(std::string_view line) {
  return is_lspci_header(line) && line.find("Ethernet controller") != line.npos;
}

// States that the function has no driver, if the output shows drivers but none for this function.
// `note` has the letters that were seen: 'm' for the modules of the function, 'd' for its driver.
void end_function(const TicketOutput& output, bool is_at_end, TicketStatements& statements) {
  if (output.subject.empty() || output.note.find('d') != output.note.npos) return;
  const auto filter = filter_of_pipe(output.command);
  const bool is_whole = filter.is_known && filter.patterns.empty() && !output.command.empty();
  const auto all = words(output.command);
  const bool shows_drivers = has_option(all, 'k') || has_option(all, 'v');
  // "Kernel modules" follows "Kernel driver in use".
  const bool has_modules = output.note.find('m') != output.note.npos;
  if (!is_whole || !shows_drivers || (is_at_end && !output.is_complete && !has_modules)) return;
  statements.add(fmt::format("function {} driver", output.subject), "");
}

void begin_function(const PciAddress& address, TicketOutput& output, TicketStatements& statements) {
  output.subject = address.str();
  output.seen.insert(output.subject);
  output.note.clear();
  statements.add(fmt::format("function {} present", output.subject), "yes");
}

// busybox prints "7870:00:00.0 Class 0200: 1414:00ba mana", without the name of a missing driver.
std::optional<std::string_view> driver_of_busybox(const TicketOutput& output,
                                                  const TicketWords& words) {
  constexpr std::size_t kDriver = 4;
  const bool shows_drivers = has_option(manactl::words(output.command), 'k');
  if (!shows_drivers || words[1] != "Class" || words.size() > kDriver + 1) return std::nullopt;
  return words.size() > kDriver ? words[kDriver] : std::string_view();
}

// "Memory at f00000000 [size=32M]", "RlxdOrd+ ExtTag- PhantFunc-", "Capabilities: <access denied>"
bool is_lspci_detail(std::string_view line) {
  constexpr std::array<std::string_view, 4> kStarts = {
      "Memory at ", "I/O ports at ", "Expansion ROM at ", "MaxPayload "};
  return line.find(": ") != line.npos || line.ends_with(':') ||
         std::ranges::any_of(kStarts, [line](auto start) { return line.starts_with(start); }) ||
         std::ranges::any_of(words(line), [](auto word) {
           return word.size() > 1 && (word.back() == '+' || word.back() == '-');
         });
}

bool parse_lspci(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  if (is_lspci_header(line)) {
    end_function(output, false, statements);
    output.subject.clear();
    const auto id = id_in(line);
    if (line.find("Microsoft") != line.npos) statements.add("hyperv", "yes");
    if (line.find("Mellanox Technologies") != line.npos) statements.add("other nic", "yes");
    if (id.empty()) return true;
    const auto all = words(line);
    const auto address = address_in(all[0]);
    begin_function(*address, output, statements);
    statements.add(fmt::format("function {} id", address->str()), id);
    if (const auto driver = driver_of_busybox(output, all)) {
      output.note += 'd';
      statements.add(fmt::format("function {} driver", address->str()), std::string(*driver));
    }
    return true;
  }
  // A line before the first function is an error: "-bash: lspci: command not found".
  if (output.lines == 0) return false;
  constexpr std::string_view kDriver = "Kernel driver in use: ";
  constexpr std::string_view kNode = "NUMA node: ";
  if (line.starts_with(kDriver) && !output.subject.empty()) {
    output.note += 'd';
    statements.add(fmt::format("function {} driver", output.subject),
                   std::string(line.substr(kDriver.size())));
  }
  if (line.starts_with("Kernel modules: ")) output.note += 'm';
  if (line.starts_with(kNode) && !output.subject.empty()) {
    statements.add(fmt::format("function {} node", output.subject),
                   std::string(line.substr(kNode.size())));
  }
  // "--" separates the matches of grep -A.
  if (line == "--") output.subject.clear();
  return line == "--" || is_lspci_detail(line);
}

void finish_lspci(const TicketOutput& output, TicketStatements& statements) {
  end_function(output, true, statements);
  const auto filter = filter_of_pipe(output.command);
  const auto all = words(output.command);
  const bool selects = has_option(all, 'd') || has_option(all, 's') || has_option(all, 't');
  const bool is_whole =
      output.is_complete && filter.is_known && filter.patterns.empty() && !selects;
  if (!is_whole) return;
  add_absent("function", filter, output, statements);
  statements.renew("functions", "all");
}

// ---- dpdk-devbind.py ----------------------------------------------------------------------------

bool is_devbind(const TicketWords& words) {
  const bool is_program = !words.empty() && words[0].starts_with("dpdk-devbind");
  return is_program &&
         (has_option(words, 's') || std::ranges::find(words, "--status") != words.end() ||
          std::ranges::find(words, "--status-dev") != words.end());
}

// "7870:00:00.0 'Microsoft Azure Network Adapter VF 00ba' if=enP30832s1 drv=mana unused="
bool is_devbind_row(std::string_view line) {
  const auto all = words(line);
  return all.size() > 2 && address_in(all[0]) && all[1].front() == '\'' &&
         line.find("unused=") != line.npos;
}

std::string_view value_of_key(const TicketWords& words, std::string_view key) {
  const auto found =
      std::ranges::find_if(words, [key](auto word) { return word.starts_with(key); });
  return found == words.end() ? std::string_view() : found->substr(key.size());
}

bool parse_devbind(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  if (!is_devbind_row(line)) {
    return line.find("devices") != line.npos || line.starts_with("===") || line == "<none>";
  }
  const auto all = words(line);
  const auto driver = value_of_key(all, "drv=");
  const auto quote = line.substr(line.find('\''), line.rfind('\'') - line.find('\''));
  const bool is_mana =
      driver == kManaDriver || quote.ends_with(" 00ba") || quote.find("Microsoft") != quote.npos;
  output.subject.clear();
  if (!is_mana) return true;
  begin_function(*address_in(all[0]), output, statements);
  statements.add(fmt::format("function {} mana", output.subject), "yes");
  statements.add(fmt::format("function {} driver", output.subject), std::string(driver));
  for (const auto name : split(value_of_key(all, "if="), ',')) {
    if (name.empty()) continue;
    statements.add(fmt::format("function {} netdev {}", output.subject, name), "yes");
  }
  return true;
}

// ---- messages of the kernel ---------------------------------------------------------------------

constexpr std::string_view kPciMessage = "pci ";

// "pci 7870:00:00.0: [1414:00ba] type 00 class 0x020000"
std::optional<PciAddress> address_in_message(std::string_view line) {
  const auto id = line.find(": [1414:00");
  const auto begin = id == line.npos ? id : line.rfind(kPciMessage, id);
  if (begin == line.npos || line.find("] type ") == line.npos) return std::nullopt;
  const auto text = line.substr(begin + kPciMessage.size(), id - begin - kPciMessage.size());
  return address_in(text);
}

bool is_pci_message(std::string_view line) {
  return address_in_message(line) && !id_in(line).empty();
}

bool parse_pci_message(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  const auto address = address_in_message(line);
  begin_function(*address, output, statements);
  statements.add(fmt::format("function {} id", address->str()), id_in(line));
  return true;
}

// ---- messages of DPDK ---------------------------------------------------------------------------

constexpr std::array<std::string_view, 2> kFailedProbes = {"Requested device ",
                                                           "Driver cannot attach the device ("};

// The function in "Requested device 7870:00:00.0 cannot be used": DPDK found it, but its driver
// failed.
std::optional<PciAddress> address_of_failed_probe(std::string_view line) {
  for (const auto text : kFailedProbes) {
    const auto at = line.find(text);
    if (at == line.npos) continue;
    const auto rest = line.substr(at + text.size());
    return address_in(rest.substr(0, rest.find_first_of(" )")));
  }
  return std::nullopt;
}

// net_mana prints this when it probes its first function.
bool is_start_of_net_mana(std::string_view line) {
  return line.find("mana_init_once(): MP INIT PRIMARY") != line.npos;
}

bool is_probe_message(std::string_view line) {
  return is_start_of_net_mana(line) || address_of_failed_probe(line);
}

bool parse_probe_message(std::string_view line,
                         TicketOutput& /*output*/,
                         TicketStatements& statements) {
  // A service that restarts prints the messages again and again.
  const auto state = [&statements](const std::string& key) {
    if (statements.find(key) == nullptr) statements.add(key, "yes");
  };
  if (is_start_of_net_mana(line)) {
    state("net_mana started");
  } else if (statements.find("net_mana started") != nullptr) {
    const auto name = address_of_failed_probe(line)->str();
    state(fmt::format("function {} present", name));
    state(fmt::format("function {} mana", name));
  }
  return true;
}

}  // namespace

std::vector<TicketFormat> function_formats() {
  return {
      {"lspci", is_lspci, is_ethernet_header, parse_lspci, finish_lspci},
      {"dpdk-devbind.py", is_devbind, is_devbind_row, parse_devbind},
      {"kernel log", nullptr, is_pci_message, parse_pci_message, nullptr, true},
      {"log of DPDK", nullptr, is_probe_message, parse_probe_message, nullptr, true},
  };
}

}  // namespace manactl::host
