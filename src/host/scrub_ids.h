// SPDX-License-Identifier: MIT
//
// Finds and replaces GUIDs and 32 hexadecimal digits in logs: ids of subscriptions, VMs, machines
// and boots. Ids of VMBus channels and classes stay, because manactl reads them.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace manactl::host {

class IdReplacer {
 public:
  // Keeps all GUIDs in `text`, which describes devices: paths and attributes in sysfs.
  void keep(std::string_view text);

  // Keeps the GUIDs in those lines of a log that come from drivers of VMBus.
  void learn_log(std::string_view text);

  // If an id begins at `at`, appends its replacement in the same spelling. Returns the length of
  // the id in `text`; 0 if there is none. An id gets the same replacement with and without dashes.
  std::size_t replace(std::string_view text, std::size_t at, std::string& out);

  std::size_t count() const { return numbers_.size(); }  // of replaced ids

 private:
  using Id = std::array<char, 32>;  // digits in lower case

  std::map<Id, std::uint64_t> numbers_;  // of the replacements
  std::set<Id> kept_;
};

}  // namespace manactl::host
