// SPDX-License-Identifier: MIT
//
// The compiled signatures of data/signatures.json. A scan for plain texts finds the lines that may
// match. On such a line, only those expressions run whose plain text occurs in it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "diag/counter_format.h"
#include "diag/signature.h"

namespace manactl::diag {

struct Match {
  const Signature* signature = nullptr;
  Captures captures;  // the named groups that matched
};

class SignatureSet {
 public:
  // Compiles the embedded signatures. Errc::invalid means that this data is malformed.
  static Result<SignatureSet> load();
  static Result<SignatureSet> parse(std::string_view json);

  SignatureSet(SignatureSet&&) noexcept;
  SignatureSet& operator=(SignatureSet&&) noexcept;
  SignatureSet(const SignatureSet&) = delete;
  SignatureSet& operator=(const SignatureSet&) = delete;
  ~SignatureSet();

  const std::vector<Signature>& all() const;

  const std::vector<CounterFormat>& counter_formats() const;

  // Null if no signature has this id.
  const Signature* find(std::string_view id) const;

  // Returns an offset in the next line that may match, begin a report of counters, or begin a
  // pasted output; npos if there is none. `from` must be the beginning of a line. This is the fast
  // path: most lines of a log cannot match.
  std::size_t next_candidate(std::string_view block, std::size_t from) const;

  bool may_match(std::string_view block) const { return next_candidate(block, 0) != block.npos; }

  // Returns the plain texts in the line, for the functions below.
  std::vector<std::uint32_t> texts_in(std::string_view line) const;

  // Whether a line with these texts may begin a report of counters, or name its device.
  // Whether signatures need one of these texts of texts_in().
  bool may_match(const std::vector<std::uint32_t>& texts) const;

  bool may_begin_counters(const std::vector<std::uint32_t>& texts) const;

  // Whether the line may begin a pasted output. It includes its prefix and its line end.
  bool may_begin_ticket(std::string_view line) const;

  // Returns every signature that matches, because two threads may have written into one line. Of
  // matches that overlap, only the longest is returned.
  std::vector<Match> matches(std::string_view line, const std::vector<std::uint32_t>& texts) const;

  std::vector<Match> matches(std::string_view line) const { return matches(line, texts_in(line)); }

  // Returns the first of matches(), if any.
  std::optional<Match> match(std::string_view line) const;

 private:
  struct Compiled;
  explicit SignatureSet(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace manactl::diag
