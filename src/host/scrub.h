// SPDX-License-Identifier: MIT
//
// Scrubs a recorded tree (docs/bundle.md): keeps only what manactl reads of each file, and replaces
// addresses and names. Equal values get equal replacements, so that NICs still match their VFs.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/scrub_ips.h"
#include "host/scrub_macs.h"
#include "host/scrub_names.h"
#include "host/tarball.h"

namespace manactl::host {

class Scrubber {
 public:
  // First pass: collects addresses. Call it for all texts before scrubbed().
  void learn(std::string_view text);

  // As learn(), but also collects the names in a log or a report.
  void learn_log(std::string_view text);

  // True if there are more addresses or names than are collected.
  bool is_full() const { return macs_.is_full() || ips_.is_full() || names_.is_full(); }

  NameReplacer& names() { return names_; }

  // Second pass: returns the text with all addresses replaced.
  std::string scrubbed(std::string_view text) { return replaced(text, false); }

  // Also replaces names. Only for logs, reports and paths of configuration files: in other files, a
  // host that is named like a driver would change the names of drivers.
  std::string scrubbed_prose(std::string_view text) { return replaced(text, true); }

  // As scrubbed_prose(), and removes what hides addresses: NUL bytes, escape sequences, and lines
  // of binary data.
  std::string scrubbed_log(std::string_view text);

  // As scrubbed_prose(), and removes words that the report has cut short and ended with "...",
  // because a part of an address or name is not recognized.
  std::string scrubbed_report(std::string_view text);

 private:
  std::string replaced(std::string_view text, bool prose);

  MacReplacer macs_;
  IpReplacer ips_;
  NameReplacer names_;
};

struct Recorded {
  TreeEntries tree;                                   // with the logs and the report
  std::map<std::string, std::string> read_paths;      // see SystemRecorder
  std::map<std::string, std::string> identity_files;  // see SystemRecorder
};

// Scrubs paths, link targets and contents. Errc::invalid if there are more addresses or names than
// are collected.
Result<TreeEntries> scrubbed_tree(Recorded recorded);

}  // namespace manactl::host
