// SPDX-License-Identifier: MIT
//
// A change that can be undone: observe, apply, verify, revert. What a step needs to be undone is
// text, so that it survives a crash. Steps compare what is there with what was there before and
// with what they wrote, so revert may be called twice, and for a step that was never begun.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/system.h"
#include "setup/clock.h"

namespace manactl::setup {

using Values = std::map<std::string, std::string, std::less<>>;

struct Machine {
  os::System system;
  Clock& clock;
};

// A step as the journal keeps it.
struct StepRecord {
  std::string kind;   // how make_step() finds the class again
  Values parameters;  // and what it is made with
  std::string title;
  Values before;                     // what observe() saw before anything was changed
  Values after;                      // what apply() answered; empty when that is not known
  std::vector<std::string> by_hand;  // commands that do what revert does
  bool begun = false, done = false;
};

struct Undo {
  const StepRecord& record;
  std::vector<const StepRecord*> others;  // same kind, of other prepared NICs
  bool force = false;                     // overwrite what something else changed meanwhile
};

class Step {
 public:
  virtual ~Step() = default;
  virtual std::string_view kind() const = 0;
  virtual Values parameters() const = 0;
  virtual std::string title() const = 0;  // "reserve 512 hugepages of 2 MiB on node 0"

  virtual Result<Values> observe(const os::System& system) const = 0;  // changes nothing
  virtual bool done(const Values& seen) const = 0;                     // already as wanted
  virtual Result<Values> apply(Machine& machine) = 0;       // answers what only it can know
  virtual Result<> verify(const os::System& system) const;  // reads back; by default done()

  // Errc::busy when something else changed the value since: it is left alone.
  virtual Result<> revert(Machine& machine, const Undo& undo) = 0;
  virtual std::vector<std::string> by_hand(const Values& before) const = 0;
};

using Steps = std::vector<std::unique_ptr<Step>>;

// The step that a journal tells of. Errc::invalid for a kind that this version does not know.
Result<std::unique_ptr<Step>> make_step(std::string_view kind, const Values& parameters);

// The value, or empty.
std::string value_of(const Values& values, std::string_view key);

// Errc::busy: "'<what>' is <now>, and manactl wrote <wrote>".
tl::unexpected<Error> foreign(std::string_view what, std::string_view now, std::string_view wrote);

}  // namespace manactl::setup
