// SPDX-License-Identifier: MIT
//
// Logs for the tests of the doctor: from text, from tests/logs, and as other programs wrap them.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/doctor.h"

namespace manactl::diag::test {

// Gives a text in pieces, as a pipe would.
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

// A file of tests/logs.
std::string sample(const std::string& name);

LogReport read_text(const std::string& text, std::size_t piece = 65536);

// diagnose() of one log and no checks.
Diagnosis diagnose_text(const std::string& text);

std::string root_id(const Diagnosis& diagnosis);  // "" without a root

std::vector<std::string> ids(const std::vector<Diagnosis::Item>& items);

// Every line of `text` between `before` and `after`.
std::string wrap(std::string_view text, std::string_view before, std::string_view after = "");

}  // namespace manactl::diag::test
