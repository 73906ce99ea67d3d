// SPDX-License-Identifier: MIT
//
// What the device says about its work. A violation is something that a correct driver never does.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace manactl::azure {

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

}  // namespace manactl::azure
