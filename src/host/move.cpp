// SPDX-License-Identifier: MIT

#include "host/move.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/characters.h"
#include "base/text.h"
#include "host/management.h"
#include "os/modules.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxConfigFile = 4U << 20U;  // bytes
constexpr std::size_t kMaxMentions = 1000;

// Files that configure the network, and with names that end in `suffix`.
struct ConfigDirectory {
  const char* path;
  std::string_view suffix;
};

constexpr std::array kNetworkDirectories = {
    ConfigDirectory{"etc/netplan", ".yaml"},
    ConfigDirectory{"etc/systemd/network", ""},
    ConfigDirectory{"etc/NetworkManager/conf.d", ".conf"},
    ConfigDirectory{"etc/NetworkManager/system-connections", ""},
    ConfigDirectory{"etc/network/interfaces.d", ""},
    ConfigDirectory{"etc/sysconfig/network-scripts", ""},
    ConfigDirectory{"etc/sysconfig/network", ""},
    ConfigDirectory{"etc/udev/rules.d", ".rules"},
    ConfigDirectory{"etc/sysctl.d", ".conf"},
    ConfigDirectory{"etc/systemd/system", ".service"},
};

constexpr std::array<const char*, 4> kNetworkFiles = {"etc/network/interfaces",
                                                      "etc/sysctl.conf",
                                                      "etc/default/irqbalance",
                                                      "etc/sysconfig/irqbalance"};

constexpr std::array<const char*, 3> kProgramFiles = {
    "etc/vpp/startup.conf", "etc/suricata/suricata.yaml", "etc/openvswitch/conf.db"};

// Drivers of Mellanox VFs, and DPDK's drivers that bind to them.
constexpr std::array<std::string_view, 4> kOldDrivers = {
    "mlx5_core", "mlx4_core", "mlx4_en", "mlx5_en"};
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

// Azure's VFs are called enP<domain>s<slot>; configurations also have patterns of such names.
std::optional<std::string> vf_name_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kPrefix = "enP";
  if (!text.substr(at).starts_with(kPrefix) || (at > 0 && is_word_character(text[at - 1])))
    return std::nullopt;
  auto end = at + kPrefix.size();
  constexpr std::string_view kWildcards = "*?[]";
  const auto belongs = [&](char c) {
    return is_word_character(c) || kWildcards.find(c) != std::string_view::npos;
  };
  if (end >= text.size() ||
      !(is_digit(text[end]) || kWildcards.find(text[end]) != std::string_view::npos))
    return std::nullopt;
  while (end < text.size() && belongs(text[end])) ++end;
  return std::string(text.substr(at, end - at));
}

std::optional<std::string> pci_address_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kLength = 12;  // "0101:00:02.0"
  if (text.size() - at < kLength || !is_bounded(text, at, at + kLength)) return std::nullopt;
  const auto address = PciAddress::parse(text.substr(at, kLength));
  return address ? std::optional(address->str()) : std::nullopt;
}

std::vector<std::string> words_of_line(std::string_view line) {
  std::vector<std::string> found;
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] == '#' || line[first] == ';') return found;
  line = line.substr(0, line.find(" #"));
  for (const auto list : {std::span<const std::string_view>(kOldDrivers),
                          std::span<const std::string_view>(kFailSafe)}) {
    for (const auto word : list) {
      if (has_word(line, word)) found.emplace_back(word);
    }
  }
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == 'e') {
      if (auto name = vf_name_at(line, at)) found.push_back(*std::move(name));
    } else if (is_digit(line[at]) || (line[at] >= 'a' && line[at] <= 'f')) {
      if (auto address = pci_address_at(line, at)) found.push_back(*std::move(address));
    }
  }
  return found;
}

bool is_old_driver(std::string_view word) {
  return std::ranges::find(kOldDrivers, word) != kOldDrivers.end();
}

Result<std::vector<InstalledKernel>> installed_kernels(const os::Files& files,
                                                       const std::string& running) {
  const auto releases = files.list("lib/modules");
  if (!releases) return because(releases.error(), "cannot list the installed kernels");
  std::vector<InstalledKernel> kernels;
  for (const auto& release : *releases) {
    const auto mana = os::kernel_has_module(files, release, "mana");
    if (!mana) continue;  // a remainder of a removed kernel
    kernels.push_back({release,
                       release == running,
                       *mana,
                       os::kernel_has_module(files, release, "mana_ib").value_or(false)});
  }
  return kernels;
}

class MentionReader {
 public:
  MentionReader(const os::Files& files, std::vector<std::string>& unread)
      : files_(files), unread_(unread) {}

  void read(const std::string& path, std::vector<Mention>& mentions) {
    const auto node = files_.node(path);
    if (!node || node->type != os::Node::Type::file) return;
    const auto text = files_.read(path, kMaxConfigFile);
    if (!text) return unread_.push_back(path);
    for (auto& mention : mentions_in(path, *text)) {
      if (mentions.size() < kMaxMentions) mentions.push_back(std::move(mention));
    }
  }

 private:
  const os::Files& files_;
  std::vector<std::string>& unread_;
};

}  // namespace

std::vector<Mention> mentions_in(const std::string& path, std::string_view text) {
  std::vector<Mention> mentions;
  const bool names_mana = has_word(text, kManaDriver);
  std::size_t number = 0;
  for (const auto line : split(text, '\n')) {
    ++number;
    for (auto& word : words_of_line(line)) {
      if (names_mana && is_old_driver(word)) continue;
      mentions.push_back({path, number, std::move(word)});
      if (mentions.size() == kMaxMentions) return mentions;
    }
  }
  return mentions;
}

std::string kept_mentions(std::string_view text) {
  std::string kept;
  for (const auto line : split(text, '\n')) {
    auto words = words_of_line(line);
    if (has_word(line, kManaDriver)) words.emplace_back(kManaDriver);
    kept += join(words, " ") + "\n";
  }
  return kept;
}

Move gather_move(const os::Files& files, const Facts& facts) {
  Move move;
  move.kernels = installed_kernels(files, facts.kernel ? facts.kernel->release : "");
  move.management = NetworkManagers(files).management_of_mana();
  MentionReader reader(files, move.unread);
  for (const auto& [directory, suffix] : kNetworkDirectories) {
    for (const auto& name : files.list(directory).value_or(std::vector<std::string>{})) {
      if (name.ends_with(suffix)) reader.read(fmt::format("{}/{}", directory, name), move.network);
    }
  }
  for (const auto* path : kNetworkFiles) reader.read(path, move.network);
  for (const auto* path : kProgramFiles) reader.read(path, move.programs);
  return move;
}

}  // namespace manactl::host
