// SPDX-License-Identifier: MIT
//
// Detects events that are harmless once, but a fault if they repeat.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "diag/conclusion.h"
#include "diag/device.h"
#include "diag/quote.h"
#include "diag/signature.h"

namespace manactl::diag {

// Follows the rules (Signature::repetition) of one log in constant memory.
class RepetitionTracker {
 public:
  explicit RepetitionTracker(const std::vector<Signature>& all);

  // Whether a rule counts lines of this signature, which needs their times.
  bool counts(const Signature& signature) const;

  // Expects the lines with a signature in their order.
  void next(const Signature& signature,
            const Captures& captures,
            const Device& device,
            const Event& event);

  // Expects the line that shows that a run of a program has failed.
  void add_failed_run(const Event& event);

  std::vector<Conclusion> finish() const;

 private:
  static constexpr std::size_t kMaxDevices = 100;  // per rule

  // The events of one device.
  struct Series {
    std::string name;  // of the device, for people
    std::uint64_t count = 0;
    double seconds = 0;  // from the first event to the newest one; without jumps of the clock
    Quote first;
    std::uint64_t last_line = 0;
    std::deque<std::string> newest;  // times; as many as the largest limit needs
    bool is_fault = false;           // a limit was reached
  };

  struct Rule {
    const Signature* signature = nullptr;
    std::map<std::string, Series> series;  // by device
  };

  void add(Rule& rule, const std::string& device, const std::string& name, const Event& event);

  std::vector<Rule> rules_;
};

}  // namespace manactl::diag
