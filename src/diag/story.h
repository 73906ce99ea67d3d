// SPDX-License-Identifier: MIT
//
// Follows the runs and the states of the devices in one log, in constant memory. An error is open
// until a later line proves that it did not matter.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "diag/conclusion.h"
#include "diag/device.h"
#include "diag/outage.h"
#include "diag/quote.h"
#include "diag/signature.h"
#include "diag/state.h"

namespace manactl::diag {

// A line that shows a state.
struct Milestone {
  State state = State::detected;
  const Signature* signature = nullptr;
  Device device;
  Quote quote;
  std::string time;             // as the log writes it; may be empty
  std::uint64_t last_line = 0;  // of the lines that show the same, if no other state came between
  std::string last_time = {};
};

using Applications = std::set<std::string, std::less<>>;

struct Run {
  std::uint64_t number = 0;  // from 1, in the order of the log
  RunKind kind = RunKind::program;
  std::uint64_t first_line = 0, last_line = 0;  // of the lines with a signature
  std::string time;                             // of the first line; may be empty
  std::string dpdk_release;                     // may be empty
  std::vector<Milestone> milestones;            // the first and the newest changes of states
  std::uint64_t more_milestones = 0;            // changes that `milestones` omits
  std::optional<Milestone> worked;              // the newest line that shows a working device
  Ending ending = Ending::none;
  std::optional<Quote> end;                  // the first line that shows the end
  std::vector<const Signature*> beginnings;  // of the lines that begin the run
  Applications applications = {};            // Signature::application of its lines
};

enum class Resolution {
  none,       // no line proves that the error did not matter
  expected,   // an earlier line shows a state in which this error is normal
  recovered,  // a later line proves that the fault is over
};

// The lines of one log that match one signature, or one kind of unrecognized line.
struct LogEntry {
  const Signature* signature = nullptr;  // null for unrecognized lines
  Quote first;
  std::uint64_t count = 0;
  Captures captures;  // values captured from the first line
  std::uint64_t last_line = 0;
  bool benign = false;  // because of a captured value; lines with other values have their own entry
  Resolution resolution = Resolution::none;
  std::optional<Quote> proof = {};  // the line that proves the resolution
  std::uint64_t run = 0;            // number of the run that has the last line; 0 if there is none
  Device device = {};
  std::optional<State> blocks = {};  // a line that shows this state proves recovery
  std::vector<Quote> context = {};   // lines around the first one, if it is unrecognized
};

class Story {
 public:
  static constexpr std::size_t kMaxRuns = 100;
  static constexpr std::size_t kMaxMilestones = 50;  // per run
  // Pairs of a signature and a device. Each line with a state is compared with all open ones.
  static constexpr std::size_t kMaxDevices = 256;
  static constexpr std::size_t kMaxUnknown = 50;  // kinds of unrecognized lines

  // Returns true if the line shows that a run of a program has failed.
  bool add(const Signature& signature,
           const Captures& captures,
           const Device& device,
           const Event& event);

  // Adds what a rule concludes from the lines up to `conclusion.line`.
  void add(const Conclusion& conclusion);

  // Adds a line without time that shows the same as the line before it, without the cost of add().
  // Returns false if the line before it had another signature.
  bool repeat(const Signature& signature, std::uint64_t line);

  // Adds an unrecognized line that looks like an error. Returns its entry if it is the first of its
  // kind, and null otherwise.
  LogEntry* add_unknown(const Event& event);

  // Adds what a rule concludes at the end of the log. This changes no state.
  void conclude(const Conclusion& conclusion);

  // The newest time of a line that shows a state or the beginning or end of a run; may be empty.
  const std::string& last_time() const { return last_time_; }

  std::vector<NicStory> nics(std::string_view last_time) const {
    return outages_.finish(last_time);
  }

  std::vector<LogEntry> take_entries();  // in the order of their first lines

  // Call it before add() for a line that shows its application, which belongs to the run of the
  // next line of a program.
  void add_application(const std::string& name) {
    if (!name.empty()) applications_.insert(name);
  }

  std::vector<Run> take_runs() {
    auto* const newest = current_run(RunKind::program);
    if (newest != nullptr) newest->applications.merge(applications_);
    return std::move(runs_);
  }

  std::uint64_t more_runs() const { return more_runs_; }  // omitted by take_runs()

  std::uint64_t more_unknown() const { return more_unknown_; }  // lines without an entry

 private:
  // The lines that match a signature for a device, by their resolution.
  struct Slot {
    LogEntry open, expected, recovered;
  };

  // A line that may resolve errors.
  struct Step {
    const Signature& signature;
    const Device& device;
    const Run& run;
    bool is_other_path = false;  // packets of the application take the synthetic path
  };

  using Key = std::tuple<const Signature*, bool, std::string>;

  Run& run_of(const Signature& signature, const Event& event);
  Run& begin_run(RunKind kind, const Event& event);
  Run* current_run(RunKind kind);  // null if no line of this kind was seen
  Slot* slot_of(const Key& key);
  static void add_line(LogEntry& entry, const Event& event, std::uint64_t run);
  LogEntry& add_entry(const Signature& signature,
                      const Captures& captures,
                      const Device& device,
                      const Event& event,
                      std::uint64_t run);  // its number
  void add_state(const Signature& signature, const Event& event, const Device& device, Run& run);
  const Milestone* reason_to_expect(const Signature& error, const Device& device);
  const Milestone* reason_to_ignore(const LogEntry& error);
  void end_killed_run(const Event& event);
  static bool has_probed_since(const LogEntry& error, const Run& run);
  static bool proves_recovery(const Step& step, const LogEntry& error);
  void resolve_open(const Signature& signature,
                    const Device& device,
                    const Event& event,
                    const Run& run);

  std::vector<Run> runs_;
  std::uint64_t more_runs_ = 0, more_unknown_ = 0, last_run_ = 0;
  std::map<RunKind, std::uint64_t> current_;  // numbers of the current runs
  std::map<Key, Slot> slots_;
  std::size_t unknown_slots_ = 0;
  std::vector<Slot*> open_;  // the slots with an open entry that a later line may resolve
  OutageTracker outages_;
  std::string last_time_;
  Applications applications_;        // of the next line of a program
  const Signature* last_ = nullptr;  // of the newest line; null if it was unrecognized
  Run* repeated_run_ = nullptr;      // of the lines of repeat(); null after any other line
  Milestone* repeated_ = nullptr;    // of `repeated_run_`
};

// True if `run` can use only the synthetic path, so that its packets prove nothing about MANA.
bool is_on_synthetic_path(const Run& run);

}  // namespace manactl::diag
