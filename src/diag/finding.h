// SPDX-License-Identifier: MIT
//
// What a check says: one of five outcomes, what was seen, and what to do.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace manactl::diag {

enum class Status {
  pass,
  warn,     // works, but something is worth knowing
  fail,     // will not work, or not as fast as it should
  skipped,  // does not apply here; the detail says because of what
  unknown,  // could not be told; the detail says because of what
};

std::string_view name_of(Status status);  // "pass", "warn", ... as JSON has them

struct Remedy {
  std::string why;                    // one sentence
  std::vector<std::string> commands;  // to paste, in order; may be empty
};

struct Finding {
  Status status = Status::unknown;
  std::string detail;  // what was seen, with the numbers; one line
  std::optional<Remedy> remedy;
  std::vector<std::string> evidence;  // more lines, for -v and JSON: "eth1: VF enP30832s1d1, ..."
};

// The shapes that checks return.
Finding pass(std::string detail, std::vector<std::string> evidence = {});
Finding warn(std::string detail, Remedy remedy, std::vector<std::string> evidence = {});
Finding fail(std::string detail, Remedy remedy, std::vector<std::string> evidence = {});
Finding skipped(std::string because);
Finding unknown(std::string because);

}  // namespace manactl::diag
