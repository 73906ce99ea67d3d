// SPDX-License-Identifier: MIT
//
// Finds the names of hosts, domains, users and shares, and replaces them in logs and reports.
// Upper and lower case are equal.

#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/scrub_text.h"

namespace manactl::host {

class NameReplacer {
 public:
  // The first word of a replacement: "host1", "domain1", "user1", "name1", "/mnt/1".
  static constexpr std::string_view kHost = "host", kDomain = "domain", kUser = "user",
                                    kName = "name", kMount = "/mnt/";

  // Adds a name and, for "web01.corp.example", its host and its domain. Ignores numbers, names of
  // fewer than three letters, and words that logs and captured files use, such as "mana".
  void add(std::string_view kind, std::string_view name);

  // Collects names from a file that describes the machine: etc/hosts, etc/passwd, ...
  void learn_file(const std::string& path, std::string_view text);

  // Collects names from mount lines, in the format of proc/mounts.
  void learn_mounts(std::string_view text);

  // Collects names from a log: the host of syslog lines, users of sshd, sudo and PAM, home
  // directories, "username=" and similar keys, and shares.
  void learn_log(std::string_view text);

  // If a known name begins at `at`, appends its replacement. Returns the length of the name; 0 if
  // there is none.
  std::size_t replace(std::string_view text, std::size_t at, std::string& out) const;

  // True if no more names are collected.
  bool is_full() const { return names_.size() >= kMaxKnown; }

  // The replacement of a name, or the name itself if it is not known.
  std::string image(std::string_view name) const;

 private:
  void insert(std::string_view kind, std::string_view name);
  void learn_line(std::string_view line);
  void learn_users(std::string_view line);
  void learn_keys(std::string_view line);
  void learn_paths(std::string_view line);

  std::unordered_map<std::string, std::string> names_;  // replacements by name in lower case
  // The lengths of the names that begin with a word or, for a path, with a character.
  std::unordered_map<std::string, std::set<std::size_t, std::greater<>>> lengths_;
  std::map<std::string, unsigned, std::less<>> counts_;  // by kind
};

}  // namespace manactl::host
