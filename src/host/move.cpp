// SPDX-License-Identifier: MIT

#include "host/move.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/characters.h"
#include "base/text.h"
#include "host/installed_kernels.h"
#include "host/management.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxConfigFile = 4U << 20U;  // bytes
constexpr std::size_t kMaxMentions = 1000;

// A directory with files that configure the network. Only names that end in `suffix` are read, and
// none of files that usually contain secrets.
struct ConfigDirectory {
  const char* path;
  std::string_view suffix;
};

constexpr std::array kNetworkDirectories = {
    ConfigDirectory{"etc/netplan", ".yaml"},
    ConfigDirectory{"etc/systemd/network", ".network"},
    ConfigDirectory{"etc/systemd/network", ".link"},
    ConfigDirectory{"etc/NetworkManager/conf.d", ".conf"},
    ConfigDirectory{"etc/network/interfaces.d", ""},
    ConfigDirectory{"etc/sysconfig/network-scripts", ""},
    ConfigDirectory{"etc/sysconfig/network", ""},
    ConfigDirectory{"etc/udev/rules.d", ".rules"},
    ConfigDirectory{"etc/sysctl.d", ".conf"},
    ConfigDirectory{"etc/systemd/system", ".service"},
};

constexpr ConfigDirectory kSpdk = {"etc/spdk", ""};

constexpr std::array<const char*, 4> kNetworkFiles = {"etc/network/interfaces",
                                                      "etc/sysctl.conf",
                                                      "etc/default/irqbalance",
                                                      "etc/sysconfig/irqbalance"};

// A file with the arguments of a program for DPDK.
struct ProgramFile {
  const char* path;
  const char* program;
};

constexpr std::array kProgramFiles = {ProgramFile{"etc/vpp/startup.conf", "VPP"},
                                      ProgramFile{"etc/suricata/suricata.yaml", "Suricata"},
                                      ProgramFile{"etc/openvswitch/conf.db", "Open vSwitch"}};

constexpr std::array<std::string_view, 4> kMellanoxDrivers = {
    "mlx5_core", "mlx4_core", "mlx4_en", "mlx5_en"};
// DPDK's drivers that combine a Mellanox VF with a tap port.
constexpr std::array<std::string_view, 2> kFailSafe = {"net_failsafe", "net_vdev_netvsc"};

bool is_word_character(char c) {
  return is_alphanumeric(c) || c == '_';
}

// Whether text[begin, end) is not a part of a longer word.
bool is_bounded(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !is_word_character(text[begin - 1])) &&
         (end >= text.size() || !is_word_character(text[end]));
}

bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (is_bounded(text, at, at + word.size())) return true;
  }
  return false;
}

// The name of a VF at this position, or a pattern of such names: enP<domain>s<slot>. Empty if there
// is none, or if it also matches VFs of MANA.
std::string_view vf_name_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kPrefix = "enP", kWildcards = "*?[]";
  constexpr std::size_t kMaxName = 32;
  const auto is_wildcard = [&](char c) { return kWildcards.find(c) != std::string_view::npos; };
  const bool begins = at == 0 || !(is_word_character(text[at - 1]) || is_wildcard(text[at - 1]));
  if (!begins || !text.substr(at).starts_with(kPrefix)) return {};
  auto end = at + kPrefix.size();
  if (end >= text.size() || !(is_digit(text[end]) || is_wildcard(text[end]))) return {};
  text = text.substr(0, at + kMaxName + 1);  // otherwise the time would be quadratic
  while (end < text.size() && (is_word_character(text[end]) || is_wildcard(text[end]))) ++end;
  const auto name = text.substr(at, end - at);
  if (name.size() > kMaxName) return {};
  return fnmatch(std::string(name).c_str(), kVfOfMana, 0) == 0 ? std::string_view() : name;
}

std::string_view pci_address_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kLength = 12;  // "0101:00:02.0"
  if (text.size() - at < kLength || !is_bounded(text, at, at + kLength)) return {};
  const auto found = text.substr(at, kLength);
  return PciAddress::parse(found) ? found : std::string_view();
}

// DPDK's names of virtual devices end in digits: net_failsafe0.
bool has_virtual_device(std::string_view text, std::string_view driver) {
  for (auto at = text.find(driver); at != std::string_view::npos; at = text.find(driver, at + 1)) {
    auto end = at + driver.size();
    while (end < text.size() && is_digit(text[end])) ++end;
    if (is_bounded(text, at, end)) return true;
  }
  return false;
}

// move.managers judges the rules that keep network managers away from VFs.
bool is_about_managers(std::string_view line) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"unmanaged-devices",
                                              "NM_UNMANAGED",
                                              "ID_NET_MANAGED_BY",
                                              "UNMANAGED_SRIOV",
                                              "match-device"},
      [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

std::vector<std::string_view> words_of_line(std::string_view line) {
  std::vector<std::string_view> found;
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] == '#' || line[first] == ';') return found;
  line = line.substr(0, line.find(" #"));
  if (line.substr(first).starts_with("blacklist") || is_about_managers(line)) return found;
  const bool names_mana = has_word(line, kManaDriver);
  for (const auto word : kMellanoxDrivers) {
    if (!names_mana && has_word(line, word)) found.push_back(word);
  }
  for (const auto word : kFailSafe) {
    if (has_virtual_device(line, word)) found.push_back(word);
  }
  for (std::size_t at = 0; at < line.size() && found.size() < kMaxMentions; ++at) {
    const auto word = line[at] == 'e' ? vf_name_at(line, at) : std::string_view();
    const auto other = word.empty() ? pci_address_at(line, at) : word;
    if (other.empty()) continue;
    found.push_back(other);
    at += other.size() - 1;
  }
  return found;
}

void read_mentions(const os::Files& files,
                   const std::string& path,
                   ConfigMentions& into,
                   const std::string& program = {}) {
  const auto node = files.node(path);
  if (!node || node->type != os::Node::Type::file) return;
  const auto text = files.read(path, kMaxConfigFile);
  if (!text) return into.unread.push_back(path);
  const bool is_database = path.ends_with("conf.db");
  for (auto& mention : mentions_in(path, is_database ? newest_devargs(*text) : *text)) {
    mention.program = program;
    if (into.mentions.size() < kMaxMentions) into.mentions.push_back(std::move(mention));
  }
}

void read_directory(const os::Files& files,
                    const ConfigDirectory& directory,
                    ConfigMentions& into,
                    const std::string& program = {}) {
  const auto names = files.list(directory.path);
  if (!names && names.error().code != Errc::not_found) into.unread.emplace_back(directory.path);
  for (const auto& name : names.value_or(std::vector<std::string>{})) {
    if (!name.ends_with(directory.suffix)) continue;
    read_mentions(files, fmt::format("{}/{}", directory.path, name), into, program);
  }
}

// The active profiles of TuneD. Those of the administrator are in /etc/tuned, since TuneD 2.23 in
// /etc/tuned/profiles.
void read_tuned(const os::Files& files, ConfigMentions& into) {
  const auto profiles = files.read("etc/tuned/active_profile").value_or("");
  for (const auto profile : words(profiles)) {
    if (profile.find('/') != std::string_view::npos) continue;
    for (const auto* directory : {"etc/tuned", "etc/tuned/profiles"}) {
      read_mentions(files, fmt::format("{}/{}/tuned.conf", directory, profile), into);
    }
  }
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The running programs. Other users' arguments are readable, and processes may end meanwhile.
void read_processes(const os::Files& files, ConfigMentions& into) {
  constexpr std::size_t kMaxArguments = 128U << 10U;  // bytes
  for (const auto& process : files.list("proc").value_or(std::vector<std::string>{})) {
    if (!parse_unsigned(process)) continue;
    const auto path = fmt::format("proc/{}/cmdline", process);
    const auto arguments = files.read(path, kMaxArguments).value_or("");
    for (auto& word : selected_devices(arguments)) {
      const auto program = base_name(std::string_view(arguments).substr(0, arguments.find('\0')));
      if (into.mentions.size() == kMaxMentions) return;
      into.mentions.push_back(
          {path, 0, std::move(word), fmt::format("{} (process {})", program, process)});
    }
  }
}

// Calls `use` with the value of each argument that selects a device.
template <class Use>
void for_each_device(std::string_view arguments, Use use) {
  constexpr std::array<std::string_view, 5> kOptions = {
      "--pci-whitelist", "--allow", "--vdev", "-a", "-w"};
  bool is_value = false;
  for (const auto argument : split(arguments, '\0')) {
    if (std::exchange(is_value, false)) {
      use(argument);
      continue;
    }
    const auto* const option = std::ranges::find_if(
        kOptions, [&](std::string_view one) { return argument.starts_with(one); });
    if (option == kOptions.end()) continue;
    const auto rest = argument.substr(option->size());
    is_value = rest.empty();
    const bool is_short = option->size() == 2;
    if (!rest.empty() && (is_short || rest.starts_with('='))) use(rest);
  }
}

}  // namespace

std::vector<Mention> mentions_in(const std::string& path, std::string_view text) {
  std::vector<Mention> mentions;
  std::size_t number = 0;
  for (const auto line : split(text, '\n')) {
    ++number;
    for (const auto word : words_of_line(line)) {
      if (mentions.size() == kMaxMentions) return mentions;
      mentions.push_back({path, number, std::string(word)});
    }
  }
  return mentions;
}

std::string kept_mentions(std::string_view text) {
  std::string kept;
  for (const auto line : split(text, '\n')) {
    std::string_view separator;
    for (const auto word : words_of_line(line)) {
      kept += fmt::format("{}{}", separator, word);
      separator = " ";
    }
    kept += '\n';
  }
  return kept;
}

std::string newest_devargs(std::string_view text) {
  // dpdk-devargs of an interface, and dpdk-extra, the arguments of the EAL.
  constexpr std::array<std::pair<const char*, const char*>, 2> kTables = {
      {{"Interface", "options"}, {"Open_vSwitch", "other_config"}}};
  std::map<std::string, std::pair<std::size_t, std::string>> rows;  // line and value by row
  std::size_t number = 0;
  for (const auto line : split(text, '\n')) {
    ++number;
    if (!line.starts_with('{')) continue;
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object()) continue;
    for (const auto& [table, column] : kTables) {
      if (!record.contains(table) || !record[table].is_object()) continue;
      for (const auto& [row, change] : record[table].items()) {
        if (change.is_null()) rows.erase(row);
        if (!change.is_object() || !change.contains(column)) continue;
        rows[row] = {number, {}};
        for (const auto& mention : mentions_in({}, change[column].dump())) {
          rows[row].second += mention.word + " ";
        }
      }
    }
  }
  std::vector<std::string> lines(number);
  for (const auto& [row, value] : rows) lines.at(value.first - 1) += value.second;
  return join(lines, "\n");
}

std::vector<std::string> selected_devices(std::string_view arguments) {
  std::vector<std::string> devices;
  for_each_device(arguments, [&](std::string_view value) {
    for (auto& mention : mentions_in({}, value)) devices.push_back(std::move(mention.word));
  });
  return devices;
}

std::string kept_arguments(std::string_view arguments) {
  constexpr std::array<std::string_view, 5> kPrograms = {
      "dpdk-", "testpmd", "vpp", "suricata", "ovs-vswitchd"};
  const auto devices = selected_devices(arguments);
  if (devices.empty()) return {};
  const auto name = base_name(arguments.substr(0, arguments.find('\0')));
  const bool is_known = std::ranges::any_of(
      kPrograms, [&](std::string_view program) { return name.starts_with(program); });
  std::string kept(is_known ? name : "program");
  for (const auto& device : devices) kept += std::string("\0-a\0", 4) + device;
  return kept + '\0';
}

MoveFacts gather_move(const os::Files& files, const Facts& facts) {
  MoveFacts move;
  add_kernels(files, facts.kernel ? facts.kernel->release : "", move);
  std::vector<MacAddress> macs;
  for (const auto& nic : facts.nics.value_or(std::vector<Nic>{})) {
    if (nic.synthetic) macs.push_back(nic.synthetic->mac);
  }
  move.management = NetworkManagers(files).management_of_mana(macs);
  for (const auto& directory : kNetworkDirectories) read_directory(files, directory, move.network);
  read_tuned(files, move.network);
  for (const auto* path : kNetworkFiles) read_mentions(files, path, move.network);
  for (const auto& [path, program] : kProgramFiles) {
    read_mentions(files, path, move.programs, program);
  }
  read_directory(files, kSpdk, move.programs, "SPDK");
  read_processes(files, move.programs);
  return move;
}

}  // namespace manactl::host
