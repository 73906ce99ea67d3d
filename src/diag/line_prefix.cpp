// SPDX-License-Identifier: MIT

#include <re2/re2.h>

#include "diag/log_reader.h"

namespace manactl::diag {
namespace {

// What loggers put in front of a message, one after the other ("journal line of a container of
// a dmesg line"). The host and unit of a journal are only taken together with their time: a
// message of hv_netvsc also looks like "word word: ".
const re2::RE2& prefix_pattern() {
  static const auto* const pattern = [] {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    constexpr const char* kUnit = R"((?:[\w.-]+ (?:[^\s:\[\]]+\[\d+\]|kernel|[\w@.-]+): ))";
    constexpr const char* kUnitWithPid = R"((?:[\w.-]+ (?:[^\s:\[\]]+\[\d+\]|kernel): ))";
    const std::string text =
        // syslog and journalctl -o short, short-precise
        R"((?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? )" + std::string(kUnit) +
        // journalctl -o short-iso, short-full; docker logs -t; CRI; rsyslog
        R"(|(?:[A-Z][a-z]{2} )?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?)"
        R"((?:Z|[+-]\d\d:?\d\d| [A-Z]{3,4})? (?:std(?:out|err) [FP] )?)" +
        kUnitWithPid + "?" +
        // RFC 5424
        R"(|<\d{1,3}>1 \d{4}-\S+ \S+ \S+ \S+ \S+ (?:-|\[[^\]]*\]) )"
        // dmesg, dmesg -T, -x, and journalctl -o short-monotonic
        R"(|(?:<\d{1,3}>|\w+ *:\w+ *: )?\[ *\d+\.\d+\] ?)" +
        kUnitWithPid + "?" +
        R"(|\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\] )"
        R"(|<\d{1,3}>)"
        // journalctl -o short-unix; docker compose
        R"(|\d{10}\.\d{6} )" +
        kUnitWithPid + R"(|[\w.-]+[-_]\d+ +\| )";
    return new re2::RE2(text, options);  // lives as long as the program
  }();
  return *pattern;
}

// {"log":"EAL: ...\n","stream":"stderr","time":"..."}, as Docker keeps logs.
bool unwrap_json(std::string_view& line, std::string& scratch) {
  constexpr std::string_view kBegin = R"({"log":")";
  if (!line.starts_with(kBegin)) return false;
  scratch.clear();
  for (std::size_t i = kBegin.size(); i < line.size() && line[i] != '"'; ++i) {
    const bool escaped = line[i] == '\\' && i + 1 < line.size();
    if (escaped) ++i;
    if (escaped && (line[i] == 'n' || line[i] == 'r')) break;
    scratch += escaped && line[i] == 't' ? '\t' : line[i];
  }
  line = scratch;
  return true;
}

}  // namespace

std::string_view without_prefix(std::string_view line, std::string& scratch) {
  constexpr int kMostPrefixes = 4;
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  unwrap_json(line, scratch);
  re2::StringPiece rest(line);
  for (int i = 0; i < kMostPrefixes && re2::RE2::Consume(&rest, prefix_pattern()); ++i) {
  }
  return {rest.data(), rest.size()};
}

}  // namespace manactl::diag
