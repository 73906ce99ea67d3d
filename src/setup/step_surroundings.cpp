// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/text.h"
#include "setup/addresses.h"
#include "setup/steps.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

constexpr std::string_view kAddress = "address.";
constexpr std::string_view kRoute = "route.";

bool leaves_by(const os::Route& route, int index) {
  return std::find(route.outputs.begin(), route.outputs.end(), index) != route.outputs.end();
}

// Five digits, so that the order of the text is the order of the kernel's table.
std::string numbered(std::string_view key, std::size_t number) {
  constexpr std::size_t kDigits = 5;
  const auto digits = std::to_string(number);
  std::string text(key);
  if (digits.size() < kDigits) text.append(kDigits - digits.size(), '0');
  return text += digits;
}

std::vector<std::string> values_of(const Values& values, std::string_view prefix) {
  std::vector<std::string> found;
  for (auto it = values.lower_bound(prefix); it != values.end() && it->first.starts_with(prefix);
       ++it) {
    found.push_back(it->second);
  }
  return found;
}

std::string first_word(const std::string& text) {
  return text.substr(0, text.find(' '));
}

class Surroundings final : public Step {
 public:
  explicit Surroundings(std::string interface) : interface_(std::move(interface)) {}

  std::string_view kind() const override { return "surroundings"; }

  Values parameters() const override { return {{"interface", interface_}}; }

  std::string title() const override {
    return fmt::format("remember the addresses and routes of {}", interface_);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto link = find_link(system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    const auto addresses = system.links.addresses();
    if (!addresses) return tl::unexpected<Error>(addresses.error());
    const auto routes = system.links.routes();
    if (!routes) return tl::unexpected<Error>(routes.error());
    Values seen{{"index", std::to_string(link->index)}, {"mtu", std::to_string(link->mtu)}};
    std::size_t count = 0;
    for (const auto& address : *addresses) {
      if (address.index != link->index) continue;
      seen.emplace(numbered(kAddress, count++), text_of(address));
    }
    for (const auto& route : *routes) {
      if (!leaves_by(route, link->index) || route.comes_back()) continue;
      seen.emplace_hint(seen.end(), numbered(kRoute, count++), text_of(route));
    }
    return seen;
  }

  bool done(const Values& /*seen*/) const override { return true; }

  Result<Values> apply(Machine& /*machine*/) override { return Values{}; }

  Result<> revert(Machine& machine, const Undo& undo) override {
    const auto& before = undo.record.before;
    const auto link = find_link(machine.system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    if (value_of(before, "index") != std::to_string(link->index)) {
      auto set = restore_mtu(machine, *link, before);
      if (!set) return set;
    }
    const auto addresses = restore_addresses(machine, *link, before);
    const auto routes = restore_routes(machine, *link, before);
    return addresses ? routes : addresses;
  }

  std::vector<std::string> by_hand(const Values& before) const override {
    std::vector<std::string> commands;
    const std::string device = quoted(interface_);
    for (const auto& text : values_of(before, kAddress)) {
      commands.push_back(fmt::format("ip address replace {} dev {}", first_word(text), device));
    }
    for (const auto& text : values_of(before, kRoute)) {
      const bool ipv6 = text.starts_with("inet6 ");
      std::string rest = text.substr(text.find(' ') + 1);
      const auto onlink = rest.find(" nexthop onlink");
      if (onlink != std::string::npos) rest.replace(onlink, 15, " onlink");
      commands.push_back(
          fmt::format("ip {}route replace {} dev {}", ipv6 ? "-6 " : "", rest, device));
    }
    return commands;
  }

 private:
  static Result<> restore_mtu(Machine& machine, const os::Link& link, const Values& before) {
    const auto mtu = parse_unsigned(value_of(before, "mtu"), UINT32_MAX);
    if (!mtu || *mtu == link.mtu) return {};
    return machine.system.links.set_mtu(link.index, static_cast<unsigned>(*mtu));
  }

  // What is missing now, as text without lifetimes and flags that change by themselves.
  static Result<std::vector<std::string>> missing_addresses(const os::Links& links,
                                                            int index,
                                                            const Values& before) {
    const auto now = links.addresses();
    if (!now) return tl::unexpected<Error>(now.error());
    std::set<std::string> there;
    for (const auto& address : *now) {
      if (address.index == index) there.insert(first_word(text_of(address)));
    }
    std::vector<std::string> missing;
    for (auto& text : values_of(before, kAddress)) {
      if (there.count(first_word(text)) == 0) missing.push_back(std::move(text));
    }
    return missing;
  }

  static Result<> restore_addresses(Machine& machine, const os::Link& link, const Values& before) {
    constexpr std::chrono::milliseconds kLinkLocalTime{2000};
    auto& links = machine.system.links;
    auto missing = missing_addresses(links, link.index, before);
    if (!missing) return tl::unexpected<Error>(missing.error());
    Result<> good;
    std::vector<std::string> late;
    for (const auto& text : *missing) {
      // The kernel makes these when the link is up.
      if (text.starts_with("fe80:")) {
        late.push_back(text);
      } else if (const auto added = add_address(links, text, link.index); !added && good) {
        good = added;
      }
    }
    if (late.empty()) return good;
    (void)wait_until(machine.clock, kLinkLocalTime, [&] {
      const auto left = missing_addresses(links, link.index, before);
      return left && left->empty();
    });
    missing = missing_addresses(links, link.index, before);
    if (!missing) return tl::unexpected<Error>(missing.error());
    for (const auto& text : *missing) {
      const auto added = add_address(links, text, link.index);
      if (!added && good) good = added;
    }
    return good;
  }

  static Result<> add_address(os::Links& links, const std::string& text, int index) {
    const auto address = address_of(text, index);
    if (!address) return tl::unexpected<Error>(address.error());
    auto added = links.add_address(*address);
    if (!added && added.error().sys != EEXIST) return added;
    return {};
  }

  static Result<> restore_routes(Machine& machine, const os::Link& link, const Values& before) {
    auto wanted = values_of(before, kRoute);
    if (wanted.empty()) return {};
    const auto now = machine.system.links.routes();
    if (!now) return tl::unexpected<Error>(now.error());
    std::set<std::string> there;
    for (const auto& route : *now) {
      if (leaves_by(route, link.index)) there.insert(text_of(route));
    }
    // A gateway is only taken when something leads to it.
    std::stable_partition(wanted.begin(), wanted.end(), [](const std::string& text) {
      return text.find(" via ") == std::string::npos;
    });
    Result<> good;
    for (const auto& text : wanted) {
      if (there.count(text) != 0) continue;
      const auto route = route_of(text, link.index);
      if (!route) return tl::unexpected<Error>(route.error());
      const auto added = machine.system.links.add_route(*route);
      if (!added && added.error().sys != EEXIST && good) good = added;
    }
    return good;
  }

  std::string interface_;
};

}  // namespace

std::unique_ptr<Step> keep_surroundings(const std::string& interface) {
  return std::make_unique<Surroundings>(interface);
}

}  // namespace manactl::setup
