// SPDX-License-Identifier: MIT
//
// Scrubs a recorded tree (docs/bundle.md): keeps only what manactl reads of each file, and replaces
// addresses and names. Equal values get equal replacements, so that NICs still match their VFs.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/scrub_ids.h"
#include "host/scrub_ips.h"
#include "host/scrub_macs.h"
#include "host/scrub_names.h"
#include "host/tarball.h"

namespace manactl::host {

// Kinds in the plural, such as "hosts", with the number of different values.
using ScrubCounts = std::vector<std::pair<std::string, std::size_t>>;

class Scrubber {
 public:
  // First pass: collects addresses. Call it for all texts before scrubbed().
  void learn(std::string_view text);

  // As learn(), but also collects the names in a log or a report.
  void learn_log(std::string_view text);

  // True if there are more addresses or names than are collected.
  bool is_full() const { return macs_.is_full() || ips_.is_full() || names_.is_full(); }

  NameReplacer& names() { return names_; }

  IdReplacer& ids() { return ids_; }

  // How many different values of each kind were replaced so far; kinds without any are left out.
  ScrubCounts counts() const;

  // Second pass: returns the text with all addresses replaced.
  std::string scrubbed(std::string_view text) { return replaced(text, false); }

  // Also replaces names, ids and secrets. Only for logs, JSON and those parts of paths that people
  // choose: elsewhere, a host that is named like a driver would change the names of drivers.
  std::string scrubbed_prose(std::string_view text) { return replaced(text, true); }

  // Scrubs the part of a path that people choose as prose, such as the name of a log.
  std::string scrubbed_path(std::string_view path);

  // Scrubs the target of the symbolic link `path`.
  std::string scrubbed_target(std::string_view path, std::string_view target);

  // As scrubbed_prose(), and removes what hides addresses: NUL bytes, escape sequences, and lines
  // of binary data.
  std::string scrubbed_log(std::string_view text);

 private:
  void learn_prose(std::string_view text);
  std::string replaced(std::string_view text, bool prose);

  MacReplacer macs_;
  IpReplacer ips_;
  NameReplacer names_;
  IdReplacer ids_;
};

struct Recorded {
  TreeEntries tree;                                   // with the logs and the report
  std::map<std::string, std::string> read_paths;      // see SystemRecorder
  std::map<std::string, std::string> identity_files;  // see SystemRecorder
};

// Scrubs paths, link targets and contents. Errc::invalid if there are more addresses or names than
// are collected. `counts` receives what was replaced, unless it is null.
Result<TreeEntries> scrubbed_tree(Recorded recorded, ScrubCounts* counts = nullptr);

}  // namespace manactl::host
