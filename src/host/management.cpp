// SPDX-License-Identifier: MIT

#include "host/management.h"

#include <fnmatch.h>

#include <algorithm>
#include <initializer_list>

#include "base/text.h"
#include "host/scrub_text.h"

namespace manactl::host {
namespace {

constexpr std::string_view kNetworkManagerState = "run/NetworkManager";
constexpr std::string_view kNetworkdState = "run/systemd/netif";

// Returns the value of the first line "key=value".
std::optional<std::string> value_in(std::string_view text, std::string_view key) {
  for (const auto line : split(text, '\n')) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos || trim(line.substr(0, equals)) != key) continue;
    return std::string(trim(line.substr(equals + 1)));
  }
  return std::nullopt;
}

bool is_yes(const std::optional<std::string>& value) {
  return value && (*value == "yes" || *value == "true" || *value == "1" || *value == "on");
}

bool is_no(const std::optional<std::string>& value) {
  return value && (*value == "no" || *value == "false" || *value == "0" || *value == "off");
}

// Splits a configuration file before each line "[name]".
std::vector<std::string_view> sections_of(std::string_view text) {
  constexpr std::string_view kStart = "\n[";
  std::vector<std::string_view> sections;
  while (!text.empty()) {
    const auto end = std::min(text.find(kStart), text.size() - 1) + 1;
    sections.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return sections;
}

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// Whether a device matches one item of a device list (NetworkManager.conf(5)).
bool matches_device(std::string_view specification, const Netdev& netdev) {
  const auto colon = specification.find(':');
  const auto key = specification.substr(0, colon);
  const std::string value(colon == std::string_view::npos ? "" : specification.substr(colon + 1));
  if (specification == "*") return true;
  if (key == "driver") return matches(value, netdev.driver);
  if (key == "interface-name") {
    if (value.starts_with('=')) return value.substr(1) == netdev.name;  // no wildcards
    return matches(value, netdev.name);
  }
  // An address may have no key.
  const auto mac = MacAddress::parse(key == "mac" ? value : specification);
  return mac && *mac == netdev.mac;
}

bool is_listed(const std::string& specifications, const Netdev& netdev) {
  constexpr std::string_view kExcept = "except:";
  std::string text = specifications;
  for (char& c : text) {
    if (c == ';' || c == ',') c = ' ';
  }
  bool listed = false;
  for (const auto word : words(text)) {
    const bool excepts = word.starts_with(kExcept);
    if (!matches_device(excepts ? word.substr(kExcept.size()) : word, netdev)) continue;
    if (excepts) return false;
    listed = true;
  }
  return listed;
}

// A [Match] section of systemd.network(5) applies to an interface that each of its keys matches.
bool has_driver(const std::string& patterns, const Netdev& netdev) {
  const auto all = words(patterns);
  return all.empty() || std::any_of(all.begin(), all.end(), [&](std::string_view pattern) {
           return matches(std::string(pattern), netdev.driver);
         });
}

// The octets of a MAC address may be separated by colons, dashes and dots.
std::string mac_digits(std::string_view address) {
  std::string digits = lower(address);
  std::erase_if(digits, [](char c) { return c == ':' || c == '-' || c == '.'; });
  return digits;
}

bool has_mac(const std::string& addresses, const Netdev& netdev) {
  const auto all = words(addresses);
  const auto own = mac_digits(netdev.mac.str());
  return all.empty() || std::any_of(all.begin(), all.end(), [&](std::string_view address) {
           return mac_digits(address) == own;
         });
}

std::vector<std::string> files_in(const os::Files& files,
                                  std::initializer_list<const char*> directories,
                                  std::string_view suffix) {
  std::vector<std::string> paths;
  for (const char* directory : directories) {
    for (const auto& name : files.list(directory).value_or(std::vector<std::string>{})) {
      if (name.ends_with(suffix)) paths.push_back(fmt::format("{}/{}", directory, name));
    }
  }
  return paths;
}

std::string udev_file(const Netdev& netdev) {
  return fmt::format("run/udev/data/n{}", netdev.index);
}

}  // namespace

NetworkManagers::NetworkManagers(const os::Files& files) : files_(files) {
  network_manager_ = exists(files, kNetworkManagerState);
  networkd_ = exists(files, kNetworkdState);
  if (network_manager_) read_network_manager_rules();
  if (networkd_) read_networkd_rules();
}

void NetworkManagers::read_network_manager_rules() {
  const auto paths =
      files_in(files_, {"usr/lib/NetworkManager/conf.d", "etc/NetworkManager/conf.d"}, ".conf");
  for (const auto& path : paths) {
    const auto text = files_.read(path);
    if (!text) continue;
    for (const auto section : sections_of(*text)) read_network_manager_rules(path, section);
  }
}

void NetworkManagers::read_network_manager_rules(const std::string& path,
                                                 std::string_view section) {
  for (const char* key : {"unmanaged-devices", "unmanaged-devices+"}) {
    if (auto value = value_in(section, key)) {
      network_manager_rules_.push_back({path, "unmanaged-devices", std::move(*value)});
    }
  }
  if (!section.starts_with("[device") || !is_no(value_in(section, "managed"))) return;
  auto value = value_in(section, "match-device");
  network_manager_rules_.push_back({path, "managed=0 for match-device", value.value_or("*")});
}

void NetworkManagers::read_networkd_rules() {
  const auto paths =
      files_in(files_,
               {"etc/systemd/network", "run/systemd/network", "usr/lib/systemd/network"},
               ".network");
  for (const auto& path : paths) {
    const auto text = files_.read(path);
    if (!text || !is_yes(value_in(*text, "Unmanaged"))) continue;
    const auto drivers = value_in(*text, "Driver");
    const auto macs = value_in(*text, "MACAddress");
    if (!drivers && !macs) continue;
    networkd_rules_.push_back({path, drivers.value_or(""), macs.value_or("")});
  }
}

Management NetworkManagers::by_network_manager(const Netdev& netdev) const {
  const auto udev = files_.read(udev_file(netdev));
  if (udev && is_yes(value_in(*udev, "E:NM_UNMANAGED"))) {
    return Management{true, udev_file(netdev) + " has NM_UNMANAGED=1"};
  }
  for (const auto& rule : network_manager_rules_) {
    if (is_listed(rule.devices, netdev)) {
      return Management{true,
                        fmt::format("{} has {}={}", rule.path, rule.key, printable(rule.devices))};
    }
  }
  const std::string state = fmt::format("run/NetworkManager/devices/{}", netdev.index);
  const auto text = files_.read(state);
  const auto managed = text ? value_in(*text, "managed") : std::nullopt;
  if (managed == "false") return Management{true, state + " has managed=false"};
  return Management{false, "NetworkManager is running and none of its rules excludes the VF"};
}

Result<Management> NetworkManagers::by_networkd(const Netdev& netdev) const {
  const std::string path = fmt::format("{}/links/{}", kNetworkdState, netdev.index);
  const auto state = files_.read(path);
  if (state) {
    if (const auto value = value_in(*state, "ADMIN_STATE")) {
      return Management{*value == "unmanaged",
                        fmt::format("{} has ADMIN_STATE={}", path, printable(*value))};
    }
  }
  for (const auto& rule : networkd_rules_) {
    if (has_driver(rule.drivers, netdev) && has_mac(rule.macs, netdev)) {
      return Management{true, rule.path + " has Unmanaged=yes for this interface"};
    }
  }
  const auto udev = files_.read(udev_file(netdev));
  if (udev && value_in(*udev, "E:ID_NET_MANAGED_BY") == "unmanaged") {
    return Management{true, udev_file(netdev) + " has ID_NET_MANAGED_BY=unmanaged"};
  }
  if (!state) return because(state.error(), "cannot determine whether networkd manages the VF");
  return fail(Errc::not_found, fmt::format("'{}' has no ADMIN_STATE", path));
}

Result<Management> NetworkManagers::management(const Netdev& netdev) const {
  if (!network_manager_ && !networkd_) {
    return Management{true,
                      fmt::format("no network manager is running: neither {} nor {} exists",
                                  kNetworkManagerState,
                                  kNetworkdState)};
  }
  if (!networkd_) return by_network_manager(netdev);
  if (!network_manager_) return by_networkd(netdev);
  // Both managers are running: the VF is managed if one of them manages it.
  auto first = by_networkd(netdev);
  auto second = by_network_manager(netdev);
  if (first && !first->unmanaged) return first;
  if (!second.unmanaged) return second;
  if (!first) return first;
  return Management{true, first->evidence + "; " + second.evidence};
}

}  // namespace manactl::host
