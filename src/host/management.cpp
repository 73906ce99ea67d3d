// SPDX-License-Identifier: MIT

#include "host/management.h"

#include <fnmatch.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/text.h"
#include "host/scrub_text.h"
#include "host/udev_rules.h"

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

bool has_pattern(const std::string& text, const std::string& pattern) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// The octets of a MAC address may be separated by colons, dashes and dots.
std::string mac_digits(std::string_view address) {
  std::string digits = lower(address);
  std::erase_if(digits, [](char c) { return c == ':' || c == '-' || c == '.'; });
  return digits;
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

tl::unexpected<Error> too_many_rules() {
  return fail(Errc::invalid,
              fmt::format("the rules of the network managers have more than {}",
                          human_bytes(NetworkManagers::kMaxRules)));
}

std::string udev_file(const Netdev& netdev) {
  return fmt::format("run/udev/data/n{}", netdev.index);
}

}  // namespace

bool NetworkManagers::DeviceMatch::matches(const Netdev& netdev) const {
  switch (kind) {
    case Kind::any:
      return true;
    case Kind::driver:
      return has_pattern(netdev.driver, text);
    case Kind::name_pattern:
      return has_pattern(netdev.name, text);
    case Kind::name:
      return netdev.name == text;
    case Kind::mac:
      return netdev.mac == mac;
  }
  return false;
}

bool NetworkManagers::DeviceList::contains(const Netdev& netdev) const {
  bool contained = false;
  for (const auto& device : devices) {
    if (!device.matches(netdev)) continue;
    if (device.excepts) return false;
    contained = true;
  }
  return contained;
}

// A [Match] section of systemd.network(5) applies to an interface that each of its keys matches.
bool NetworkManagers::Match::matches(const Netdev& netdev) const {
  const bool has_driver = drivers.empty() || std::ranges::any_of(drivers, [&](const auto& pattern) {
                            return has_pattern(netdev.driver, pattern);
                          });
  return has_driver &&
         (macs.empty() || std::ranges::find(macs, mac_digits(netdev.mac.str())) != macs.end());
}

// Returns nothing for an item that matches no device.
std::optional<NetworkManagers::DeviceMatch> NetworkManagers::parse_device(
    std::string_view specification) {
  using Kind = DeviceMatch::Kind;
  constexpr std::string_view kExcept = "except:";
  DeviceMatch match;
  match.excepts = specification.starts_with(kExcept);
  if (match.excepts) specification.remove_prefix(kExcept.size());
  if (specification == "*") return match;
  const auto colon = specification.find(':');
  const auto key = specification.substr(0, colon);
  const auto value =
      colon == std::string_view::npos ? std::string_view() : specification.substr(colon + 1);
  if (key == "driver" || key == "interface-name") {
    const bool is_exact = key == "interface-name" && value.starts_with('=');  // no wildcards
    match.kind = key == "driver" ? Kind::driver : is_exact ? Kind::name : Kind::name_pattern;
    match.text = value.substr(is_exact ? 1 : 0);
    return match;
  }
  // An address may have no key.
  const auto mac = MacAddress::parse(key == "mac" ? value : specification);
  if (!mac) return std::nullopt;
  match.kind = Kind::mac;
  match.mac = *mac;
  return match;
}

std::vector<NetworkManagers::DeviceMatch> NetworkManagers::parse_devices(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == ';' || c == ','; }, ' ');
  std::vector<DeviceMatch> devices;
  for (const auto word : words(text)) {
    if (auto device = parse_device(word)) devices.push_back(std::move(*device));
  }
  return devices;
}

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
    if (const auto value = value_in(section, key)) add_list(path, "unmanaged-devices", *value);
  }
  if (!section.starts_with("[device") || !is_no(value_in(section, "managed"))) return;
  add_list(path, "managed=0 for match-device", value_in(section, "match-device").value_or("*"));
}

void NetworkManagers::add_list(const std::string& path,
                               std::string_view key,
                               std::string_view devices) {
  auto setting = fmt::format("{}={}", key, printable(devices));
  if (!budget_.charge(path.size() + setting.size() + devices.size())) return;
  network_manager_rules_.push_back({path, std::move(setting), parse_devices(std::string(devices))});
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
    const auto patterns = drivers.value_or(""), addresses = macs.value_or("");
    if (!budget_.charge(path.size() + patterns.size() + addresses.size())) return;
    Match rule{path, {}, {}};
    for (const auto pattern : words(patterns)) rule.drivers.emplace_back(pattern);
    for (const auto address : words(addresses)) rule.macs.push_back(mac_digits(address));
    networkd_rules_.push_back(std::move(rule));
  }
}

Management NetworkManagers::by_network_manager(const Netdev& netdev) const {
  const auto udev = files_.read(udev_file(netdev));
  if (udev && is_yes(value_in(*udev, "E:NM_UNMANAGED"))) {
    return Management{true, udev_file(netdev) + " has NM_UNMANAGED=1"};
  }
  for (const auto& rule : network_manager_rules_) {
    if (rule.contains(netdev)) {
      return Management{true, fmt::format("{} has {}", rule.path, rule.setting)};
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
    if (rule.matches(netdev)) {
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

Result<Management> NetworkManagers::management_of_mana() const {
  if (!network_manager_) {
    return Management{
        true,
        fmt::format("NetworkManager is not running: {} does not exist", kNetworkManagerState)};
  }
  if (budget_.is_exceeded()) return too_many_rules();
  Netdev vf;
  vf.driver = kManaDriver;
  vf.name = "enP30832s1";  // as Azure's images name it
  for (const auto& rule : network_manager_rules_) {
    if (rule.contains(vf)) {
      return Management{true, fmt::format("{} has {}", rule.path, rule.setting)};
    }
  }
  if (const auto path = rule_that_unmanages_mana(files_)) {
    return Management{true, *path + " sets NM_UNMANAGED for it"};
  }
  return Management{false,
                    "NetworkManager is running, and neither its rules nor those of udev exclude a "
                    "VF of the driver mana"};
}

Result<Management> NetworkManagers::management(const Netdev& netdev) const {
  if (!network_manager_ && !networkd_) {
    return Management{true,
                      fmt::format("no network manager is running: neither {} nor {} exists",
                                  kNetworkManagerState,
                                  kNetworkdState)};
  }
  if (budget_.is_exceeded()) return too_many_rules();
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
