// SPDX-License-Identifier: MIT
//
// The trace of the device: one line per message, and violations, which a correct driver never
// causes.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace manactl::device {

class Trace {
 public:
  using Sink = std::function<void(const std::string&)>;

  explicit Trace(Sink sink = {}) : sink_(std::move(sink)) {}

  void line(const std::string& text) const {
    if (sink_) sink_(text);
  }

  void violation(const std::string& text) {
    if (violations_++ < kKept) kept_.push_back(text);
    line("violation: " + text);
  }

  // The texts of the first violations.
  const std::vector<std::string>& kept() const { return kept_; }

  bool enabled() const { return static_cast<bool>(sink_); }

  std::uint64_t violations() const { return violations_; }

 private:
  static constexpr std::uint64_t kKept = 20;

  Sink sink_;
  std::vector<std::string> kept_;
  std::uint64_t violations_ = 0;
};

}  // namespace manactl::device
