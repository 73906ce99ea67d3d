// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/text.h"
#include "setup/addresses.h"
#include "setup/steps.h"
#include "setup/sysfs.h"
#include "setup/takeover.h"

namespace manactl::setup {
namespace {

constexpr std::string_view kAddressPrefix = "address.";
constexpr std::string_view kRoutePrefix = "route.";

bool leaves_by(const os::Route& route, int index) {
  return std::find(route.outputs.begin(), route.outputs.end(), index) != route.outputs.end();
}

// Pads to five digits, so that the keys sort in the order of the kernel's table.
std::string numbered_key(std::string_view key, std::size_t number) {
  constexpr std::size_t kDigits = 5;
  const auto digits = std::to_string(number);
  std::string text(key);
  text.append(kDigits - std::min(kDigits, digits.size()), '0');
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

class SaveAddresses final : public Step {
 public:
  explicit SaveAddresses(std::string interface)
      : Step(StepKind::save_addresses, {{"interface", interface}}),
        interface_(std::move(interface)) {}

  std::string title() const override {
    return fmt::format("save the addresses and routes of {}", interface_);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto link = find_link(system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    const auto addresses = system.links.addresses();
    if (!addresses) return tl::unexpected<Error>(addresses.error());
    const auto routes = system.links.routes();
    if (!routes) return tl::unexpected<Error>(routes.error());
    Values observed{{"index", std::to_string(link->index)},
                    {"mtu", std::to_string(link->mtu)},
                    {"state", link->is_up() ? "up" : "down"}};
    std::size_t count = 0;
    for (const auto& address : *addresses) {
      if (address.index != link->index) continue;
      observed.emplace(numbered_key(kAddressPrefix, count++), text_of(address));
    }
    for (const auto& route : *routes) {
      if (!leaves_by(route, link->index) || route.is_recreated_by_kernel()) continue;
      observed.emplace_hint(observed.end(), numbered_key(kRoutePrefix, count++), text_of(route));
    }
    return observed;
  }

  bool is_done(const Values& /*observed*/) const override { return true; }

  Result<Values> apply(const StepContext& /*context*/) override { return Values{}; }

  Result<> revert(const StepContext& context, const RevertRequest& request) override {
    const auto& before = request.record.before;
    const auto link = find_link(context.system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    if (value_at(before, "index") != std::to_string(link->index)) {
      auto set = restore_mtu(context, *link, before);
      if (!set) return set;
    }
    const auto addresses = restore_addresses(context, *link, before);
    const auto routes = restore_routes(context, *link, before);
    const auto state = restore_down(context, before);
    if (!addresses) return addresses;
    return routes ? state : routes;
  }

  std::vector<std::string> manual_commands(const Values& before) const override {
    std::vector<std::string> commands;
    const std::string device = quoted(interface_);
    for (const auto& text : values_of(before, kAddressPrefix)) {
      commands.push_back(fmt::format("ip address replace {} dev {}", first_word(text), device));
    }
    for (const auto& text : values_of(before, kRoutePrefix)) {
      const bool ipv6 = text.starts_with("inet6 ");
      std::string rest = text.substr(text.find(' ') + 1);
      const auto onlink = rest.find(" nexthop onlink");
      if (onlink != std::string::npos) rest.replace(onlink, 15, " onlink");
      commands.push_back(
          fmt::format("ip {}route replace {} dev {}", ipv6 ? "-6 " : "", rest, device));
    }
    if (value_at(before, "state") == "down") {
      commands.push_back(fmt::format("ip link set {} down", device));
    }
    return commands;
  }

 private:
  // hv_netvsc sets the VF up together with the synthetic interface, even if it was down before
  // prepare. The revert of set_down runs too early to prevent that.
  Result<> restore_down(const StepContext& context, const Values& before) const {
    if (value_at(before, "state") != "down") return {};
    const auto link = find_link(context.system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    if (!link->master) return {};
    auto held = hold_down(context, interface_);
    // Another program that sets the VF up again and again decides.
    return !held && held.error().code == Errc::busy ? Result<>() : held;
  }

  static Result<> restore_mtu(const StepContext& context,
                              const os::Link& link,
                              const Values& before) {
    const auto mtu = parse_unsigned(value_at(before, "mtu"), UINT32_MAX);
    if (!mtu || *mtu == link.mtu) return {};
    return context.system.links.set_mtu(link.index, static_cast<unsigned>(*mtu));
  }

  // The saved addresses that the interface does not have now. Lifetimes and flags, which change by
  // themselves, are not compared.
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
    for (auto& text : values_of(before, kAddressPrefix)) {
      if (there.count(first_word(text)) == 0) missing.push_back(std::move(text));
    }
    return missing;
  }

  static Result<> restore_addresses(const StepContext& context,
                                    const os::Link& link,
                                    const Values& before) {
    constexpr std::chrono::milliseconds kLinkLocalTimeout{2000};
    auto& links = context.system.links;
    auto missing = missing_addresses(links, link.index, before);
    if (!missing) return tl::unexpected<Error>(missing.error());
    Result<> result;
    std::vector<std::string> link_local;
    for (const auto& text : *missing) {
      // The kernel itself adds link-local addresses once the link is up.
      if (text.starts_with("fe80:")) {
        link_local.push_back(text);
      } else if (const auto added = add_address(links, text, link.index); !added && result) {
        result = added;
      }
    }
    if (link_local.empty()) return result;
    (void)wait_until(context.clock, kLinkLocalTimeout, [&] {
      const auto left = missing_addresses(links, link.index, before);
      return left && left->empty();
    });
    missing = missing_addresses(links, link.index, before);
    if (!missing) return tl::unexpected<Error>(missing.error());
    for (const auto& text : *missing) {
      const auto added = add_address(links, text, link.index);
      if (!added && result) result = added;
    }
    return result;
  }

  static Result<> add_address(os::Links& links, const std::string& text, int index) {
    const auto address = address_of(text, index);
    if (!address) return tl::unexpected<Error>(address.error());
    auto added = links.add_address(*address);
    if (!added && added.error().sys != EEXIST) return added;
    return {};
  }

  static Result<> restore_routes(const StepContext& context,
                                 const os::Link& link,
                                 const Values& before) {
    auto wanted = values_of(before, kRoutePrefix);
    if (wanted.empty()) return {};
    const auto now = context.system.links.routes();
    if (!now) return tl::unexpected<Error>(now.error());
    std::set<std::string> there;
    for (const auto& route : *now) {
      if (leaves_by(route, link.index)) there.insert(text_of(route));
    }
    // The kernel accepts a gateway only if a route leads to it, so routes without a gateway come
    // first.
    std::stable_partition(wanted.begin(), wanted.end(), [](const std::string& text) {
      return text.find(" via ") == std::string::npos;
    });
    Result<> result;
    for (const auto& text : wanted) {
      if (there.count(text) != 0) continue;
      const auto route = route_of(text, link.index);
      if (!route) return tl::unexpected<Error>(route.error());
      const auto added = context.system.links.add_route(*route);
      if (!added && added.error().sys != EEXIST && result) result = added;
    }
    return result;
  }

  std::string interface_;
};

}  // namespace

std::unique_ptr<Step> save_addresses(const std::string& interface) {
  return std::make_unique<SaveAddresses>(interface);
}

std::vector<std::string> saved_addresses(const StepRecord& record) {
  if (record.kind != StepKind::save_addresses) return {};
  return values_of(record.before, kAddressPrefix);
}

}  // namespace manactl::setup
