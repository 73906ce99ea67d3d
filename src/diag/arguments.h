// SPDX-License-Identifier: MIT
//
// Concludes from the arguments of programs and outputs in a log which ports a program can have.

#pragma once

#include <cstdint>
#include <map>
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

  struct DriverLink {
    bool is_kernel = false;  // to hv_netvsc
    std::uint64_t line = 0;
  };

  void read_arguments(std::string_view text, std::string_view mode, std::uint64_t line);
  void add_port(std::string mac, std::uint64_t line);
  void add_nic(const Captures& captures, std::uint64_t line);
  void add_link(bool is_kernel, std::uint64_t line);
  bool may_be_of_program(std::string_view device) const;
  std::uint64_t kernel_link_line() const;

  // Numbers of lines are 0 if there is no such line.
  std::set<std::string, std::less<>> macs_;     // that the newest command names
  std::set<std::string, std::less<>> devices_;  // VMBus ids that commands name
  std::uint64_t arguments_line_ = 0;            // of the newest command
  std::uint64_t default_addresses_line_ = 0;
  std::string repeated_, other_mac_;  // texts of observations; may be empty
  bool lists_only_netvsc_ = false;    // the newest list of packages cannot contain net_mana
  std::uint64_t netvsc_package_line_ = 0, mana_package_line_ = 0;
  std::string path_device_;  // whose driver link the newest path names
  std::uint64_t path_line_ = 0;
  std::map<std::string, DriverLink, std::less<>> links_;  // newest of each device, "" if unknown

  std::map<std::string_view, std::uint64_t> shown_;  // lines, by Signature::shows
};

}  // namespace manactl::diag
