// SPDX-License-Identifier: MIT

#include "base/text.h"
#include "setup/steps.h"
#include "setup/sysfs.h"
#include "setup/takeover.h"

namespace manactl::setup {
namespace {

std::string up_or_down(const os::Link& link) {
  return link.is_up() ? "up" : "down";
}

Values with_mtu(Values parameters, unsigned mtu) {
  parameters["mtu"] = std::to_string(mtu);
  return parameters;
}

class SetMtu final : public Step {
 public:
  SetMtu(NicInterface interface, unsigned mtu)
      : Step(StepKind::set_mtu, with_mtu(interface.parameters(), mtu)),
        interface_(std::move(interface)),
        mtu_(mtu) {}

  std::string title() const override {
    return fmt::format("set the MTU of {} to {}", interface_.name, mtu_);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto link = find_link(system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    return Values{{"mtu", std::to_string(link->mtu)}, {"index", std::to_string(link->index)}};
  }

  bool is_done(const Values& observed) const override {
    return value_at(observed, "mtu") == std::to_string(mtu_);
  }

  Result<Values> apply(const StepContext& context) override {
    const auto link = find_link(context.system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    return with_no_values(context.system.links.set_mtu(link->index, mtu_));
  }

  Result<> revert(const StepContext& context, const RevertRequest& request) override {
    const auto link = find_link(context.system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    const auto before = parse_unsigned(value_at(request.record.before, "mtu"), UINT32_MAX);
    if (!before) return because(before.error(), "the journal has no MTU");
    if (link->mtu == *before) return {};
    // An interface with another index is new, so no other program has set its MTU.
    const bool same = value_at(request.record.before, "index") == std::to_string(link->index);
    if (same && !request.record.begun && link->mtu != mtu_) return {};  // others changed it
    if (same && link->mtu != mtu_ && !request.force) {
      return fail_changed(
          "the MTU of " + interface_.name, std::to_string(link->mtu), std::to_string(mtu_));
    }
    return set_and_verify_mtu(context.system, interface_, static_cast<unsigned>(*before));
  }

  std::vector<std::string> manual_commands(const Values& before) const override {
    return {
        fmt::format("ip link set {} mtu {}", shell_word(interface_.name), value_at(before, "mtu"))};
  }

 private:
  NicInterface interface_;
  unsigned mtu_;
};

class SetDown : public Step {
 public:
  explicit SetDown(NicInterface interface, StepKind kind = StepKind::set_down)
      : Step(kind, interface.parameters()), interface_(std::move(interface)) {}

  std::string title() const override { return fmt::format("set {} down", interface_.name); }

  Result<Values> observe(const os::System& system) const override {
    const auto link = find_link(system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    return Values{{"state", up_or_down(*link)}};
  }

  bool is_done(const Values& observed) const override {
    return value_at(observed, "state") == "down";
  }

  Result<Values> apply(const StepContext& context) override {
    return with_no_values(set_state(context.system, false));
  }

  Result<> revert(const StepContext& context, const RevertRequest& request) override {
    const bool was_up = value_at(request.record.before, "state") == "up";
    const auto set = set_state(context.system, was_up);
    if (!set) return set;
    const auto now = observe(context.system);
    if (!now) return tl::unexpected<Error>(now.error());
    if ((value_at(*now, "state") == "up") == was_up) return {};
    return fail(Errc::io,
                fmt::format("the kernel accepted '{}' for '{}', but it is {}",
                            was_up ? "up" : "down",
                            printable(interface_.name),
                            value_at(*now, "state")));
  }

  std::vector<std::string> manual_commands(const Values& before) const override {
    return {
        fmt::format("ip link set {} {}", shell_word(interface_.name), value_at(before, "state"))};
  }

 protected:
  Result<> set_state(const os::System& system, bool up) const {
    const auto link = find_link(system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    if (link->is_up() == up) return {};
    return system.links.set_up(link->index, up);
  }

  NicInterface interface_;
};

// hv_netvsc may take over a VF after it was set down, and network managers set up interfaces
// that are new to them. Setting the VF down once is therefore not enough.
class KeepDown final : public SetDown {
 public:
  explicit KeepDown(NicInterface interface) : SetDown(std::move(interface), StepKind::keep_down) {}

  std::string title() const override {
    return fmt::format("verify that {} stays down", interface_.name);
  }

  bool is_done(const Values& /*observed*/) const override { return false; }

  Result<Values> apply(const StepContext& context) override {
    return with_no_values(hold_down(context, interface_));
  }

  Result<> verify(const os::System& system) const override {
    const auto now = observe(system);
    if (!now) return tl::unexpected<Error>(now.error());
    if (value_at(*now, "state") == "down") return {};
    return fail(Errc::busy, fmt::format("{} is up again", printable(interface_.name)));
  }

  // The revert of the earlier set_down step restores the state.
  Result<> revert(const StepContext& /*context*/, const RevertRequest& /*request*/) override {
    return {};
  }

  std::vector<std::string> manual_commands(const Values& /*before*/) const override { return {}; }
};

}  // namespace

std::unique_ptr<Step> set_mtu(const NicInterface& interface, unsigned mtu) {
  return std::make_unique<SetMtu>(interface, mtu);
}

std::unique_ptr<Step> set_down(const NicInterface& interface) {
  return std::make_unique<SetDown>(interface);
}

std::unique_ptr<Step> keep_down(const NicInterface& interface) {
  return std::make_unique<KeepDown>(interface);
}

}  // namespace manactl::setup
