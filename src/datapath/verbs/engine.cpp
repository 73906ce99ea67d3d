// SPDX-License-Identifier: MIT
//
// The row of the verbs engine in kEngines.

#include <utility>

#include "datapath/engines.h"
#include "datapath/measure/session.h"
#include "datapath/verbs/engine_ports.h"

namespace manactl::datapath {

namespace verbs {

namespace {

Result<> check_plan(const BenchPlan& plan) {
  if (!plan.vdevs.empty() || plan.nics.empty()) {
    return fail(Errc::invalid,
                fmt::format("engine verbs measures MANA only: name an interface, not {}",
                            name_of(PlanField::vdevs)));
  }
  return {};
}

class VerbsEngine final : public Engine {
 public:
  VerbsEngine(OpenPort open, std::string version)
      : open_(std::move(open)), version_(std::move(version)) {}

  Result<std::unique_ptr<Session>> open(const BenchPlan& plan) override {
    auto complete = complete_plan(plan);
    if (!complete) return tl::unexpected<Error>(complete.error());
    if (auto ok = check_plan(plan); !ok) return tl::unexpected<Error>(ok.error());
    BenchReport report;
    report.engine = kVerbsEngine.name;
    report.version = version_;
    return open_session(
        std::move(*complete), std::move(report), std::make_unique<VerbsPorts>(open_));
  }

 private:
  OpenPort open_;
  std::string version_;
};

Result<std::unique_ptr<Engine>> make() {
  const auto library = load_library();
  if (!library) return tl::unexpected<Error>(library.error());
  return make_engine(
      [library = *library](const Nic& nic) { return Context::open(library, nic.pci, nic.mac); },
      version_of(*library));
}

EngineInfo info() {
  return {"", "loaded", {"libmana"}};  // the version is unknown until the libraries are loaded
}

}  // namespace

std::unique_ptr<Engine> make_engine(OpenPort open, std::string version) {
  return std::make_unique<VerbsEngine>(std::move(open), std::move(version));
}

}  // namespace verbs

constinit const EngineRow kVerbsEngine = {
    .name = "verbs",
    .mana_driver = "libmana",
    .nic_state = NicState::link_down,
    .adapter_doorbell = kDoorbellCall,
    .info = verbs::info,
    .make = verbs::make,
};

Result<> load_mana_libraries() {
  const auto library = verbs::load_library();
  return library ? Result<>() : tl::unexpected<Error>(library.error());
}

bool is_simulated() {
  return verbs::is_simulated();
}

}  // namespace manactl::datapath
