// SPDX-License-Identifier: MIT
//
// One finding out of several things that were looked at: every NIC, device or module has its line,
// and the worst of them decides.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"

namespace manactl::diag {

class Tally {
 public:
  // `name` stands for it where all is well: "eth0" for "eth0 is bound to hv_netvsc".
  void ok(std::string line, std::string name = {});

  // The commands go into the remedy of the finding.
  void warn(std::string line, std::vector<std::string> commands = {});
  void fail(std::string line, std::vector<std::string> commands = {});

  // Could not be told; weaker than fail and warn, stronger than ok.
  void unknown(std::string line);

  bool empty() const { return seen_.empty(); }

  // `why` is for the remedy, when something failed or warns. Without a line: skipped(`nothing`).
  Finding finding(std::string_view nothing, std::string why) const;

 private:
  struct Seen {
    Status status;
    std::string line;
    std::vector<std::string> commands;
    std::string name = {};
  };

  Status worst() const;

  std::vector<Seen> seen_;
};

// The first three of `lines` with `between` them, and how many more there are.
std::string brief(const std::vector<std::string>& lines, std::string_view between = "; ");

}  // namespace manactl::diag
