// SPDX-License-Identifier: MIT

#include "setup/steps.h"

namespace manactl::setup {
namespace {

// Reverting leaves the module loaded: other programs may use it by now, and an unused module is
// harmless.
class LoadModule final : public Step {
 public:
  explicit LoadModule(std::string name)
      : Step(StepKind::load_module, {{"name", name}}), name_(std::move(name)) {}

  std::string title() const override { return "load module " + name_; }

  Result<Values> observe(const os::System& system) const override {
    const auto state = system.modules.state(name_);
    if (!state) return tl::unexpected<Error>(state.error());
    const bool there = state->presence == Presence::loaded || state->presence == Presence::builtin;
    return Values{{"loaded", there ? "yes" : "no"}};
  }

  bool is_done(const Values& observed) const override {
    return value_at(observed, "loaded") == "yes";
  }

  Result<Values> apply(const StepContext& context) override {
    return with_no_values(context.system.modules.load(name_));
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Step> load_module(const std::string& name) {
  return std::make_unique<LoadModule>(name);
}

}  // namespace manactl::setup
