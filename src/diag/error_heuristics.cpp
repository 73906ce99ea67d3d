// SPDX-License-Identifier: MIT

#include "diag/error_heuristics.h"

#include <re2/re2.h>

#include <array>
#include <string>
#include <vector>

#include "base/characters.h"
#include "diag/literal_scanner.h"

namespace manactl::diag {
namespace {

// An error word counts only after one of these characters, so not in "RX-errors: 0" or "terror".
constexpr std::string_view kBefore = "\n\t :([\"'=,;*<>/|.";
constexpr std::array<std::string_view, 32> kWords = {
    "error",     "errno",    "err: ",    "err = -",      "fatal",     "panic",    "abort",
    "faile",     "failu",    "fails",    "fail ",        "bug: ",     "cannot",   "can't ",
    "could not", "couldn't", "invalid",  "unable to",    "timed out", "denied",   "ret = -",
    "ret -",     "ret=-",    "warning:", "unrecognized", "fail.",     "rejected", "refused",
    "refusing",  "killed",   "err|",     "emer|"};

LiteralScanner make_scanner() {
  return {std::vector<std::string>(kWords.begin(), kWords.end()),
          LiteralScanner::Case::ignored,
          kBefore};
}

const re2::RE2& error_pattern() {
  static const auto* const pattern = [] {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    options.set_case_sensitive(false);
    return new re2::RE2(
        R"((?:^|[\t :(\["'=,;*<>/|.])(?:errors?|errno|err:|fatal|panic|abort(?:ed|ing)?|fail(?:ed|ure|ures|s)?)(?:$|[^\w-]))"
        R"(|\b(?:cannot|can't|could not|couldn't|unable to|denied|invalid|refused|refusing|rejected|unrecognized|timed out)\b)"
        R"(|\b(?:BUG|WARNING|Oops):)"
        R"(|\|(?:ERR|EMER)\|)"
        R"(|\b(?:ret|err)(?: |=| = )-\d|^killed\s*$)",
        options);
  }();
  return *pattern;
}

// Matches text that reports no errors: "errors: 0", "no error", the heading of a table of counters.
const re2::RE2& zero_errors_pattern() {
  static const auto* const pattern = [] {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    options.set_case_sensitive(false);
    return new re2::RE2(R"re((?:errors?|fail(?:ed|ures?|s)?)(?: \w+)?"?\s*[:=]\s*0(?:$|[^\d.x]))re"
                        R"re(|\b(?:0|no|without) (?:errors?|fail))re"
                        R"re(|\bpackets\s+errors\s+dropped)re",
                        options);
  }();
  return *pattern;
}

// Matches a level below warning where loggers write it: Open vSwitch "|INFO|", VPP "notice dpdk",
// Suricata "Info: dpdk:", cloud-init "[DEBUG]:", waagent "INFO ", dmesg -x "kern  :info  :", and
// "level=info"; and rows of tables of counters, in which "error" is a name. A level is before the
// message, in which such a word has another meaning. VPP logs all output of DPDK as notices.
const re2::RE2& information_pattern() {
  static const auto* const pattern = [] {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    return new re2::RE2(
        R"(^.{0,100}?(?:\|(?:INFO|DBG)\||[\[<(](?i:info|debug|notice|trace)[\])>]|\blevel="?(?i:info|debug|notice))"
        R"(|\b(?:INFO|DEBUG|NOTICE|TRACE)\b[: ]|\d (?:notice|info|debug) {2,})"
        R"(|(?:^|[\]\d] )(?:Info|Notice|Perf|Config|Debug): |^\w+ *:(?:info|debug|notice) *:))"
        R"(|^ *\d+ +[\w-]+ {2,}\S.* (?:error|info|warn) *$)"
        R"(|^[\w.]+ +\| [\w -]+\| \d+ *$)",
        options);
  }();
  return *pattern;
}

// Returns what a logger printed before a message of DPDK or a driver; the whole line if it has no
// such message.
re2::StringPiece before_message(const re2::StringPiece& line) {
  static const auto* const pattern = new re2::RE2(
      R"(^(.*?)(?:^|[ |\]])(?:(?:mana(?:_ib)?|hv_netvsc|uio_hv_generic) [0-9a-f:.-]+[ :])"
      R"(|hv_vmbus: |EAL: |[A-Z0-9_]+_(?:BUS|DRIVER|PMD|NET): )"
      R"(|(?:mana|hn|vmbus)_\w+\(\): ))");
  re2::StringPiece before = line;
  re2::RE2::PartialMatch(line, *pattern, &before);
  return before;
}

}  // namespace

bool may_be_error(std::string_view line) {
  static const auto* const output_in_vpp = new re2::RE2(R"(\d notice +dpdk *$)");
  const re2::StringPiece text(line.data(), line.size());
  const auto before = before_message(text);
  const bool is_output_in_vpp =
      before.size() < text.size() && re2::RE2::PartialMatch(before, *output_in_vpp);
  return is_output_in_vpp || !re2::RE2::PartialMatch(before, information_pattern());
}

std::size_t find_error_word(std::string_view block, std::size_t from) {
  static const LiteralScanner scanner = make_scanner();
  return scanner.next(block, from).at;
}

std::optional<RunKind> run_kind_of_text(std::string_view message) {
  static const auto* const kernel =
      new re2::RE2(R"(^(?:mana(?:_ib)?|hv_netvsc|hv_vmbus|uio_hv_generic)[ :])");
  // Log types of DPDK are in capitals, as are the subsystems of the kernel; older releases of DPDK
  // print the function instead.
  static const auto* const program = new re2::RE2(
      R"(^(?:(?:EAL|PMD|ETHDEV|MBUF|MEMPOOL|RING|MALLOC|KVARGS|CMDLINE|TELEMETRY|USER\d|)"
      R"([A-Z0-9_]+_(?:BUS|DRIVER|PMD|NET)): |(?:mana|hn|vmbus)_\w+\(\): |testpmd: ))");
  const re2::StringPiece text(message.data(), message.size());
  if (re2::RE2::PartialMatch(text, *kernel)) return RunKind::boot;
  if (re2::RE2::PartialMatch(text, *program)) return RunKind::program;
  return std::nullopt;
}

bool looks_like_error(std::string_view line) {
  const re2::StringPiece text(line.data(), line.size());
  return re2::RE2::PartialMatch(text, error_pattern()) &&
         !re2::RE2::PartialMatch(text, zero_errors_pattern());
}

std::string kind_of_text(std::string_view text) {
  constexpr std::size_t kCompared = 200;
  std::string kind(text.substr(0, kCompared));
  for (char& c : kind) {
    if (is_digit(c)) c = '0';
  }
  return kind;
}

}  // namespace manactl::diag
