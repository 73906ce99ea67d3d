// SPDX-License-Identifier: MIT

#include "diag/log_time.h"

#include <re2/re2.h>

#include <algorithm>

namespace manactl::diag {
namespace {

const re2::RE2& time_pattern() {
  static const auto* const pattern = [] {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    return new re2::RE2(R"((\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)"
                        R"(|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)"
                        R"(|\d{10}\.\d{6}|\d+\.\d+))",
                        options);
  }();
  return *pattern;
}

// The part of the line before the message, or the end of a line of JSON, which has the time there.
std::string_view part_with_time(std::string_view line, std::string_view message) {
  constexpr std::size_t kMaxPrefix = 200;
  constexpr std::string_view kKey = R"("time":")";
  if (line.starts_with('{')) {
    const auto key = line.rfind(kKey);
    return key == std::string_view::npos ? std::string_view() : line.substr(key + kKey.size());
  }
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  if (message.size() >= line.size()) return {};
  return line.substr(0, std::min(line.size() - message.size(), kMaxPrefix));
}

}  // namespace

std::string_view time_of(std::string_view line, std::string_view message) {
  const auto part = part_with_time(line, message);
  if (part.empty()) return {};
  re2::StringPiece found;
  if (!re2::RE2::PartialMatch(re2::StringPiece(part.data(), part.size()), time_pattern(), &found)) {
    return {};
  }
  return {found.data(), found.size()};
}

}  // namespace manactl::diag
