// SPDX-License-Identifier: MIT

#include "setup/steps.h"

namespace manactl::setup {
namespace {

// A loaded module stays: others may use it by now, and it does nothing by itself.
class LoadModule final : public Step {
 public:
  explicit LoadModule(std::string name) : name_(std::move(name)) {}

  std::string_view kind() const override { return "module"; }

  Values parameters() const override { return {{"name", name_}}; }

  std::string title() const override { return "load module " + name_; }

  Result<Values> observe(const os::System& system) const override {
    const auto state = system.modules.state(name_);
    if (!state) return tl::unexpected<Error>(state.error());
    const bool there = state->presence == Presence::loaded || state->presence == Presence::builtin;
    return Values{{"loaded", there ? "yes" : "no"}};
  }

  bool done(const Values& seen) const override { return value_of(seen, "loaded") == "yes"; }

  Result<Values> apply(Machine& machine) override {
    const auto loaded = machine.system.modules.load(name_);
    if (!loaded) return tl::unexpected<Error>(loaded.error());
    return Values{};
  }

  Result<> revert(Machine& /*machine*/, const Undo& /*undo*/) override { return {}; }

  std::vector<std::string> by_hand(const Values& /*before*/) const override { return {}; }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Step> load_module(const std::string& name) {
  return std::make_unique<LoadModule>(name);
}

}  // namespace manactl::setup
