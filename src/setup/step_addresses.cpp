// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>

#include "base/text.h"
#include "setup/addresses.h"
#include "setup/network_managers.h"
#include "setup/saved_routes.h"
#include "setup/settings.h"
#include "setup/steps.h"
#include "setup/sysfs.h"
#include "setup/takeover.h"

namespace manactl::setup {
namespace {

constexpr std::string_view kAddresses = "address";

std::string first_word(const std::string& text) {
  return text.substr(0, text.find(' '));
}

class SaveAddresses final : public Step {
 public:
  explicit SaveAddresses(NicInterface interface)
      : Step(StepKind::save_addresses, interface.parameters()), interface_(std::move(interface)) {}

  std::string title() const override {
    return fmt::format("save the settings, addresses and routes of {}", interface_.name);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto link = find_link(system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    const auto addresses = system.links.addresses();
    if (!addresses) return tl::unexpected<Error>(addresses.error());
    Values observed{{"index", std::to_string(link->index)},
                    {"mtu", std::to_string(link->mtu)},
                    {"state", link->is_up() ? "up" : "down"}};
    std::vector<os::Address> own;
    std::ranges::copy_if(*addresses, std::back_inserter(own), [&](const auto& address) {
      // The kernel creates temporary IPv6 addresses by itself.
      return address.index == link->index && !address.is_temporary();
    });
    std::size_t count = 0;
    for (const auto& address : own) {
      observed.emplace(list_key(kAddresses, count++), text_of(address));
    }
    auto saved = save_routes(system.links, link->index, own, observed);
    if (saved) saved = save_settings(system, *link, observed);
    if (!saved) return tl::unexpected<Error>(saved.error());
    return observed;
  }

  bool is_done(const Values& /*observed*/) const override { return true; }

  Result<Values> apply(const StepContext& /*context*/) override { return Values{}; }

  Result<> revert(const StepContext& context, const RevertRequest& request) override {
    auto& record = request.record;
    const auto& before = record.before;
    auto link = find_link(context.system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    const auto lost = find_lost(*link, request);
    if (lost == Lost::all_settings) {
      await_network_managers(context, link->index);
      link = find_link(context.system, interface_);  // udev may have renamed it
      if (!link) return tl::unexpected<Error>(link.error());
    }
    ManagedSettings managed;
    // request.at_return has the settings of the synthetic interface only.
    if (request.at_return != nullptr && !interface_.channel.empty()) {
      managed.at_return = *request.at_return;
    }
    if (lost == Lost::nothing) {
      for (const auto key : words(record.kept_settings)) managed.keys.emplace(key);
    }
    auto mtu =
        lost == Lost::all_settings ? restore_mtu(context, *link, before, managed) : Result<>();
    auto settings = restore_settings(context, *link, before, lost, managed);
    if (request.notes != nullptr) {
      *request.notes = std::move(managed.kept);
      if (lost == Lost::all_settings && !has_settings(before)) {
        request.notes->push_back(
            fmt::format("the settings of {}, such as its sysctls, are unknown: "
                        "an earlier version of manactl prepared it",
                        link->name));
      }
    }
    record.kept_settings = join({managed.keys.begin(), managed.keys.end()}, " ");
    Result<> result;
    // Some sysctls decide about addresses, and routes may need addresses.
    for (auto& restored : {mtu,
                           settings,
                           restore_addresses(context, *link, before),
                           restore_routes(context, interface_.name, link->index, before),
                           restore_down(context, before)}) {
      if (!restored && result) result = restored;
    }
    return result;
  }

  std::vector<std::string> manual_commands(const Values& before) const override {
    std::vector<std::string> commands;
    const std::string device = shell_word(interface_.name);
    for (const auto& text : list_of(before, kAddresses)) {
      commands.push_back(
          fmt::format("ip address replace {} dev {}", address_arguments(text), device));
    }
    for (auto& command : route_commands(before, device)) commands.push_back(std::move(command));
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

  // An interface that did not vanish has its settings, or those that others have set since.
  static Lost find_lost(const os::Link& link, const RevertRequest& request) {
    const auto index = std::to_string(link.index);
    if (value_at(request.record.before, "index") == index) return Lost::neighbors;
    return request.record.written_to == index ? Lost::nothing : Lost::all_settings;
  }

  Result<> restore_mtu(const StepContext& context,
                       const os::Link& link,
                       const Values& before,
                       ManagedSettings& managed) const {
    const auto mtu = parse_unsigned(value_at(before, "mtu"), UINT32_MAX);
    if (!mtu || *mtu == link.mtu) return {};
    const auto key = std::string(kMtuFile);
    if (managed.keep_if_changed(key, link.name, std::to_string(*mtu), std::to_string(link.mtu)))
      return {};
    return set_and_verify_mtu(context.system, interface_, static_cast<unsigned>(*mtu));
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
    for (auto& text : list_of(before, kAddresses)) {
      if (there.count(first_word(text)) == 0) missing.push_back(std::move(text));
    }
    return missing;
  }

  Result<> restore_addresses(const StepContext& context,
                             const os::Link& link,
                             const Values& before) const {
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
      } else if (const auto added = add_address(links, text, link); !added && result) {
        result = added;
      }
    }
    if (link_local.empty()) return verify_addresses(links, link.index, before, result);
    (void)wait_until(context.clock, kLinkLocalTimeout, [&] {
      const auto left = missing_addresses(links, link.index, before);
      return left && left->empty();
    });
    missing = missing_addresses(links, link.index, before);
    if (!missing) return tl::unexpected<Error>(missing.error());
    for (const auto& text : *missing) {
      const auto added = add_address(links, text, link);
      if (!added && result) result = added;
    }
    return verify_addresses(links, link.index, before, result);
  }

  // `added`: the result of adding the addresses.
  static Result<> verify_addresses(const os::Links& links,
                                   int index,
                                   const Values& before,
                                   const Result<>& added) {
    if (!added) return added;
    const auto missing = missing_addresses(links, index, before);
    if (!missing) return tl::unexpected<Error>(missing.error());
    if (missing->empty()) return {};
    return fail(Errc::io,
                fmt::format("the kernel accepted the address {}, but the interface lacks it",
                            first_word(missing->front())));
  }

  Result<> add_address(os::Links& links, const std::string& text, const os::Link& link) const {
    auto address = address_of(text, link.index);
    if (!address) return tl::unexpected<Error>(address.error());
    // As the kernel does when it renames an interface: "eth1:0" becomes "lan1:0".
    const auto& former = interface_.name;
    if (address->label.starts_with(former)) address->label.replace(0, former.size(), link.name);
    auto added = links.add_address(*address);
    if (!added && added.error().sys != EEXIST) return added;
    return {};
  }

  NicInterface interface_;
};

}  // namespace

std::unique_ptr<Step> save_addresses(const NicInterface& interface) {
  return std::make_unique<SaveAddresses>(interface);
}

std::vector<std::string> saved_addresses(const StepRecord& record) {
  if (record.kind != StepKind::save_addresses) return {};
  return list_of(record.before, kAddresses);
}

}  // namespace manactl::setup
