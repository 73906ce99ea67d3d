// SPDX-License-Identifier: MIT
//
// Concludes from the arguments of programs and outputs in a log which ports a program can have.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/device.h"
#include "diag/evidence.h"
#include "diag/quote.h"
#include "diag/signature.h"

namespace manactl::diag {

class ArgumentTracker {
 public:
  // Expects the lines with a signature in their order.
  void next(const Signature& signature, const Captures& captures, const Event& event);

  std::vector<Observation> finish() const;

 private:
  static constexpr std::size_t kMaxAddresses = 100;

  void read_arguments(std::string_view line, std::uint64_t number);
  void add_port(std::string mac, std::uint64_t number);

  std::set<std::string, std::less<>> macs_;              // that the newest command names
  std::uint64_t arguments_ = 0;                          // its line; 0 if there is none
  std::string repeated_;                                 // text of an observation; may be empty
  std::string other_mac_;                                // the same
  std::uint64_t netvsc_package_ = 0, mana_package_ = 0;  // lines
  std::uint64_t default_addresses_ = 0;                  // line
  std::uint64_t kernel_driver_ = 0, user_driver_ = 0;    // lines
};

}  // namespace manactl::diag
