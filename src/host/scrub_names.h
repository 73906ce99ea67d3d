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
                                    kName = "name", kMount = "/mnt/", kSecret = "secret";

  // Adds a name and, for "web01.corp.example", its host and its domain. Ignores numbers, names of
  // fewer than three letters, and words that logs and captured files use, such as "mana".
  void add(std::string_view kind, std::string_view name);

  // Adds a text of any form, such as a path. Ignores texts of more than 255 bytes.
  void add_whole(std::string_view kind, std::string_view name);

  // Adds a name for which is_full_name() is true. Its first label alone is a name only if it has a
  // digit or a dash.
  void add_full_name(std::string_view name);

  // Different lengths of the names with the same first word. It bounds the time.
  static constexpr std::size_t kMaxLengths = 100;

  // Adds a password, a key or a token. Ignores it if there are too many, or too many with the same
  // first word: it is then replaced only where SecretFinder recognizes it.
  void add_secret(std::string_view secret);

  // Declares a word that manactl must find in the bundle, such as the name of an interface. Neither
  // the word nor a part of it is replaced. Call it before names are added.
  void keep(std::string_view word) { kept_.insert(lower(word)); }

  // Collects names from a file that describes the machine: etc/hosts, etc/passwd, ...
  void learn_file(const std::string& path, std::string_view text);

  // Collects names from mount lines, in the format of proc/mounts.
  void learn_mounts(std::string_view text);

  // Collects names from a log by the forms of scrub_lines.h.
  void learn_log(std::string_view text);

  // If a known name begins at `at`, appends its replacement. Returns the length of the name; 0 if
  // there is none.
  std::size_t replace(std::string_view text, std::size_t at, std::string& out);

  // The replacement of a text that was perhaps not added. Equal texts have equal replacements.
  std::string replacement(std::string_view kind, std::string_view text);

  // True if there are more names than are collected.
  bool is_full() const { return is_full_; }

  // How many names of a kind were replaced so far.
  std::size_t count(std::string_view kind) const {
    const auto number = numbers_.find(kind);
    return number == numbers_.end() ? 0 : number->second;
  }

  // The replacement of the path of a mount. Paths that name nobody, such as "/dev/hugepages", stay.
  std::string mount(std::string_view path);

 private:
  // Collect names from a line of a file that describes the machine.
  void learn_account(std::string_view line);
  void learn_hosts_file(std::string_view line);
  void learn_resolver(std::string_view line);
  void learn_network(std::string_view line);
  void learn_domain(std::string_view line);
  void learn_host_name(std::string_view line);
  static constexpr std::string_view kFullName = "";  // replaced by a host and a domain

  struct Name {
    std::string_view kind;
    std::string replacement;  // empty until the first use
  };

  bool is_in_kept_word(std::string_view text, std::size_t at, std::size_t length) const;
  const std::string& replacement_of(const std::string& text, Name& name);

  std::unordered_map<std::string, Name> names_;  // by name in lower case
  // Lengths of names, by the first word of the name; for a path, by its first character.
  std::unordered_map<std::string, std::set<std::size_t, std::greater<>>> lengths_;
  bool is_full_ = false;
  std::set<std::string> kept_;                    // in lower case
  std::map<std::string_view, unsigned> numbers_;  // of the last replacements, by kind
  std::size_t secrets_ = 0;                       // that add_secret() has added
};

}  // namespace manactl::host
