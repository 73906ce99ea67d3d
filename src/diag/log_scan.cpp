// SPDX-License-Identifier: MIT

#include "diag/log_scan.h"

#include <algorithm>
#include <map>

#include "base/characters.h"
#include "base/ids.h"
#include "base/text.h"
#include "diag/error_heuristics.h"
#include "diag/log_reader.h"

namespace manactl::diag {
namespace {

constexpr std::size_t kMaxUnknown = 50;  // lines of further kinds are only counted

// Lines are of the same kind if their first 200 bytes differ only in the values of digits.
std::string kind_of(std::string_view text) {
  constexpr std::size_t kCompared = 200;
  std::string kind(text.substr(0, kCompared));
  for (char& c : kind) {
    if (is_digit(c)) c = '0';
  }
  return kind;
}

bool has_benign_capture(const Match& match) {
  return std::ranges::any_of(match.signature->benign_when, [&match](const auto& benign) {
    return std::ranges::find(match.captures, benign) != match.captures.end();
  });
}

class Scan {
 public:
  Scan(std::string name, const SignatureSet& known) : name_(std::move(name)), known_(known) {}

  void scan_block(const Block& block);
  LogReport finish(std::uint64_t lines);

 private:
  void scan_line(std::string_view line, std::uint64_t number);
  void add_match(Match match, std::string_view message, std::uint64_t number);
  void add_unknown(std::string_view message, std::uint64_t number);
  Quote quote(std::string_view message, std::uint64_t number) const;

  std::string name_;
  const SignatureSet& known_;
  LogReport report_;
  std::map<std::pair<const Signature*, bool>, std::size_t> by_signature_;
  std::map<std::string, std::size_t> by_kind_;
  std::string scratch_;
};

void Scan::scan_block(const Block& block) {
  const auto text = block.text;
  std::size_t known_at = known_.next_candidate(text, 0);
  std::size_t error_at = find_error_word(text, 0);
  std::uint64_t number = block.first_line;
  std::size_t counted = 0;
  for (;;) {
    const auto hit = std::min(known_at, error_at);
    if (hit == std::string_view::npos) return;
    const auto before = hit == 0 ? std::string_view::npos : text.rfind('\n', hit - 1);
    const auto begin = before == std::string_view::npos ? 0 : before + 1;
    const auto end = std::min(text.find('\n', hit), text.size());
    number += count_line_ends(text.substr(counted, begin - counted));
    counted = begin;
    scan_line(text.substr(begin, end - begin), number);
    if (known_at != std::string_view::npos && known_at < end) {
      known_at = known_.next_candidate(text, end);
    }
    if (error_at != std::string_view::npos && error_at < end) {
      error_at = find_error_word(text, end);
    }
  }
}

void Scan::scan_line(std::string_view line, std::uint64_t number) {
  const auto message = without_prefix(line, scratch_);
  auto matches = known_.matches(message);
  if (matches.empty() && message.size() != line.size()) matches = known_.matches(line);
  if (matches.empty() && !looks_like_error(message)) return;
  if (matches.empty()) return add_unknown(message, number);
  ++report_.matched_lines;
  const auto range = releases_of_prefix(message);
  if (!range.empty()) report_.dpdk_range = range;
  for (auto& match : matches) add_match(std::move(match), message, number);
}

Quote Scan::quote(std::string_view message, std::uint64_t number) const {
  return {name_, number, printable(message)};
}

void Scan::add_match(Match match, std::string_view message, std::uint64_t number) {
  if (match.signature->role == Role::note) {
    for (const auto& [key, value] : match.captures) {
      if (key == "release") report_.dpdk_release = value;
    }
    return;
  }
  const bool benign = has_benign_capture(match);
  const auto [place, is_new] =
      by_signature_.try_emplace({match.signature, benign}, report_.entries.size());
  if (is_new) {
    report_.entries.push_back(
        {match.signature, quote(message, number), 0, std::move(match.captures), 0, benign});
  }
  auto& entry = report_.entries[place->second];
  ++entry.count;
  entry.last_line = number;
}

void Scan::add_unknown(std::string_view message, std::uint64_t number) {
  auto kind = kind_of(message);
  auto place = by_kind_.find(kind);
  if (place == by_kind_.end()) {
    if (by_kind_.size() == kMaxUnknown) {
      ++report_.more_unknown;
      return;
    }
    place = by_kind_.emplace(std::move(kind), report_.entries.size()).first;
    report_.entries.push_back({nullptr, quote(message, number), 0, {}, 0, false});
  }
  auto& entry = report_.entries[place->second];
  ++entry.count;
  entry.last_line = number;
}

LogReport Scan::finish(std::uint64_t lines) {
  report_.lines = lines;
  return std::move(report_);
}

}  // namespace

bool has_reached(std::string_view release, const std::vector<std::string>& first_releases) {
  const auto parsed = Release::parse(release);
  if (!parsed || first_releases.empty()) return false;
  for (const auto& text : first_releases) {
    const auto first = Release::parse(text);
    const bool is_same_line =
        first && first->major == parsed->major && first->minor == parsed->minor;
    if (is_same_line) return *parsed >= *first;
  }
  const auto mainline = Release::parse(first_releases.back());
  return mainline && *parsed >= *mainline;
}

std::string_view releases_of_prefix(std::string_view message) {
  for (const std::string_view prefix : {"MANA_DRIVER: ", "HN_DRIVER: ", "VMBUS_BUS: "}) {
    if (message.starts_with(prefix)) return "24.11 or newer";
  }
  for (const std::string_view prefix : {"mana_", "hn_", "vmbus_"}) {
    const auto end = message.find("(): ");
    if (message.starts_with(prefix) && end != std::string_view::npos && message.find(' ') > end) {
      return "22.11 to 24.07";
    }
  }
  return {};
}

Result<LogReport> read_log(ByteSource& source, const std::string& name, const SignatureSet& known) {
  LogReader reader(source);
  Scan scan(name, known);
  for (;;) {
    const auto block = reader.next();
    if (!block) return because(block.error(), name);
    if (block->text.empty()) return scan.finish(reader.lines());
    scan.scan_block(*block);
  }
}

}  // namespace manactl::diag
