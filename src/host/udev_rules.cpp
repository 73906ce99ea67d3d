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

// Known properties of the future VF. A key with several values matches if any of them does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kVf = {{
    {"SUBSYSTEM", "net"},
    {"ACTION", "add"},
    {"KERNEL", "eth1"},
    {"DRIVERS", "mana"},
    {"DRIVERS", "hv_pci"},
    {"SUBSYSTEMS", "pci"},
    {"SUBSYSTEMS", "vmbus"},
    {"ATTR{flags}", "0x1843"},  // IFF_SLAVE is set when the VF has joined its NIC
    {"ATTRS{vendor}", "0x1414"},
}};

constexpr std::string_view kDriverProperty = "ENV{ID_NET_DRIVER}";
constexpr std::size_t kMaxValue = 256, kMaxRules = 10'000, kMaxFile = 1U << 20U;  // bytes

// '|' separates patterns.
bool matches_any(std::string_view patterns, std::string_view value) {
  if (patterns.size() > kMaxValue || value.size() > kMaxValue) return false;
  return std::ranges::any_of(split(patterns, '|'), [&](std::string_view pattern) {
    return fnmatch(std::string(pattern).c_str(), std::string(value).c_str(), 0) == 0;
  });
}

class Rules {
 public:
  void run(const std::string& path, std::string_view text);

  // Since udev has run net_driver or net_setup_link, rules can test the driver.
  void set_driver() { properties_[std::string(kDriverProperty)] = "mana"; }

  const std::optional<UnmanagingRule>& unmanaged_by() const { return unmanaged_by_; }

 private:
  bool applies(const std::vector<Item>& items) const;
  void assign(const std::string& path, const Item& item, bool races);

  std::map<std::string, std::string, std::less<>> properties_;  // by "ENV{NAME}"
  std::optional<UnmanagingRule> unmanaged_by_;
  std::size_t count_ = 0;
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

void Rules::assign(const std::string& path, const Item& item, bool races) {
  if (item.operation != "=" && item.operation != ":=") return;
  if (item.key.starts_with("ENV{") && item.value.size() <= kMaxValue) {
    properties_[std::string(item.key)] = item.value;
  }
  if (item.key == "ENV{NM_UNMANAGED}") {
    unmanaged_by_ = item.value == "1" ? std::optional(UnmanagingRule{path, races}) : std::nullopt;
  }
}

void Rules::run(const std::string& path, std::string_view text) {
  const auto joined = os::joined_lines(text);
  std::string_view label;  // rules up to it are skipped
  for (const auto line : split(joined, '\n')) {
    const auto rule = trim(line);
    if (rule.empty() || rule.front() == '#') continue;
    if (++count_ > kMaxRules) return;
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
    const bool races = std::ranges::find(items, "ATTR{flags}", &Item::key) != items.end();
    for (const auto& item : items) assign(path, item, races);
    label = find("GOTO");
  }
}

// Whether a bundle contains the value of the item. Other properties than the evaluated ones may
// hold anything, so only values that are too short for a secret are kept.
bool is_kept(const Item& item) {
  constexpr std::array<std::string_view, 3> kOthers = {"GOTO", "LABEL", "KERNELS"};
  constexpr std::size_t kMaxProperty = 8;
  return std::ranges::find(kVf, item.key, &decltype(kVf)::value_type::first) != kVf.end() ||
         std::ranges::find(kOthers, item.key) != kOthers.end() || item.key == kDriverProperty ||
         (item.key.starts_with("ENV{") && item.value.size() <= kMaxProperty);
}

}  // namespace

std::string reduced_rules(std::string_view text) {
  std::string reduced;
  for (const auto line : split(text, '\n')) {
    const auto rule = trim(line);
    std::vector<std::string> items;
    if (!rule.starts_with('#')) {
      for (const auto& item : items_of(rule)) {
        const bool keeps = is_kept(item);
        items.push_back(fmt::format(
            "{}{}\"{}\"", keeps ? item.key : "OTHER", item.operation, keeps ? item.value : ""));
      }
    }
    const bool continues = rule.ends_with('\\');
    reduced += join(items, ", ") + (continues ? ", \\\n" : "\n");
  }
  return reduced;
}

std::optional<UnmanagingRule> rule_that_unmanages_mana(const os::Files& files) {
  // A file in etc replaces the one with the same name in usr/lib.
  std::map<std::string, std::string> paths;
  for (const auto* directory : {"usr/lib/udev/rules.d",
                                "usr/local/lib/udev/rules.d",
                                "run/udev/rules.d",
                                "etc/udev/rules.d"}) {
    for (const auto& name : files.list(directory).value_or(std::vector<std::string>{})) {
      if (name.ends_with(".rules")) paths[name] = fmt::format("{}/{}", directory, name);
    }
  }
  // These files of systemd run net_driver (since 257) and net_setup_link, which set the driver.
  constexpr std::string_view kSetsDriver = "80-net-setup-link.rules";
  Rules rules;
  bool has_driver = false;
  for (const auto& [name, path] : paths) {
    const auto text = files.read(path, kMaxFile);
    if (!has_driver &&
        (name >= kSetsDriver || (text && text->find("\"net_driver\"") != std::string::npos))) {
      rules.set_driver();
      has_driver = true;
    }
    if (!text) continue;
    const bool is_relevant = std::ranges::any_of(
        kUnmanagedProperties,
        [&](std::string_view property) { return text->find(property) != std::string::npos; });
    if (is_relevant) rules.run(path, *text);
  }
  return rules.unmanaged_by();
}

}  // namespace manactl::host
