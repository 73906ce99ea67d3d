// SPDX-License-Identifier: MIT
//
// The result of a check: a status, a line with what was found, and a remedy.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_words.h"

namespace manactl::diag {

enum class Status {
  pass,
  warn,     // works, but deserves attention
  fail,     // does not work, or is slower than it should be
  skipped,  // does not apply to this VM; the detail gives the reason
  unknown,  // could not be determined; the detail gives the reason
};

// The words for JSON.
inline constexpr EnumWords<Status, 5> kStatusWords = {{
    {Status::pass, "pass"},
    {Status::warn, "warn"},
    {Status::fail, "fail"},
    {Status::skipped, "skipped"},
    {Status::unknown, "unknown"},
}};

constexpr std::string_view word_of(Status status) {
  return manactl::word_of(kStatusWords, status);
}

struct Remedy {
  std::string why;                    // why the finding matters and what to do, one line
  std::vector<std::string> commands;  // for a root shell, in order; may be empty
  std::vector<Remedy> others = {};    // each can replace this remedy; the best comes first
};

// Returns the remedy and those that can replace it. If there are several, their texts begin with
// numbers.
std::vector<Remedy> numbered(const Remedy& remedy);

struct Finding {
  Status status = Status::unknown;
  std::string detail;  // one line: "1024 of 1024 pages of 2 MiB free"
  std::optional<Remedy> remedy;
  std::vector<std::string> evidence;  // further lines for -v and JSON: "eth1: VF enP30832s1d1"

  // The reason in the verdict of check: "VPP selects 0101:00:02.0 of mlx5"; empty if the problem of
  // the check states it.
  std::string reason = {};
};

// Adds a remedy that can replace the one of a warning or failure.
void add_other_remedy(Finding& finding, Remedy other);

Finding pass(std::string detail, std::vector<std::string> evidence = {});
Finding warn(std::string detail, Remedy remedy, std::vector<std::string> evidence = {});
Finding fail(std::string detail, Remedy remedy, std::vector<std::string> evidence = {});
Finding skipped(std::string reason);
Finding unknown(std::string reason);

// Builds one finding from a line per NIC, device or module. The worst line determines the status.
class FindingBuilder {
 public:
  // `name` replaces the line in the detail if every line is ok: "eth0" for "eth0 is up".
  void ok(std::string line, std::string name = {});

  // The commands become part of the remedy.
  void warn(std::string line, std::vector<std::string> commands = {});
  void fail(std::string line, std::vector<std::string> commands = {});

  // An unknown line is worse than ok and better than warn.
  void unknown(std::string line);

  // `why` is the reason in the remedy of a warning or failure. Returns skipped(`reason_if_empty`)
  // if there are no lines.
  Finding build(std::string_view reason_if_empty, std::string why) const;

 private:
  struct Line {
    Status status;
    std::string text;
    std::vector<std::string> commands;
    std::string name = {};
  };

  Status worst() const;

  std::vector<Line> lines_;
};

// Appends `next` to `commands`, without the commands at its beginning that `commands` already has.
// A later command may repeat an earlier one: "apt-get update" after a new repository.
void append_commands(std::vector<std::string>& commands, const std::vector<std::string>& next);

// Joins the first three of `lines` and states the number of the others.
std::string brief(const std::vector<std::string>& lines, std::string_view separator = "; ");

}  // namespace manactl::diag
