// SPDX-License-Identifier: MIT
//
// Logs for tests: from text, from tests/logs, and with the prefixes of loggers.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/doctor.h"

namespace manactl::diag::test {

// Returns a text in pieces of at most `piece` bytes, as a pipe does.
class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string text, std::size_t piece = 65536);

  Result<std::size_t> read(std::span<char> into) override;

 private:
  std::string text_;
  std::size_t at_ = 0, piece_;
};

// The embedded signatures, loaded once.
const SignatureSet& signatures();

// Reads a file of tests/logs.
std::string sample(const std::string& name);

LogReport read_text(const std::string& text, std::size_t piece = 65536);

// Diagnoses one log without checks.
Diagnosis diagnose_text(const std::string& text);

std::string root_id(const Diagnosis& diagnosis);  // "" if no root cause was found

std::vector<std::string> ids(const std::vector<Diagnosis::Item>& items);

// Puts `before` and `after` around every line of `text`.
std::string wrap(std::string_view text, std::string_view before, std::string_view after = "");

// A line of Open vSwitch, which shows whose log it is.
inline constexpr const char* kOvs =
    "2026-11-14T08:12:39.336Z|00025|dpif_netdev|INFO|PMD thread on numa_id: 0, core id:  0 "
    "created.\n";

}  // namespace manactl::diag::test
