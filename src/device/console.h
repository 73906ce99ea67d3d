// SPDX-License-Identifier: MIT
//
// Commands that describe or disturb the device while it runs. Each is one line, and so is its
// response.

#pragma once

#include <string>
#include <string_view>

#include "device/device.h"

namespace manactl::device {

class Console {
 public:
  Console(Device& device, const Trace& trace) : device_(device), trace_(trace) {}

  // Executes a line without its newline. Returns the response: JSON for a query, else "ok" or
  // "error: " and the reason.
  std::string execute(std::string_view line);

 private:
  std::string statistics();
  std::string violations() const;
  std::string requests() const;
  std::string hostile(std::string_view argument);

  Device& device_;
  const Trace& trace_;
};

}  // namespace manactl::device
