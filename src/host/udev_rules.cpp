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

struct Property {
  std::string_view key, value;
};

// Known properties of the future VF.
constexpr std::array<Property, 4> kVf = {{
    {"SUBSYSTEM", "net"},
    {"ACTION", "add"},
    {"KERNEL", "eth1"},
    {"ATTR{flags}", "0x1843"},  // IFF_SLAVE is set when the VF has joined its NIC
}};

// udev(7): all keys in the plural, such as DRIVERS, must match the same device: the VF itself, its
// PCI function, or the VMBus device of that function.
using ParentDevice = std::array<Property, 4>;
constexpr std::array<ParentDevice, 3> kParentDevices = {{
    {{{"SUBSYSTEMS", "net"}, {"DRIVERS", ""}}},
    {{{"SUBSYSTEMS", "pci"},
      {"DRIVERS", "mana"},
      {"ATTRS{vendor}", "0x1414"},
      {"ATTRS{device}", "0x00ba"}}},
    {{{"SUBSYSTEMS", "vmbus"},
      {"DRIVERS", "hv_pci"},
      {"ATTRS{class_id}", "{44c4f61d-4444-4400-9d52-802e27ede19f}"}}},
}};

template <class Properties>
bool has_key(const Properties& properties, std::string_view key) {
  return std::ranges::find(properties, key, &Property::key) != std::end(properties);
}

bool is_parent_key(std::string_view key) {
  return key == "KERNELS" || key == "SUBSYSTEMS" || key == "DRIVERS" || key == "TAGS" ||
         key.starts_with("ATTRS{");
}

bool is_known_of_parents(std::string_view key) {
  return std::ranges::any_of(kParentDevices,
                             [&](const ParentDevice& one) { return has_key(one, key); });
}

constexpr std::string_view kDriverProperty = "ENV{ID_NET_DRIVER}";
constexpr std::string_view kUnmanaged = "ENV{NM_UNMANAGED}";
constexpr std::size_t kMaxValue = 256, kMaxRules = 10'000, kMaxFile = 1U << 20U;  // bytes

// '|' separates patterns.
bool matches_any(std::string_view patterns, std::string_view value) {
  if (patterns.size() > kMaxValue || value.size() > kMaxValue) return false;
  return std::ranges::any_of(split(patterns, '|'), [&](std::string_view pattern) {
    return fnmatch(std::string(pattern).c_str(), std::string(value).c_str(), 0) == 0;
  });
}

// Whether the VF has what the keys of a rule compare.
enum class Match {
  no,
  yes,
  unsupported,  // a key cannot be evaluated
  doubtful,     // a property may have been set by a rule that perhaps applies
};

// Both must match.
Match both(Match a, Match b) {
  if (a == Match::no || b == Match::no) return Match::no;
  return std::max(a, b, [](Match x, Match y) {
    const auto rank = [](Match one) {
      return one == Match::unsupported ? 2 : one == Match::doubtful;
    };
    return rank(x) < rank(y);
  });
}

Match compared(const Item& item, std::string_view value) {
  return matches_any(item.value, value) == (item.operation == "==") ? Match::yes : Match::no;
}

Match match_parent(const std::vector<Item>& items, const ParentDevice& parent) {
  auto match = Match::yes;
  for (const auto& item : items) {
    const auto* const own = std::ranges::find(parent, item.key, &Property::key);
    if (own != parent.end()) {
      match = both(match, compared(item, own->value));
    } else if (is_known_of_parents(item.key)) {  // another one has this attribute
      match = both(match, item.operation == "!=" ? Match::yes : Match::no);
    } else {
      match = both(match, Match::unsupported);
    }
  }
  return match;
}

Match match_parents(const std::vector<Item>& items) {
  auto best = items.empty() ? Match::yes : Match::no;
  for (const auto& parent : kParentDevices) {
    const auto match = match_parent(items, parent);
    if (match == Match::yes) return match;
    if (match == Match::unsupported) best = match;
  }
  return best;
}

class Rules {
 public:
  void run(const std::string& path, std::string_view text);

  // Since udev has run net_driver or net_setup_link, rules can test the driver.
  void set_driver() { properties_[std::string(kDriverProperty)] = "mana"; }

  Result<std::optional<UnmanagingRule>> unmanaged_by() const;

 private:
  Match match(const std::vector<Item>& items) const;
  Match match(const Item& item) const;
  void assign(const std::string& path, const Item& item, bool races);
  void doubt(const std::string& path, const Item& item);

  std::map<std::string, std::optional<std::string>, std::less<>> properties_;  // by "ENV{NAME}"
  std::optional<UnmanagingRule> unmanaged_by_;
  std::string doubtful_;  // the file with a rule that perhaps decides
  std::size_t count_ = 0;
};

Match Rules::match(const Item& item) const {
  const auto* const own = std::ranges::find(kVf, item.key, &Property::key);
  if (own != kVf.end()) return compared(item, own->value);
  if (!item.key.starts_with("ENV{")) return Match::unsupported;
  const auto set = properties_.find(item.key);
  if (set == properties_.end()) return compared(item, "");
  return set->second ? compared(item, *set->second) : Match::doubtful;
}

Match Rules::match(const std::vector<Item>& items) const {
  auto result = Match::yes;
  std::vector<Item> of_parents;
  for (const auto& item : items) {
    if (item.operation != "==" && item.operation != "!=") continue;
    if (is_parent_key(item.key)) {
      of_parents.push_back(item);
    } else {
      result = both(result, match(item));
    }
  }
  return both(result, match_parents(of_parents));
}

bool is_assignment(const Item& item) {
  return (item.operation == "=" || item.operation == ":=") && item.key.starts_with("ENV{");
}

void Rules::assign(const std::string& path, const Item& item, bool races) {
  if (!is_assignment(item)) return;
  if (item.value.size() <= kMaxValue) properties_[std::string(item.key)] = item.value;
  if (item.key != kUnmanaged) return;
  unmanaged_by_ = item.value == "1" ? std::optional(UnmanagingRule{path, races}) : std::nullopt;
  doubtful_.clear();
}

void Rules::doubt(const std::string& path, const Item& item) {
  if (!is_assignment(item)) return;
  properties_[std::string(item.key)] = std::nullopt;
  if (item.key == kUnmanaged) doubtful_ = path;
}

Result<std::optional<UnmanagingRule>> Rules::unmanaged_by() const {
  if (doubtful_.empty()) return unmanaged_by_;
  return fail(Errc::unsupported,
              fmt::format("/{} may skip rules for NetworkManager: manactl cannot evaluate a "
                          "condition in it",
                          printable(doubtful_)));
}

void Rules::run(const std::string& path, std::string_view text) {
  const auto joined = os::joined_lines(text);
  std::string_view label, doubtful_label;  // rules up to it are skipped, certainly or perhaps
  for (const auto line : split(joined, '\n')) {
    const auto rule = trim(line);
    if (rule.empty() || rule.front() == '#') continue;
    if (++count_ > kMaxRules) return;
    const auto items = items_of(rule);
    const auto find = [&](std::string_view key) {
      const auto found = std::ranges::find(items, key, &Item::key);
      return found == items.end() ? std::string_view() : found->value;
    };
    const auto own_label = find("LABEL");
    if (!doubtful_label.empty() && own_label == doubtful_label) doubtful_label = {};
    if (!label.empty()) {
      if (own_label == label) label = {};
      continue;
    }
    const auto result = match(items);
    if (result == Match::no) continue;
    const bool is_certain = result == Match::yes && doubtful_label.empty();
    const bool races = std::ranges::find(items, "ATTR{flags}", &Item::key) != items.end();
    for (const auto& item : items) {
      if (is_certain) assign(path, item, races);
      if (!is_certain && result != Match::unsupported) doubt(path, item);
    }
    const auto target = find("GOTO");
    if (target.empty()) continue;
    (is_certain ? label : doubtful_label) = target;
  }
}

// Whether a bundle contains the value of the item. Other properties than the evaluated ones may
// hold anything, so only values that are too short for a secret are kept.
bool is_kept(const Item& item) {
  constexpr std::array<std::string_view, 3> kOthers = {"GOTO", "LABEL", "KERNELS"};
  constexpr std::size_t kMaxProperty = 8;
  return has_key(kVf, item.key) || is_known_of_parents(item.key) ||
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

Result<std::optional<UnmanagingRule>> rule_that_unmanages_mana(const os::Files& files) {
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
