// SPDX-License-Identifier: MIT

#include "diag/log_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>

namespace manactl::diag {
namespace {

constexpr char kEscape = '\x1b';

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kLowBits = 0x7F7F7F7F7F7F7F7FULL;

// Returns 1 in each byte that is a line end in `word`, and 0 in the others.
std::uint64_t line_ends(std::uint64_t word) {
  const std::uint64_t zeros = word ^ (kOnes * '\n');  // a line end becomes a zero byte
  return (~(((zeros & kLowBits) + kLowBits) | zeros | kLowBits)) >> 7U;
}

// Returns the offset after the escape sequence at `at`. A color is "ESC [ digits letter"; any other
// sequence has two bytes. A line end is never part of a sequence.
std::size_t end_of_escape(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxLength = 32;
  if (at + 1 >= text.size() || text[at + 1] == '\n') return at + 1;
  if (text[at + 1] != '[') return at + 2;
  for (std::size_t i = at + 2; i < std::min(text.size(), at + kMaxLength); ++i) {
    if (text[i] == '\n') return i;
    if (text[i] >= '@' && text[i] <= '~') return i + 1;
  }
  return at + 1;
}

// Removes escape sequences and NUL bytes in place; returns the new size.
std::size_t clean(char* data, std::size_t size) {
  const bool dirty =
      std::memchr(data, 0, size) != nullptr || std::memchr(data, kEscape, size) != nullptr;
  if (!dirty) return size;
  const std::string_view text(data, size);
  std::size_t used = 0;
  for (std::size_t i = 0; i < size;) {
    if (text[i] == kEscape) {
      i = end_of_escape(text, i);
    } else if (text[i] == '\0') {
      ++i;
    } else {
      data[used++] = text[i++];
    }
  }
  return used;
}

// The prefixes that loggers put before a message. A line may have several of them, such as journald
// around dmesg. Host and unit match only after a time stamp, because messages of hv_netvsc also
// start with two words and a colon.
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
    return new re2::RE2(text, options);
  }();
  return *pattern;
}

// Unwraps {"log":"EAL: ...\n","stream":"stderr","time":"..."}, the format of Docker's log files.
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

// Counts eight bytes at a time, because std::count took a third of the scan time.
std::uint64_t count_line_ends(std::string_view text) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::size_t kMaxWords = 255;  // so that no byte of `sums` overflows
  std::uint64_t count = 0;
  while (text.size() >= kWord) {
    const auto words = std::min(text.size() / kWord, kMaxWords);
    std::uint64_t sums = 0;
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + (i * kWord), kWord);
      sums += line_ends(word);
    }
    for (; sums != 0; sums >>= 8U) count += sums & 0xFFU;
    text.remove_prefix(words * kWord);
  }
  return count + static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

LogReader::LogReader(ByteSource& source) : source_(source), buffer_(kBlock) {}

Result<Block> LogReader::next() {
  for (;;) {
    if (skipping_) skip_rest_of_line();
    const std::string_view unread(buffer_.data() + begin_, end_ - begin_);
    const auto last = skipping_ ? std::string_view::npos : unread.rfind('\n');
    if (last != std::string_view::npos) return take(last + 1, last + 1);
    if (finished_) {
      const std::size_t rest = skipping_ ? 0 : unread.size();
      return rest == 0 ? Block{} : take(rest, rest);
    }
    if (unread.size() == buffer_.size()) {
      const auto block = take(unread.size(), kMaxLine);
      skipping_ = true;
      return block;
    }
    if (auto filled = fill(); !filled) return tl::unexpected(filled.error());
  }
}

Block LogReader::take(std::size_t size, std::size_t shown) {
  char* const data = buffer_.data() + begin_;
  begin_ += size;
  Block block{{data, clean(data, shown)}, lines_ + 1};
  lines_ += count_line_ends(block.text);
  if (!block.text.ends_with('\n')) ++lines_;
  // An empty block means the end of the log, so a block of only NUL bytes becomes an empty line.
  if (block.text.empty()) block.text = "\n";
  return block;
}

void LogReader::skip_rest_of_line() {
  const std::string_view unread(buffer_.data() + begin_, end_ - begin_);
  const auto end = unread.find('\n');
  skipping_ = end == std::string_view::npos;
  begin_ = skipping_ ? end_ : begin_ + end + 1;
}

Result<void> LogReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const auto got = source_.read(std::span(buffer_).subspan(end_));
  if (!got) return tl::unexpected(got.error());
  end_ += *got;
  finished_ = *got == 0;
  return {};
}

std::string_view without_prefix(std::string_view line, std::string& scratch) {
  constexpr int kMaxPrefixes = 4;
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with(' ')) return line;  // no prefix begins with a blank
  unwrap_json(line, scratch);
  re2::StringPiece rest(line.data(), line.size());
  for (int i = 0; i < kMaxPrefixes && re2::RE2::Consume(&rest, prefix_pattern()); ++i) {
  }
  return {rest.data(), rest.size()};
}

}  // namespace manactl::diag
