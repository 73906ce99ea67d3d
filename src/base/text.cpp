// SPDX-License-Identifier: MIT

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/characters.h"

namespace manactl {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// The code point of a well-formed UTF-8 sequence.
char32_t code_point(std::string_view sequence) {
  constexpr std::array<unsigned, 5> kFirstBits = {0, 0x7f, 0x1f, 0x0f, 0x07};  // by length
  char32_t point = static_cast<unsigned char>(sequence.front()) & kFirstBits[sequence.size()];
  for (const char c : sequence.substr(1)) point = point << 6U | (static_cast<unsigned>(c) & 0x3fU);
  return point;
}

// Code points that change the order of the text around them, break the line, or are invisible, so
// that text could look like other text (Unicode Technical Report 36, "Bidirectional Text
// Spoofing").
bool is_deceptive(char32_t point) {
  struct Range {
    char32_t first, last;
  };

  constexpr std::array<Range, 16> kRanges = {{
      {0x80, 0x9f},        // C1 controls
      {0xad, 0xad},        // soft hyphen
      {0x34f, 0x34f},      // combining grapheme joiner
      {0x61c, 0x61c},      // Arabic letter mark
      {0x115f, 0x1160},    // Hangul fillers
      {0x17b4, 0x17b5},    // Khmer inherent vowels
      {0x180b, 0x180f},    // Mongolian selectors and separator
      {0x200b, 0x200f},    // characters without width, marks of direction
      {0x2028, 0x202e},    // separators of lines and paragraphs, embeddings and overrides
      {0x2060, 0x206f},    // invisible operators, isolates
      {0x3164, 0x3164},    // Hangul filler
      {0xfe00, 0xfe0f},    // variation selectors
      {0xfeff, 0xfeff},    // byte order mark
      {0xffa0, 0xffa0},    // halfwidth Hangul filler
      {0xfff0, 0xfffb},    // unassigned, interlinear annotation
      {0xe0000, 0xe0fff},  // tags, variation selectors
  }};
  return std::any_of(kRanges.begin(), kRanges.end(), [point](const Range& range) {
    return range.first <= point && point <= range.last;
  });
}

Result<std::uint64_t> parse_digits(std::string_view digits, int base, std::uint64_t max) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, base);
  if (error == std::errc::result_out_of_range || (error == std::errc{} && value > max)) {
    return fail(Errc::invalid, fmt::format("'{}' is larger than {}", printable(digits), max));
  }
  if (error != std::errc{} || end != digits.end()) {
    return fail(Errc::invalid, fmt::format("'{}' is not a number", printable(digits)));
  }
  return value;
}

// The number of edits (insert, delete, replace, swap of neighbors) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  std::size_t length = 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) length = 2;
  if (first >= 0xe0 && first <= 0xef) length = 3;
  if (first >= 0xf0 && first <= 0xf4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Reject overlong forms, surrogates and code points above U+10FFFF.
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return is_deceptive(code_point(text.substr(0, length))) ? 0 : length;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const auto end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (;;) {
    const auto first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return found;
    text.remove_prefix(first);
    const auto end = text.find_first_of(kBlanks);
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end);
  }
}

Result<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t max) {
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  if (text.empty() || leading_zero || text.front() == '-' || text.front() == '+') {
    return fail(Errc::invalid, fmt::format("'{}' is not a number", printable(text)));
  }
  return parse_digits(text, 10, max);
}

Result<std::uint64_t> parse_hex(std::string_view text, std::uint64_t max) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return parse_digits(text, 16, max);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

Result<std::string> from_hex(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto byte = parse_digits(text.substr(i, 2), 16, UINT8_MAX);
    if (!byte) return tl::unexpected<Error>(byte.error());
    bytes += static_cast<char>(*byte);
  }
  if (text.size() % 2 != 0) return fail(Errc::invalid, "an odd number of hexadecimal digits");
  return bytes;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  std::string out;
  while (!text.empty()) {
    if (out.size() >= max_bytes) return out + "...";
    const auto most = text.substr(0, max_bytes - out.size());
    const auto plain = std::find_if_not(most.begin(), most.end(), is_plain) - most.begin();
    if (plain > 0) {
      out += text.substr(0, static_cast<std::size_t>(plain));
      text.remove_prefix(static_cast<std::size_t>(plain));
      continue;
    }
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (byte == '\t') {
      out += ' ';
    } else if (length == 0 || byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kUnquoted =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-";
  const bool plain = !text.empty() && text.find_first_not_of(kUnquoted) == std::string_view::npos &&
                     text.front() != '-';
  if (plain) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMaxLength = 64;  // limits the cost of edit_distance() for untrusted words
  if (word.empty() || word.size() > kMaxLength) return {};
  const auto sorted = [](std::string text) {
    std::ranges::sort(text);
    return text;
  };
  std::string best;
  // At most a third of the characters may differ: "x" is not a misspelling of "up".
  std::size_t best_distance = word.size() / 3 + 1;
  for (const auto& candidate : candidates) {
    if (candidate.size() > kMaxLength) continue;
    const bool same_letters = lower(word) == lower(candidate);
    // "rxtx" has the letters of "txrx", but differs in all of them.
    const bool is_reordered = sorted(std::string(word)) == sorted(candidate);
    const std::size_t distance = same_letters   ? 0
                                 : is_reordered ? 1
                                                : edit_distance(word, candidate);
    if (distance < best_distance || (best.empty() && distance == best_distance && distance < 2)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  const std::string number = fmt::format("{:.1f}", value);
  const bool whole = number.ends_with(".0");
  return fmt::format("{} {}", whole ? number.substr(0, number.size() - 2) : number, kUnits[unit]);
}

std::string grouped(std::uint64_t number, std::string_view separator) {
  constexpr std::size_t kGroup = 3;
  auto text = fmt::format("{}", number);
  for (auto at = text.size(); at > kGroup;) text.insert(at -= kGroup, separator);
  return text;
}

std::string join(const std::vector<std::string>& pieces, std::string_view separator) {
  return fmt::format("{}", fmt::join(pieces, separator));
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace manactl
