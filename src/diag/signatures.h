// SPDX-License-Identifier: MIT
//
// What is known about log lines: data/signatures.json, embedded. One regular expression set finds
// candidates in a block; a signature's own expression then confirms and captures.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace manactl::diag {

enum class Role {
  cause,        // explains others; may be the root
  consequence,  // never a root while a cause is there
  benign,       // looks like an error and is none
};

struct Signature {
  std::string id;
  std::string title;   // short, for the root line
  std::string source;  // "net_mana", "eal", ...
  Role role = Role::cause;
  int rank = 0;       // among causes of one log the highest is the root
  std::string match;  // RE2; named groups are captures
  std::string meaning, cause, fix;
  std::string since, until;  // release range in words; empty when always
  std::vector<std::string>
      explained_by;                 // ids of signatures whose presence makes this a consequence
  std::vector<std::string> checks;  // ids of checks that confirm it when they do not pass
};

struct Match {
  const Signature* signature = nullptr;
  std::vector<std::pair<std::string, std::string>> captures;  // named groups that took part
};

class SignatureSet {
 public:
  // The embedded data. Errc::invalid only when the data itself is broken.
  static Result<SignatureSet> load();
  static Result<SignatureSet> parse(std::string_view json);

  SignatureSet(SignatureSet&&) noexcept;
  SignatureSet& operator=(SignatureSet&&) noexcept;
  ~SignatureSet();

  const std::vector<Signature>& all() const;

  // Whether any line of the block can match: the fast path for a log of a gigabyte.
  bool may_match(std::string_view block) const;

  // The most specific signature of one line without prefix.
  std::optional<Match> match(std::string_view line) const;

 private:
  struct Compiled;
  explicit SignatureSet(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace manactl::diag
