// SPDX-License-Identifier: MIT
//
// Changes the settings of host/tuning.h as a transaction: each NIC has a journal entry, and if one
// of them cannot be tuned, all are rolled back. Sources: tune.cpp, tune_plan.cpp, and for
// --persist tuning_files.cpp.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_words.h"
#include "host/tuning.h"
#include "setup/prepare.h"

namespace manactl::setup {

struct TuneRequest {
  std::string nic;  // as for Facts::azure_nic(); empty: every MANA NIC of the kernel
  std::optional<host::Profile> profile;
  std::map<std::string, std::string> settings;  // by Tunable::name; they override the profile
  std::string force_interface;                  // overrides the guard if it is the NIC's name
  bool persist = false;
};

enum class SettingState {
  change,
  holds,        // it has the value already
  unsupported,  // by the driver of this kernel
  refused,      // the change would interrupt what the NIC carries
};

inline constexpr EnumWords<SettingState, 4> kSettingStateWords{{
    {SettingState::change, "change"},
    {SettingState::holds, "holds"},
    {SettingState::unsupported, "unsupported"},
    {SettingState::refused, "refused"},
}};

struct TunedSetting {
  const host::Tunable* tunable = nullptr;
  std::string interface, now, wanted;  // `now` is empty if the driver does not support the setting
  SettingState state = SettingState::holds;
  bool is_requested = false;  // by name, with --set
};

struct TunePlan {
  Plan plan;  // without steps if nothing has to change
  std::vector<TunedSetting> settings;
  std::vector<std::string> objections;  // why settings are refused
};

// Errc is the reason for the refusal: unsupported (not MANA, or the driver lacks a setting of the
// request), invalid (a value that is too large), denied (the guard), busy (not confirmed).
Result<TunePlan> make_tune_plan(const host::Nic& nic,
                                const TuneRequest& request,
                                const host::Facts& facts,
                                const os::System& system,
                                const std::vector<Entry>& entries);

// Why tune does not change the NIC: "it is bound to uio_hv_generic". Empty if it may.
std::string reason_to_leave(const host::Nic& nic, const std::vector<Entry>& entries);

struct TunedNic {
  std::string name;
  std::string left_alone;  // reason_to_leave(); the other members are then empty
  std::vector<TunedSetting> settings;
  std::vector<std::string> objections;
  PrepareResult result;  // `already_prepared`: all settings have their values
};

// An error means that nothing was changed. After a failure, every NIC is rolled back.
Result<std::vector<TunedNic>> tune(const TuneRequest& request,
                                   const SetupContext& context,
                                   const BeforeChanges& before_changes = {});

// Runs the same steps without lock and journal. `context` refers to a simulated system (dry_run.h).
Result<std::vector<TunedNic>> dry_run_tune(const TuneRequest& request,
                                           const StepContext& context,
                                           const std::vector<Entry>& entries);

}  // namespace manactl::setup
