// SPDX-License-Identifier: MIT
//
// The interface of a reversible change: observe, apply, verify, revert. The data that revert()
// needs are text, so that the journal can store them across a crash. revert() compares the current
// value with the original value and with the one that apply() wrote. It may therefore run twice, or
// for a step that never began.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_words.h"
#include "base/result.h"
#include "os/system.h"
#include "setup/clock.h"

namespace manactl::setup {

using Values = std::map<std::string, std::string, std::less<>>;

// The value of `key`; empty if there is none.
std::string value_at(const Values& values, std::string_view key);

// The key of element `number` of a list: "route.000003". The digits let the keys sort in the order
// of the list.
std::string list_key(std::string_view list, std::size_t number);
std::vector<std::string> list_of(const Values& values, std::string_view list);

// The system that steps read and change, and the clock that they wait on. The objects behind the
// references must outlive this context.
struct StepContext {
  os::System system;
  Clock& clock;
  const std::vector<std::string>* omitted_writes = nullptr;  // of a dry run, which adds to them
};

enum class StepKind {
  unknown,         // a kind that only a later version of manactl has
  save_addresses,  // and settings and routes
  load_module,
  reserve_hugepages,
  set_mtu,
  set_down,
  unbind_channel,
  override_driver,
  add_class_id,
  bind_channel,
  wait_for_uio,
  keep_down,       // verifies that nothing sets the VF up again
  change_setting,  // of tune
};

// The words in journal files; they must not change. prepare runs the steps in this order, except
// that add_class_id precedes unbind_channel.
inline constexpr EnumWords<StepKind, 12> kStepKindWords{{
    {StepKind::save_addresses, "surroundings"},  // settings, addresses, routes
    {StepKind::load_module, "module"},
    {StepKind::reserve_hugepages, "hugepages"},
    {StepKind::set_mtu, "mtu"},
    {StepKind::set_down, "down"},
    {StepKind::unbind_channel, "release"},
    {StepKind::override_driver, "override"},
    {StepKind::add_class_id, "new-id"},
    {StepKind::bind_channel, "bind"},
    {StepKind::wait_for_uio, "uio"},
    {StepKind::keep_down, "keep-down"},
    {StepKind::change_setting, "setting"},
}};

// A step as the journal stores it.
struct StepRecord {
  StepKind kind = StepKind::unknown;
  Values parameters;  // make_step() builds the step from these
  std::string title;
  Values before;  // result of observe() before the first change
  Values after;   // result of apply(); empty if unknown
  std::vector<std::string> manual_commands;
  bool begun = false, done = false;
  bool reverted = false;  // by an earlier restore that could not revert every step
  // The index of the interface to which an earlier restore has written what the step records.
  std::string written_to;
  std::string kept_settings;  // by that restore, see ManagedSettings::keys; separated by blanks

  // Empty unless the step changes an interface.
  std::string interface() const { return value_at(parameters, "interface"); }

  // The VMBus id of the NIC; empty if the step changes neither its channel nor its synthetic
  // interface.
  std::string channel() const { return value_at(parameters, "channel"); }
};

struct RevertRequest {
  StepRecord& record;                            // the step may set kept_settings
  std::vector<const StepRecord*> other_records;  // the same step of other NICs, if in effect
  bool force = false;                            // overwrite values that other programs have set
  bool is_repeated = false;  // an earlier restore has reverted other steps: the NIC may be in use
  Values* at_return = nullptr;  // settings of the interface when it returned (file_settings)
  std::vector<std::string>* notes = nullptr;  // RevertResult::notes, to which the step may add
};

class Step {
 public:
  Step(StepKind kind, Values parameters) : kind_(kind), parameters_(std::move(parameters)) {}

  virtual ~Step() = default;

  StepKind kind() const { return kind_; }

  const Values& parameters() const { return parameters_; }

  virtual std::string title() const = 0;  // "set eth1 down"

  virtual Result<Values> observe(const os::System& system) const = 0;  // changes nothing
  virtual bool is_done(const Values& observed) const = 0;              // true: no change is needed
  virtual Result<Values> apply(const StepContext& context) = 0;
  virtual Result<> verify(const os::System& system) const;  // default: checks is_done(observe())

  // Fails with Errc::busy, and changes nothing, if something else has changed the value since
  // apply(). The default does nothing.
  virtual Result<> revert(const StepContext& context, const RevertRequest& request);

  // Shell commands that do the same as revert().
  virtual std::vector<std::string> manual_commands(const Values& before) const;

 private:
  StepKind kind_;
  Values parameters_;
};

// The result of an apply() that has nothing to record.
Result<Values> with_no_values(const Result<>& applied);

using Steps = std::vector<std::unique_ptr<Step>>;

// Rebuilds the step that `record` describes. Errc::invalid if this version does not know its kind.
Result<std::unique_ptr<Step>> make_step(const StepRecord& record);

// The record of a step that has not begun.
StepRecord make_record(const Step& step, Values before);

// Errc::busy: `what` has the value `now`, but manactl had set it to `written`.
tl::unexpected<Error> fail_changed(std::string_view what,
                                   std::string_view now,
                                   std::string_view written);

}  // namespace manactl::setup
