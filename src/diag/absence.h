// SPDX-License-Identifier: MIT
//
// Detects missing lines: of a step that logs a line when it succeeds, but logged none.

#pragma once

#include <cstddef>
#include <vector>

#include "diag/device.h"
#include "diag/signature.h"

namespace manactl::diag {

// A step of which no line was logged. The views and pointers are valid until the next call of
// AbsenceTracker::next().
struct Absence {
  const Signature* signature = nullptr;
  Captures captures;  // of the line that began to wait for the step, so that it names the device
};

// Follows the rules (Signature::absence) of one log in constant memory.
class AbsenceTracker {
 public:
  explicit AbsenceTracker(const std::vector<Signature>& all);

  // Returns the steps without which the run cannot have reached this line. Expects the lines with a
  // signature in their order.
  std::vector<Absence> next(const Signature& signature, const Captures& captures);

 private:
  static constexpr std::size_t kMaxDevices = 100;  // per rule

  struct Waiting {
    Device device;
    Captures captures;
  };

  struct Rule {
    const Signature* signature = nullptr;
    std::vector<Waiting> waiting;
  };

  // Adds an absence for each line that waits for this device, and forgets these lines.
  static void end_waiting(Rule& rule, const Device& device, std::vector<Absence>& absences);

  std::vector<Rule> rules_;
  DeviceNames devices_;
};

}  // namespace manactl::diag
