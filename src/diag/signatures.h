// SPDX-License-Identifier: MIT
//
// What is known about log lines: data/signatures.json, embedded. A scan for plain text finds the
// lines that deserve a look; only there the expressions run, and only those whose text is there.

#pragma once

#include <cstddef>
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
  consequence,  // never the root
  benign,       // looks like an error and is none
  note,         // tells something about the log (its release); never shown
};

using Captures = std::vector<std::pair<std::string, std::string>>;

struct Signature {
  std::string id;
  std::string title;   // short, for the root line
  std::string source;  // "net_mana", "eal", ...
  Role role = Role::cause;
  int rank = 0;       // among causes of one log the highest is the root
  std::string match;  // RE2; named groups are captures
  std::vector<std::string> examples;
  std::string meaning, cause, fix;
  std::string confirm;                // how a person confirms it
  std::vector<std::string> commands;  // to paste; may be empty
  std::string since, until;           // in words; empty when always

  // DPDK releases that print it: from `printed_from` until the ones of `gone_in`, which holds the
  // first of each maintained line that does not; the last one is of the main line.
  std::string printed_from;
  std::vector<std::string> gone_in;
  std::vector<std::string> mended_in;  // releases with the fix of the cause, told likewise

  // Ids; "mana-*" stands for all that begin so, "*" for every cause of a higher rank.
  std::vector<std::string> explained_by;  // their presence makes this a consequence
  std::vector<std::string> only_with;     // without one of them this is benign
  std::vector<std::string> healed_by;     // one of them later in the log makes this benign
  Captures benign_when;                   // a capture with this value makes the line benign

  // What confirms it on the VM: ids of checks that fail or warn, or a witness (diag/witness.h).
  std::vector<std::string> checks;
  std::string witness;
  bool passing_contradicts = false;  // the VM shows nothing of it when these checks pass
};

struct Match {
  const Signature* signature = nullptr;
  Captures captures;  // named groups that took part
};

class SignatureSet {
 public:
  // The embedded data. Errc::invalid only when the data itself is broken.
  static Result<SignatureSet> load();
  static Result<SignatureSet> parse(std::string_view json);

  SignatureSet(SignatureSet&&) noexcept;
  SignatureSet& operator=(SignatureSet&&) noexcept;
  SignatureSet(const SignatureSet&) = delete;
  SignatureSet& operator=(const SignatureSet&) = delete;
  ~SignatureSet();

  const std::vector<Signature>& all() const;

  // Nothing when there is none of this id.
  const Signature* find(std::string_view id) const;

  // A place at or behind `from` in the next line that may match; npos when there is no such line:
  // the fast path for a log of a gigabyte. `from` must be the beginning of a line.
  std::size_t next_candidate(std::string_view block, std::size_t from) const;

  bool may_match(std::string_view block) const { return next_candidate(block, 0) != block.npos; }

  // Every signature of one line: two threads may have written into it. Of signatures that match
  // the same text only the one that matches most of it is given.
  std::vector<Match> matches(std::string_view line) const;

  // The first of them.
  std::optional<Match> match(std::string_view line) const;

 private:
  struct Compiled;
  explicit SignatureSet(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

// data/signatures.json read, but not yet compiled.
Result<std::vector<Signature>> parse_signatures(std::string_view json);

}  // namespace manactl::diag
