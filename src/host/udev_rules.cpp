// SPDX-License-Identifier: MIT

#include "host/udev_rules.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/text.h"
#include "os/modprobe_config.h"

namespace manactl::host {
namespace {

// An item of a rule: DRIVERS=="hv_pci", ENV{NM_UNMANAGED}="1".
struct Item {
  std::string_view key, operation, value;
};

std::vector<Item> items_of(std::string_view line) {
  std::vector<Item> items;
  for (;;) {
    const auto open = line.find('"');
    const auto close = open == std::string_view::npos ? open : line.find('"', open + 1);
    if (close == std::string_view::npos) return items;
    const auto head = trim(line.substr(0, open));
    const auto end = head.find_last_not_of("=!+-:");
    const auto value = line.substr(open + 1, close - open - 1);
    line.remove_prefix(close + 1);
    line.remove_prefix(std::min(line.find_first_not_of(", \t"), line.size()));
    if (end == std::string_view::npos) return items;
    items.push_back({trim(head.substr(0, end + 1)), head.substr(end + 1), value});
  }
}

// What is known of the VF. A key that can have several values matches if one of them does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kVf = {{
    {"SUBSYSTEM", "net"},
    {"ACTION", "add"},
    {"KERNEL", "eth1"},
    {"DRIVERS", "mana"},
    {"DRIVERS", "hv_pci"},
    {"SUBSYSTEMS", "pci"},
    {"SUBSYSTEMS", "vmbus"},
    {"ATTRS{vendor}", "0x1414"},
    {"ENV{ID_NET_DRIVER}", "mana"},
}};

// '|' separates patterns.
bool matches_any(std::string_view patterns, std::string_view value) {
  return std::ranges::any_of(split(patterns, '|'), [&](std::string_view pattern) {
    return fnmatch(std::string(pattern).c_str(), std::string(value).c_str(), 0) == 0;
  });
}

class Rules {
 public:
  void run(const std::string& path, std::string_view text);

  const std::optional<std::string>& unmanaged_by() const { return unmanaged_by_; }

 private:
  bool applies(const std::vector<Item>& items) const;
  void assign(const std::string& path, const Item& item);

  std::map<std::string, std::string, std::less<>> properties_;  // by "ENV{NAME}"
  std::optional<std::string> unmanaged_by_;
};

bool Rules::applies(const std::vector<Item>& items) const {
  return std::ranges::all_of(items, [&](const Item& item) {
    const bool equal = item.operation == "==";
    if (!equal && item.operation != "!=") return true;
    const auto is_match = [&](std::string_view value) { return matches_any(item.value, value); };
    bool is_known = false, has_match = false;
    for (const auto& [key, value] : kVf) {
      if (key != item.key) continue;
      is_known = true;
      has_match = has_match || is_match(value);
    }
    if (const auto set = properties_.find(item.key); set != properties_.end()) {
      is_known = true;
      has_match = has_match || is_match(set->second);
    }
    if (!is_known && item.key.starts_with("ENV{")) return is_match("") == equal;
    return is_known && has_match == equal;
  });
}

void Rules::assign(const std::string& path, const Item& item) {
  if (item.operation != "=" && item.operation != ":=") return;
  if (item.key.starts_with("ENV{")) properties_[std::string(item.key)] = item.value;
  if (item.key == "ENV{NM_UNMANAGED}") {
    unmanaged_by_ = item.value == "1" ? std::optional(path) : std::nullopt;
  }
}

void Rules::run(const std::string& path, std::string_view text) {
  const auto joined = os::joined_lines(text);
  std::string_view label;  // rules up to it are skipped
  for (const auto line : split(joined, '\n')) {
    const auto rule = trim(line);
    if (rule.empty() || rule.front() == '#') continue;
    const auto items = items_of(rule);
    const auto find = [&](std::string_view key) {
      const auto found = std::ranges::find(items, key, &Item::key);
      return found == items.end() ? std::string_view() : found->value;
    };
    if (!label.empty()) {
      if (find("LABEL") == label) label = {};
      continue;
    }
    if (!applies(items)) continue;
    for (const auto& item : items) assign(path, item);
    label = find("GOTO");
  }
}

}  // namespace

std::optional<std::string> rule_that_unmanages_mana(const os::Files& files) {
  // A file in etc replaces the one with the same name in usr/lib.
  std::map<std::string, std::string> paths;
  for (const auto* directory : {"usr/lib/udev/rules.d", "run/udev/rules.d", "etc/udev/rules.d"}) {
    for (const auto& name : files.list(directory).value_or(std::vector<std::string>{})) {
      if (name.ends_with(".rules")) paths[name] = fmt::format("{}/{}", directory, name);
    }
  }
  Rules rules;
  for (const auto& [name, path] : paths) {
    const auto text = files.read(path);
    if (!text) continue;
    const bool is_relevant = std::ranges::any_of(
        kUnmanagedProperties,
        [&](std::string_view property) { return text->find(property) != std::string::npos; });
    if (is_relevant) rules.run(path, *text);
  }
  return rules.unmanaged_by();
}

}  // namespace manactl::host
