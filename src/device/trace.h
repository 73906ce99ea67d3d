// SPDX-License-Identifier: MIT
//
// The trace of the device: one line per message, and violations, which a correct driver never
// causes.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace manactl::device {

class Trace {
 public:
  using Sink = std::function<void(const std::string&)>;

  explicit Trace(Sink sink = {}) : sink_(std::move(sink)) {}

  void line(const std::string& text) const {
    if (sink_) sink_(text);
  }

  void violation(const std::string& text) {
    ++violations_;
    line("violation: " + text);
  }

  bool enabled() const { return static_cast<bool>(sink_); }

  std::uint64_t violations() const { return violations_; }

 private:
  Sink sink_;
  std::uint64_t violations_ = 0;
};

}  // namespace manactl::device
