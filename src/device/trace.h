// SPDX-License-Identifier: MIT
//
// The trace of the device: one line per message, violations, which a correct driver never causes,
// and warnings for the person who runs the device.

#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace manactl::device {

class Trace {
 public:
  using Sink = std::function<void(const std::string&)>;

  // Either sink may be empty.
  explicit Trace(Sink sink = {}, Sink warnings = {})
      : sink_(std::move(sink)), warnings_(std::move(warnings)) {}

  void line(const std::string& text) const {
    if (sink_) sink_(text);
  }

  void violation(const std::string& text) {
    if (violations_++ < kKept) kept_.push_back(text);
    line("violation: " + text);
  }

  // Prints the first warning of each kind, so that no guest can flood the terminal or a log. `kind`
  // is a literal.
  void warn_once(std::string_view kind, const std::string& text) {
    if (warned_.insert(kind).second && warnings_) warnings_(text);
  }

  // The texts of the first violations.
  const std::vector<std::string>& kept() const { return kept_; }

  bool enabled() const { return static_cast<bool>(sink_); }

  std::uint64_t violations() const { return violations_; }

 private:
  static constexpr std::uint64_t kKept = 20;

  Sink sink_, warnings_;
  std::set<std::string_view> warned_;
  std::vector<std::string> kept_;
  std::uint64_t violations_ = 0;
};

}  // namespace manactl::device
