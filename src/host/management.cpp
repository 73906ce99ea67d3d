// SPDX-License-Identifier: MIT

#include "host/management.h"

#include <fnmatch.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <utility>

#include "base/text.h"
#include "host/move.h"
#include "host/scrub_text.h"
#include "host/udev_rules.h"

namespace manactl::host {
namespace {

constexpr std::string_view kNetworkManagerState = "run/NetworkManager";
constexpr std::string_view kNetworkdState = "run/systemd/netif/links";

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

// Whether a line of [Match] applies to a VF of MANA. Other keys do not.
bool line_matches_mana(std::string_view line, const std::vector<MacAddress>& macs) {
  const auto equals = line.find('=');
  const auto key = trim(line.substr(0, equals));
  if (equals == std::string_view::npos || key.starts_with('#')) return true;
  auto value = trim(line.substr(equals + 1));
  const bool negates = value.starts_with('!');
  if (negates) value.remove_prefix(1);
  const auto patterns = words(value);
  const auto has = [&](const char* own) {
    return negates != std::ranges::any_of(patterns, [&](const auto& pattern) {
             return has_pattern(own, std::string(pattern));
           });
  };
  if (key == "Driver") return has("mana");
  if (key == "Name") return has(kVfOfMana);
  if (key == "Type") return has("ether");
  return (key == "MACAddress" || key == "PermanentMACAddress") &&
         std::ranges::any_of(patterns, [&](std::string_view address) {
           return std::ranges::any_of(macs, [&](const MacAddress& mac) {
             return mac_digits(address) == mac_digits(mac.str());
           });
         });
}

bool matches_mana(std::string_view section, const std::vector<MacAddress>& macs) {
  return std::ranges::all_of(split(section, '\n'),
                             [&](std::string_view line) { return line_matches_mana(line, macs); });
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

// A list that only excepts devices contains all others.
bool NetworkManagers::DeviceList::contains(const Netdev& netdev) const {
  bool contained = !devices.empty() && std::ranges::all_of(devices, &DeviceMatch::excepts);
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
  if (specification == "*" || specification == "type:ethernet") return match;
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
  // systemd-tmpfiles creates the directory even if networkd never runs. networkd writes a file for
  // each interface, also for lo.
  networkd_ = !files.list(kNetworkdState).value_or(std::vector<std::string>{}).empty();
  if (network_manager_) read_network_manager_rules();
  if (networkd_) read_networkd_rules();
}

// The order of NetworkManager.conf(5): a file in run or etc replaces one with the same name, and
// those of etc come last.
void NetworkManagers::read_network_manager_rules() {
  const auto own = files_in(files_, {"etc/NetworkManager/conf.d"}, ".conf");
  std::map<std::string, std::string> by_name;
  for (const auto& path :
       files_in(files_, {"usr/lib/NetworkManager/conf.d", "run/NetworkManager/conf.d"}, ".conf")) {
    by_name[path.substr(path.rfind('/') + 1)] = path;
  }
  for (const auto& path : own) by_name.erase(path.substr(path.rfind('/') + 1));
  std::vector<std::string> paths;
  for (const auto& [name, path] : by_name) paths.push_back(path);
  paths.emplace_back("etc/NetworkManager/NetworkManager.conf");
  paths.insert(paths.end(), own.begin(), own.end());
  for (const auto& path : paths) {
    const auto text = files_.read(path);
    if (!text) continue;
    auto of_earlier_files = std::move(of_devices_);
    of_devices_.clear();
    for (const auto section : sections_of(*text)) read_network_manager_rules(path, section);
    of_devices_.insert(of_devices_.end(),
                       std::make_move_iterator(of_earlier_files.begin()),
                       std::make_move_iterator(of_earlier_files.end()));
  }
}

void NetworkManagers::read_network_manager_rules(const std::string& path,
                                                 std::string_view section) {
  constexpr std::string_view kKey = "unmanaged-devices";
  if (const auto value = value_in(section, kKey)) {
    unmanaged_.clear();
    add_list(unmanaged_, path, kKey, *value, false);
  }
  if (const auto value = value_in(section, "unmanaged-devices+")) {
    add_list(unmanaged_, path, kKey, *value, false);
  }
  const auto managed = value_in(section, "managed");
  if (!section.starts_with("[device") || !managed) return;
  const auto devices = value_in(section, "match-device").value_or("*");
  add_list(of_devices_, path, "managed=0 for match-device", devices, !is_no(managed));
}

void NetworkManagers::add_list(std::vector<DeviceList>& lists,
                               const std::string& path,
                               std::string_view key,
                               std::string_view devices,
                               bool managed) {
  auto setting = fmt::format("{}={}", key, printable(devices));
  if (!budget_.charge(path.size() + setting.size() + devices.size())) return;
  lists.push_back({path, std::move(setting), parse_devices(std::string(devices)), managed});
}

// The list by which NetworkManager does not manage the interface; null if there is none. Of the
// sections [device], the first that matches counts.
const NetworkManagers::DeviceList* NetworkManagers::exclusion_of(const Netdev& netdev) const {
  const auto contains = [&](const DeviceList& list) { return list.contains(netdev); };
  const auto listed = std::ranges::find_if(unmanaged_, contains);
  if (listed != unmanaged_.end()) return &*listed;
  const auto section = std::ranges::find_if(of_devices_, contains);
  return section != of_devices_.end() && !section->managed ? &*section : nullptr;
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
  if (const auto* rule = exclusion_of(netdev)) {
    return Management{true, fmt::format("{} has {}", rule->path, rule->setting)};
  }
  const std::string state = fmt::format("run/NetworkManager/devices/{}", netdev.index);
  const auto text = files_.read(state);
  const auto managed = text ? value_in(*text, "managed") : std::nullopt;
  if (managed == "false") return Management{true, state + " has managed=false"};
  return Management{false, "NetworkManager is running and none of its rules excludes the VF"};
}

Result<Management> NetworkManagers::by_networkd(const Netdev& netdev) const {
  const std::string path = fmt::format("{}/{}", kNetworkdState, netdev.index);
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

// The first file that matches counts (systemd.network(5)).
Result<Management> NetworkManagers::networkd_of_mana(const std::vector<MacAddress>& macs) const {
  std::map<std::string, std::string> by_name;
  for (const auto& path :
       files_in(files_,
                {"usr/lib/systemd/network", "run/systemd/network", "etc/systemd/network"},
                ".network")) {
    by_name[path.substr(path.rfind('/') + 1)] = path;
  }
  for (const auto& [name, path] : by_name) {
    const auto text = files_.read(path);
    if (!text) return because(text.error(), "cannot determine whether networkd will manage the VF");
    const auto sections = sections_of(*text);
    const auto match = std::ranges::find_if(
        sections, [](std::string_view section) { return section.starts_with("[Match]"); });
    if (match != sections.end() && !matches_mana(*match, macs)) continue;
    const bool unmanaged = is_yes(value_in(*text, "Unmanaged"));
    return Management{unmanaged,
                      unmanaged ? path + " has Unmanaged=yes for it"
                                : fmt::format("{} matches a VF of MANA too", path)};
  }
  return Management{true, "no file of systemd-networkd names it"};
}

Result<Management> NetworkManagers::management_of_mana(const std::vector<MacAddress>& macs) const {
  if (budget_.is_exceeded()) return too_many_rules();
  auto networkd = networkd_ ? networkd_of_mana(macs) : Management{true, "networkd is not running"};
  if (!networkd || !networkd->unmanaged || !network_manager_) return networkd;
  Netdev vf;
  vf.driver = kManaDriver;
  vf.name = kVfOfMana;
  if (const auto* rule = exclusion_of(vf)) {
    return Management{true, fmt::format("{} has {}", rule->path, rule->setting)};
  }
  const auto found = rule_that_unmanages_mana(files_);
  if (!found) return tl::unexpected<Error>(found.error());
  if (const auto& rule = *found) {
    return Management{
        true,
        rule->path + (rule->races ? " sets NM_UNMANAGED only if the VF has joined its "
                                    "NIC before the rule runs"
                                  : " sets NM_UNMANAGED for it"),
        rule->races};
  }
  return Management{false,
                    "NetworkManager is running, and neither its rules nor those of udev exclude a "
                    "VF of the driver mana"};
}

Result<Management> NetworkManagers::management(const Netdev& netdev) const {
  if (!network_manager_ && !networkd_) {
    return Management{
        true,
        fmt::format("no network manager is running: {} does not exist, and {} has no files",
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
