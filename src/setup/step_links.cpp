// SPDX-License-Identifier: MIT

#include "base/text.h"
#include "setup/steps.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

std::string up_or_down(const os::Link& link) {
  return link.is_up() ? "up" : "down";
}

class SetMtu final : public Step {
 public:
  SetMtu(std::string interface, unsigned mtu) : interface_(std::move(interface)), mtu_(mtu) {}

  std::string_view kind() const override { return "mtu"; }

  Values parameters() const override {
    return {{"interface", interface_}, {"mtu", std::to_string(mtu_)}};
  }

  std::string title() const override {
    return fmt::format("set the MTU of {} to {}", interface_, mtu_);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto link = find_link(system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    return Values{{"mtu", std::to_string(link->mtu)}, {"index", std::to_string(link->index)}};
  }

  bool done(const Values& seen) const override {
    return value_of(seen, "mtu") == std::to_string(mtu_);
  }

  Result<Values> apply(Machine& machine) override {
    const auto link = find_link(machine.system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    const auto set = machine.system.links.set_mtu(link->index, mtu_);
    if (!set) return tl::unexpected<Error>(set.error());
    return Values{};
  }

  Result<> revert(Machine& machine, const Undo& undo) override {
    const auto link = find_link(machine.system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    const auto before = parse_unsigned(value_of(undo.record.before, "mtu"), UINT32_MAX);
    if (!before) return because(before.error(), "the journal tells no MTU");
    if (link->mtu == *before) return {};
    // An interface that was made anew has a value that nobody wrote.
    const bool same = value_of(undo.record.before, "index") == std::to_string(link->index);
    if (same && link->mtu != mtu_ && !undo.force) {
      return foreign("the MTU of " + interface_, std::to_string(link->mtu), std::to_string(mtu_));
    }
    return machine.system.links.set_mtu(link->index, static_cast<unsigned>(*before));
  }

  std::vector<std::string> by_hand(const Values& before) const override {
    return {fmt::format("ip link set {} mtu {}", quoted(interface_), value_of(before, "mtu"))};
  }

 private:
  std::string interface_;
  unsigned mtu_;
};

class TakeDown : public Step {
 public:
  explicit TakeDown(std::string interface) : interface_(std::move(interface)) {}

  std::string_view kind() const override { return "down"; }

  Values parameters() const override { return {{"interface", interface_}}; }

  std::string title() const override { return fmt::format("set {} down", interface_); }

  Result<Values> observe(const os::System& system) const override {
    const auto link = find_link(system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    return Values{{"state", up_or_down(*link)}};
  }

  bool done(const Values& seen) const override { return value_of(seen, "state") == "down"; }

  Result<Values> apply(Machine& machine) override {
    const auto set = set_state(machine.system, false);
    if (!set) return tl::unexpected<Error>(set.error());
    return Values{};
  }

  Result<> revert(Machine& machine, const Undo& undo) override {
    const auto now = observe(machine.system);
    if (!now) return tl::unexpected<Error>(now.error());
    const bool was_up = value_of(undo.record.before, "state") == "up";
    if ((value_of(*now, "state") == "up") == was_up) return {};
    return set_state(machine.system, was_up);
  }

  std::vector<std::string> by_hand(const Values& before) const override {
    return {fmt::format("ip link set {} {}", quoted(interface_), value_of(before, "state"))};
  }

 protected:
  Result<> set_state(const os::System& system, bool up) const {
    const auto link = find_link(system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    if (link->is_up() == up) return {};
    return system.links.set_up(link->index, up);
  }

  std::string interface_;
};

// hv_netvsc raises a VF about 100 ms after it took it in, and network managers raise what looks
// new to them: once down is not yet down.
class KeepDown final : public TakeDown {
 public:
  using TakeDown::TakeDown;

  std::string_view kind() const override { return "keep-down"; }

  std::string title() const override { return fmt::format("see that {} stays down", interface_); }

  bool done(const Values& /*seen*/) const override { return false; }

  Result<Values> apply(Machine& machine) override {
    constexpr std::chrono::milliseconds kQuiet{300};
    constexpr int kMostTimes = 5;
    for (int i = 0; i < kMostTimes; ++i) {
      const bool raised = wait_until(machine.clock, kQuiet, [&] {
        const auto link = find_link(machine.system, interface_);
        return !link || link->is_up();
      });
      if (!raised) return Values{};
      const auto set = set_state(machine.system, false);
      if (!set) return tl::unexpected<Error>(set.error());
    }
    return fail(Errc::busy,
                fmt::format("something raises {} again and again: tell the network manager to "
                            "leave it alone",
                            printable(interface_, 60)));
  }

  Result<> verify(const os::System& system) const override {
    const auto now = observe(system);
    if (!now) return tl::unexpected<Error>(now.error());
    if (value_of(*now, "state") == "down") return {};
    return fail(Errc::busy, fmt::format("{} is up again", printable(interface_, 60)));
  }

  // The step that took it down knows what it was.
  Result<> revert(Machine& /*machine*/, const Undo& /*undo*/) override { return {}; }

  std::vector<std::string> by_hand(const Values& /*before*/) const override { return {}; }
};

}  // namespace

std::unique_ptr<Step> set_mtu(const std::string& interface, unsigned mtu) {
  return std::make_unique<SetMtu>(interface, mtu);
}

std::unique_ptr<Step> take_down(const std::string& interface) {
  return std::make_unique<TakeDown>(interface);
}

std::unique_ptr<Step> keep_down(const std::string& interface) {
  return std::make_unique<KeepDown>(interface);
}

}  // namespace manactl::setup
