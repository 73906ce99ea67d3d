// SPDX-License-Identifier: MIT
//
// Detects missing lines: of a step that logs a line when it succeeds, but logged none.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "diag/conclusion.h"
#include "diag/device.h"
#include "diag/signature.h"

namespace manactl::diag {

// Follows the rules (Signature::absence) of one log in constant memory.
class AbsenceTracker {
 public:
  explicit AbsenceTracker(const std::vector<Signature>& all);

  // Whether a rule waits for a time after lines of this signature, which needs their times.
  bool needs_time(const Signature& signature) const;

  // Returns the steps without which the run cannot have reached this line. Their captures and
  // devices are those of the lines that made them expected. Expects the lines with a signature
  // in their order.
  std::vector<Conclusion> next(const Signature& signature,
                               const Captures& captures,
                               const Device& device,
                               const Event& event);

  // Returns the steps for which the rules with `end_after` waited long enough until the log ended.
  std::vector<Conclusion> finish(std::string_view last_time) const;

 private:
  static constexpr std::size_t kMaxDevices = 100;  // per rule

  struct Waiting {
    Device device;
    Captures captures;
    Quote line;  // only for rules with `end_after`
  };

  struct Rule {
    const Signature* signature = nullptr;
    std::vector<Waiting> waiting;
  };

  // Returns an absence for each line that waits for this device, and forgets these lines.
  static std::vector<Conclusion> end_waiting(Rule& rule, const Device& device, const Event& event);

  std::vector<Rule> rules_;
};

}  // namespace manactl::diag
