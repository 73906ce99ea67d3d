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
  // Replacements begin with these, and end with a number: "host1", "domain1", "/mnt/1".
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
  std::size_t replace(std::string_view text, std::size_t at, std::string& out);

  // True if there are more names than are collected.
  bool is_full() const { return is_full_; }

  // The replacement of the path of a mount. Paths that name nobody, such as "/dev/hugepages", stay.
  std::string mount(std::string_view path);

 private:
  void insert(std::string_view kind, std::string_view name);
  // Collect names from a line of a file that describes the machine.
  void learn_account(std::string_view line);
  void learn_hosts_file(std::string_view line);
  void learn_resolver(std::string_view line);
  void learn_network(std::string_view line);
  void learn_domain(std::string_view line);
  void learn_host_name(std::string_view line);
  // Collect names from a line of a log.
  void learn_line(std::string_view line);
  void learn_users(std::string_view line);
  void learn_keys(std::string_view line);
  void learn_paths(std::string_view line);

  struct Name {
    std::string_view kind;
    std::string replacement;  // empty until the first use
  };

  const std::string& replacement_of(Name& name);

  std::unordered_map<std::string, Name> names_;  // by name in lower case
  // Lengths of names, by the first word of the name; for a path, by its first character.
  std::unordered_map<std::string, std::set<std::size_t, std::greater<>>> lengths_;
  bool is_full_ = false;
  std::map<std::string_view, unsigned> counts_;  // of replacements, by kind
};

}  // namespace manactl::host
