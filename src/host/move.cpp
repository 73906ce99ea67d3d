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
#include "host/management.h"
#include "os/modules.h"

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
};

constexpr std::array<const char*, 4> kNetworkFiles = {"etc/network/interfaces",
                                                      "etc/sysctl.conf",
                                                      "etc/default/irqbalance",
                                                      "etc/sysconfig/irqbalance"};

constexpr std::array<const char*, 3> kProgramFiles = {
    "etc/vpp/startup.conf", "etc/suricata/suricata.yaml", "etc/openvswitch/conf.db"};

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

Result<std::vector<InstalledKernel>> installed_kernels(const os::Files& files,
                                                       const std::string& running) {
  const auto releases = files.list("lib/modules");
  if (!releases) return fail(releases.error().code, "cannot list the kernels in /lib/modules");
  std::vector<InstalledKernel> kernels;
  for (const auto& release : *releases) {
    const auto modules = os::modules_of_kernel(files, release, {"mana", "mana_ib"});
    if (!modules && modules.error().code == Errc::not_found) continue;  // of a removed kernel
    if (!modules) return tl::unexpected<Error>(modules.error());
    const auto has = [&](std::string_view name) {
      return std::ranges::find(*modules, name) != modules->end();
    };
    kernels.push_back({release, release == running, has("mana"), has("mana_ib")});
  }
  return kernels;
}

void read_mentions(const os::Files& files, const std::string& path, ConfigMentions& into) {
  const auto node = files.node(path);
  if (!node || node->type != os::Node::Type::file) return;
  const auto text = files.read(path, kMaxConfigFile);
  if (!text) return into.unread.push_back(path);
  const bool is_database = path.ends_with("conf.db");
  for (auto& mention : mentions_in(path, is_database ? newest_devargs(*text) : *text)) {
    if (into.mentions.size() < kMaxMentions) into.mentions.push_back(std::move(mention));
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
  std::map<std::string, std::pair<std::size_t, std::string>> rows;  // line and value by row
  std::size_t number = 0;
  for (const auto line : split(text, '\n')) {
    ++number;
    if (!line.starts_with('{')) continue;
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object() || !record.contains("Interface")) continue;
    const auto& changes = record["Interface"];
    if (!changes.is_object()) continue;
    for (const auto& [row, change] : changes.items()) {
      if (change.is_null()) rows.erase(row);
      if (!change.is_object() || !change.contains("options")) continue;
      rows[row] = {number, {}};
      const auto options = change["options"].dump();
      for (const auto& mention : mentions_in({}, options)) {
        rows[row].second += mention.word + " ";
      }
    }
  }
  std::vector<std::string> lines(number);
  for (const auto& [row, value] : rows) lines.at(value.first - 1) += value.second;
  return join(lines, "\n");
}

MoveFacts gather_move(const os::Files& files, const Facts& facts) {
  MoveFacts move;
  move.kernels = installed_kernels(files, facts.kernel ? facts.kernel->release : "");
  std::vector<MacAddress> macs;
  for (const auto& nic : facts.nics.value_or(std::vector<Nic>{})) {
    if (nic.synthetic) macs.push_back(nic.synthetic->mac);
  }
  move.management = NetworkManagers(files).management_of_mana(macs);
  for (const auto& [directory, suffix] : kNetworkDirectories) {
    const auto names = files.list(directory);
    if (!names && names.error().code != Errc::not_found)
      move.network.unread.emplace_back(directory);
    for (const auto& name : names.value_or(std::vector<std::string>{})) {
      if (!name.ends_with(suffix)) continue;
      read_mentions(files, fmt::format("{}/{}", directory, name), move.network);
    }
  }
  for (const auto* path : kNetworkFiles) read_mentions(files, path, move.network);
  for (const auto* path : kProgramFiles) read_mentions(files, path, move.programs);
  return move;
}

}  // namespace manactl::host
