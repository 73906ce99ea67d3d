// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace manactl::cli {

// How a user names a NIC: by an interface, the PCI address of the function, or the MAC address.
// These forms do not overlap, because no interface name has a ':'.
class NicName {
 public:
  static Result<NicName> parse(std::string_view text);

  const std::string& str() const { return text_; }  // the canonical form

  bool is_interface() const { return text_.find(':') == std::string::npos; }

 private:
  std::string text_;
};

// Parses the name of a journal entry: a NIC as above, a VMBus id, or "hugepages-1".
Result<std::string> parse_entry_name(std::string_view text);

}  // namespace manactl::cli
