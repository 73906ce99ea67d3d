// SPDX-License-Identifier: MIT
//
// Follows the VFs of the synthetic NICs in one log, in constant memory: which NIC uses its VF when
// the log ends, since when, and how often it did not use the VF before.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/conclusion.h"
#include "diag/device.h"
#include "diag/quote.h"
#include "diag/signature.h"

namespace manactl::diag {

// Completed periods in which the NIC did not use its VF.
struct Absences {
  static constexpr std::size_t kMaxLengths = 5;

  std::uint64_t count = 0;
  double longest = 0;           // seconds
  std::vector<double> lengths;  // seconds until the NIC used its VF again; newest absences only

  void add(std::optional<double> seconds);
};

// A synthetic NIC when the log ends, and what happened to its VF before.
struct NicStory {
  std::string channel;    // UUID
  std::string interface;  // of the synthetic NIC; empty if no line names it
  VfState state = VfState::used;
  bool has_worked = false;           // a line shows that the NIC used its VF
  bool is_set_up = false;            // the synthetic interface is up
  std::optional<Quote> since;        // the line that shows the beginning of the state
  std::optional<double> seconds;     // from this line to the end of the log, if their times show it
  std::optional<double> since_step;  // from the newest line about a VF that is not used
  Absences removals;                 // by the host
  Absences switches;                 // the others: hv_netvsc switched the data path
  std::optional<Quote> last_switch;  // the line that shows the beginning of the newest of these

  const std::string& name() const { return interface.empty() ? channel : interface; }
};

// A VF may be away for this time while Azure services the host.
inline constexpr double kServicingSeconds = 120;

// Applies the rules with Signature::vf_state.
std::vector<Conclusion> conclude_vf_states(const std::vector<Signature>& all,
                                           const std::vector<NicStory>& nics,
                                           std::string_view last_time);

// Returns "3 times: 4 s, 5 s, 41 min", or "300 times, for at most 7 s".
std::string absences_text(const Absences& absences);

class OutageTracker {
 public:
  void next(const Signature& signature,
            const Captures& captures,
            const Device& device,
            const Event& event);

  // `last_time` is the time of the last line of the log.
  std::vector<NicStory> finish(std::string_view last_time) const;

 private:
  static constexpr std::size_t kMaxNics = 100;
  static constexpr std::size_t kMaxFunctions = 100;
  static constexpr std::size_t kMaxReady = 100;

  // The VF of one NIC, as the newest lines show it.
  struct Vf {
    std::string pci;
    std::string interface;  // of the synthetic NIC
    bool has_worked = false, is_used = false, is_joined = false, is_removed = false;
    bool is_added = false;            // the host has added it after its last removal
    bool was_removed = false;         // since the NIC used it last
    std::uint64_t added_at = 0;       // the line that shows the last removal or addition
    std::optional<Quote> used;        // the first line that shows the use
    std::optional<Quote> use_ended;   // the first line that shows the end of the use
    std::optional<Quote> removed;     // the line that shows the last removal
    std::optional<Quote> first_seen;  // the first line about a VF that was not used yet
    std::string step_time;            // of the newest line about a VF that is not used
    Absences removals, switches;
    std::optional<Quote> last_switch;
  };

  // A PCI function, as the newest lines show it.
  struct Function {
    std::uint64_t probed_at = 0;  // line
    bool is_servicing = false;
  };

  void follow_function(const Signature& signature, const Device& device, const Event& event);
  static void follow_vf(Vf& vf, State state, const Event& event);
  static void use(Vf& vf, const Event& event);
  static void stop_using(Vf& vf, const Event& event);
  void begin_boot();
  VfState state_of(const Vf& vf) const;
  bool is_any_function(const Vf& vf, auto&& condition) const;

  std::map<std::string, Vf> vfs_;              // by channel
  std::map<std::string, Function> functions_;  // by PCI address
  std::set<std::string> ready_;                // interfaces that are up and have a link
  bool is_shut_down_ = false;
};

}  // namespace manactl::diag
