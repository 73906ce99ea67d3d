// SPDX-License-Identifier: MIT

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "host/nic_state.h"
#include "os/attachments.h"
#include "setup/guard.h"
#include "setup/steps.h"
#include "setup/sysfs.h"
#include "setup/tune.h"

namespace manactl::setup {
namespace {

using host::Tunable;

Result<> refuse_untunable(const host::Nic& nic) {
  const auto name = printable(nic.name());
  if (nic.name() != name) {
    return fail(Errc::invalid, fmt::format("the journal cannot store the name '{}'", name));
  }
  if (host::owner_of(nic) != host::Owner::kernel) {
    return fail(Errc::unsupported,
                fmt::format("channel {} has no driver and therefore no interface: run 'manactl "
                            "restore {}' first",
                            name,
                            name));
  }
  if (!nic.vf) {
    return fail(Errc::unsupported,
                fmt::format("'{}' has no VF: run 'manactl doctor' to find the reason", name));
  }
  if (nic.has_mana_vf()) return {};
  return fail(Errc::unsupported,
              fmt::format("the VF {} of '{}' has the driver {}: tune only has figures for mana",
                          printable(nic.vf->name),
                          name,
                          printable(nic.vf->driver)));
}

class TunePlanner {
 public:
  TunePlanner(const host::Nic& nic, const TuneRequest& request, const host::Facts& facts)
      : nic_(nic), request_(request), facts_(facts) {}

  Result<> add_settings(TunePlan& plan) const {
    for (const auto& tunable : host::tunables()) {
      const auto* netdev = host::interface_for(tunable, nic_);
      const auto requested = request_.settings.find(std::string(tunable.name));
      TunedSetting setting;
      setting.tunable = &tunable;
      setting.is_requested = requested != request_.settings.end();
      if (netdev == nullptr) {
        if (setting.is_requested) return fail_unsupported(tunable, nic_.name());
        continue;
      }
      if (!netdev->settings) return tl::unexpected<Error>(netdev->settings.error());
      setting.interface = netdev->name;
      if (setting.is_requested) {
        setting.wanted = requested->second;
      } else if (request_.profile) {
        setting.wanted = host::wanted_value(tunable, *request_.profile, *netdev, facts_);
      }
      if (setting.wanted.empty()) continue;
      const auto added = add_setting(setting, *netdev);
      if (!added) return added;
      plan.settings.push_back(std::move(setting));
    }
    return {};
  }

 private:
  Result<> add_setting(TunedSetting& setting, const host::Netdev& netdev) const {
    const auto& tunable = *setting.tunable;
    const auto now = host::present_value(tunable, netdev);
    // Without a request, do not try what the driver of an old kernel would refuse.
    const bool is_too_old = !setting.is_requested && tunable.key == "ethtool/coalescing" &&
                            host::is_kernel_older(tunable, facts_);
    if (!now || is_too_old) {
      setting.state = SettingState::unsupported;
      return setting.is_requested ? fail_unsupported(tunable, netdev.name) : Result<>();
    }
    setting.now = *now;
    const auto limit = host::limit_of(tunable, netdev);
    const auto value = parse_unsigned(setting.wanted);
    if (limit && value && *value > *limit) {
      return fail(Errc::invalid,
                  fmt::format("{}={} is out of range: the driver of '{}' accepts at most {}",
                              tunable.name,
                              *value,
                              printable(netdev.name),
                              *limit));
    }
    const auto profile = setting.is_requested ? std::nullopt : request_.profile;
    const bool holds = host::is_satisfied(tunable, profile, *now, setting.wanted) &&
                       (tunable.key != host::kMtuKey || vf_has_mtu(setting.wanted));
    setting.state = holds ? SettingState::holds : SettingState::change;
    return {};
  }

  bool vf_has_mtu(const std::string& mtu) const { return std::to_string(nic_.vf->mtu) == mtu; }

  static Result<> fail_unsupported(const Tunable& tunable, const std::string& interface) {
    const auto hint = tunable.since.empty()
                          ? std::string()
                          : fmt::format("; the driver of Linux {} can", tunable.since);
    return fail(Errc::unsupported,
                fmt::format("'{}': {} is not supported by this kernel{}",
                            printable(interface),
                            tunable.name,
                            hint));
  }

  const host::Nic& nic_;
  const TuneRequest& request_;
  const host::Facts& facts_;
};

// Marks the settings whose change would interrupt what the NIC carries.
Result<> apply_guard(TunePlan& plan,
                     const host::Nic& nic,
                     const TuneRequest& request,
                     const host::Facts& facts,
                     const os::System& system) {
  const auto name = nic.name();
  const bool is_forced = request.force_interface == name;
  const auto interrupts = [](const TunedSetting& setting) {
    return setting.state == SettingState::change && setting.tunable->interrupts;
  };
  if (is_forced || std::ranges::none_of(plan.settings, interrupts)) return {};
  // The interface stays, so what the NIC would lose together with it does not matter.
  plan.objections = find_objections(nic, facts, system, true);
  if (plan.objections.empty()) return {};
  bool is_requested = false;
  for (auto& setting : plan.settings) {
    if (!interrupts(setting)) continue;
    setting.state = SettingState::refused;
    is_requested |= request.settings.contains(std::string(setting.tunable->name));
  }
  const bool changes_nothing = std::ranges::none_of(
      plan.settings, [](const auto& setting) { return setting.state == SettingState::change; });
  if (!is_requested && (request.nic.empty() || !changes_nothing)) return {};
  return fail(Errc::denied,
              fmt::format("refusing to interrupt the traffic of '{0}': {1}; use --force-interface "
                          "{0} if it may lose packets for a moment",
                          printable(name),
                          join(plan.objections, ", ")));
}

// The word of the kernel for the value that users write.
std::string kernel_word(const Tunable& tunable, const std::string& value) {
  if (tunable.form != host::ValueForm::flag) return value;
  return value == "on" ? "1" : "0";
}

// One step for each value of the kernel, although several settings may be words of it: the driver
// creates its queues again for each change.
void add_setting_steps(Plan& plan,
                       const host::Nic& nic,
                       const std::vector<TunedSetting>& settings) {
  for (auto first = settings.begin(); first != settings.end(); ++first) {
    const auto& tunable = *first->tunable;
    const auto is_same = [&](const TunedSetting& other) {
      return other.state == SettingState::change && other.tunable->key == tunable.key &&
             other.tunable->driver == tunable.driver;
    };
    if (!is_same(*first) || std::any_of(settings.begin(), first, is_same)) continue;
    if (tunable.key == host::kMtuKey) {
      const auto mtu = parse_unsigned(first->wanted).value_or(0);
      add_mtu_steps(plan.steps, nic, static_cast<unsigned>(mtu));
      continue;
    }
    const auto* netdev = host::interface_for(tunable, nic);
    const auto present = netdev->settings->find(std::string(tunable.key));
    const auto count = present == netdev->settings->end() ? 1 : words(present->second).size();
    std::vector<std::string> pattern(tunable.form == host::ValueForm::kind ? 1 : count, "*");
    std::vector<std::string> what;
    for (const auto& setting : settings) {
      if (!is_same(setting)) continue;
      pattern.at(setting.tunable->word) = kernel_word(*setting.tunable, setting.wanted);
      what.push_back(fmt::format("{} to {}", setting.tunable->name, setting.wanted));
    }
    plan.steps.push_back(
        change_setting(interface_of(*netdev),
                       {std::string(tunable.key), join(pattern, " "), join(what, " and ")}));
  }
}

// The queueing disciplines of others would be lost.
Result<> refuse_others_queueing(const TunePlan& plan,
                                const host::Nic& nic,
                                const os::Links& links) {
  for (const auto& setting : plan.settings) {
    const bool is_changed = setting.state == SettingState::change;
    if (!is_changed || setting.tunable->form != host::ValueForm::kind) continue;
    const auto* netdev = host::interface_for(*setting.tunable, nic);
    const auto attachments = links.attachments(netdev->index);
    if (!attachments) return tl::unexpected<Error>(attachments.error());
    for (const auto& what : *attachments) {
      if (!what.starts_with(os::kQueueingPrefix)) continue;
      return fail(Errc::denied,
                  fmt::format("refusing to change {} of '{}': it would lose {}",
                              setting.tunable->name,
                              printable(netdev->name),
                              what));
    }
  }
  return {};
}

unsigned next_number(const std::string& nic_id, const std::vector<Entry>& entries) {
  const auto* newest = newest_tuning(nic_id, entries);
  return newest == nullptr ? 1 : newest->tune_number() + 1;
}

}  // namespace

std::string reason_to_leave(const host::Nic& nic, const std::vector<Entry>& entries) {
  if (nic.is_prepared()) return fmt::format("it is bound to {}", kUio);
  return prepared_entry(nic, entries) == nullptr ? "" : "it is prepared for user space";
}

Result<TunePlan> make_tune_plan(const host::Nic& nic,
                                const TuneRequest& request,
                                const host::Facts& facts,
                                const os::System& system,
                                const std::vector<Entry>& entries) {
  auto allowed = refuse_untunable(nic);
  if (allowed) allowed = refuse_taken_name(nic, entries);
  if (allowed) allowed = refuse_unconfirmed_tuning(nic, entries);
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  TunePlan plan;
  allowed = TunePlanner(nic, request, facts).add_settings(plan);
  if (allowed) allowed = apply_guard(plan, nic, request, facts, system);
  if (allowed) allowed = refuse_others_queueing(plan, nic, system.links);
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  auto& entry = plan.plan.entry;
  entry.nic = identity_of(nic);
  entry.interface = nic.name();
  const auto id = entry_id_of(nic);
  entry.id = fmt::format("tune-{}-{}", next_number(id, entries), id);
  entry.boot_id = boot_id(system.files).value_or("");
  add_setting_steps(plan.plan, nic, plan.settings);
  plan.plan.already_prepared = plan.plan.steps.empty();
  const auto recorded = record_state(plan.plan, system);
  if (!recorded) return tl::unexpected<Error>(recorded.error());
  return plan;
}

}  // namespace manactl::setup
