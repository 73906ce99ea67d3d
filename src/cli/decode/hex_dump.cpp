// SPDX-License-Identifier: MIT

#include "cli/decode/hex_dump.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/budget.h"
#include "base/text.h"
#include "cli/decode/hex_lines.h"

namespace manactl::cli {
namespace {

using Octets = std::vector<std::uint8_t>;

std::optional<std::uint64_t> number_of(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto* end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc{} || last != end) return std::nullopt;
  return value;
}

// Converts pairs of digits to bytes. If the number of digits is odd, the first byte has one digit.
Octets octets_of(std::string_view digits) {
  Octets bytes;
  const std::size_t odd = digits.size() % 2;
  if (odd != 0) bytes.push_back(static_cast<std::uint8_t>(*number_of(digits.substr(0, 1), 16)));
  for (std::size_t at = odd; at + 1 < digits.size(); at += 2) {
    bytes.push_back(static_cast<std::uint8_t>(*number_of(digits.substr(at, 2), 16)));
  }
  return bytes;
}

bool is_number(std::string_view group) {
  return group.starts_with("0x") || group.starts_with("0X");
}

Octets octets_of(const HexLine& line, bool words) {
  Octets bytes;
  for (const auto group : line.groups) {
    auto part = octets_of(is_number(group) ? group.substr(2) : group);
    if (words || is_number(group)) std::reverse(part.begin(), part.end());
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

// Returns whether the bytes match the text column of the line.
bool matches_text(const HexLine& line, bool words) {
  const auto bytes = octets_of(line, words);
  for (std::size_t i = 0; i < bytes.size() && i < line.ascii.size(); ++i) {
    const char shown = bytes[i] >= ' ' && bytes[i] < 0x7f ? static_cast<char>(bytes[i]) : '.';
    if (line.ascii[i] != shown) return false;
  }
  return true;
}

class Assembly {
 public:
  Assembly(const std::vector<HexLine>& lines, bool words) : lines_(lines), words_(words) {}

  // `base` is the number base of the offsets: 8 or 16.
  Result<std::vector<Octets>> run(int base);

 private:
  Result<> add(const HexLine& line, int base);
  Result<> move_to(const HexLine& line, std::uint64_t offset);
  Result<> repeat(const HexLine& line, std::uint64_t missing);
  void begin(std::uint64_t offset);

  const std::vector<HexLine>& lines_;
  bool words_;
  std::vector<Octets> parts_;
  std::uint64_t position_ = 0;  // the offset of the next byte
  std::size_t size_ = 0;        // bytes of all parts
  Octets last_;                 // bytes of the previous line
  bool repeats_ = false;        // a '*' followed the previous line
};

Result<std::vector<Octets>> Assembly::run(int base) {
  parts_.clear();
  repeats_ = false;
  size_ = 0;
  for (const auto& line : lines_) {
    auto good = add(line, base);
    if (!good) return tl::unexpected<Error>(good.error());
    if (size_ > kMaxDump) return fail(Errc::invalid, "the dump is larger than 1 MiB");
  }
  if (repeats_) {
    return fail(Errc::invalid, "the dump ends with '*': the final offset is missing");
  }
  std::erase_if(parts_, [](const Octets& part) { return part.empty(); });
  return parts_;
}

Result<> Assembly::add(const HexLine& line, int base) {
  if (line.form == LineForm::repeated) {
    if (last_.empty()) {
      return fail(Errc::invalid, fmt::format("line {}: no line precedes the '*'", line.number));
    }
    repeats_ = true;
    return {};
  }
  if (!line.offset.empty()) {
    const auto offset = number_of(line.offset, base);
    if (!offset) {
      return fail(Errc::invalid,
                  fmt::format("line {}: '{}' is not an offset", line.number, line.offset));
    }
    auto good = move_to(line, *offset);
    if (!good) return good;
  } else if (parts_.empty()) {
    begin(0);
  }
  last_ = octets_of(line, words_);
  auto& part = parts_.back();
  part.insert(part.end(), last_.begin(), last_.end());
  position_ += last_.size();
  size_ += last_.size();
  return {};
}

Result<> Assembly::move_to(const HexLine& line, std::uint64_t offset) {
  // With DUMP_PREFIX_ADDRESS, print_hex_dump() prints hashed addresses instead of offsets.
  constexpr std::size_t kAddressDigits = 16;
  const bool is_address = line.form == LineForm::colon && line.offset.size() == kAddressDigits;
  if (parts_.empty() || (!is_address && offset == 0 && position_ != 0)) {
    begin(offset);
    return {};
  }
  if (is_address || offset == position_) {
    repeats_ = false;
    return {};
  }
  if (repeats_ && offset > position_) return repeat(line, offset - position_);
  return fail(Errc::invalid,
              fmt::format("line {}: offset {} does not follow the previous line: lines are missing",
                          line.number,
                          line.offset));
}

Result<> Assembly::repeat(const HexLine& line, std::uint64_t missing) {
  if (missing > kMaxDump || missing % last_.size() != 0) {
    return fail(Errc::invalid,
                fmt::format("line {}: its offset does not fit the '*' before it", line.number));
  }
  for (std::uint64_t done = 0; done < missing; done += last_.size()) {
    parts_.back().insert(parts_.back().end(), last_.begin(), last_.end());
  }
  position_ += missing;
  size_ += static_cast<std::size_t>(missing);
  repeats_ = false;
  return {};
}

void Assembly::begin(std::uint64_t offset) {
  parts_.emplace_back();
  position_ = offset;
  repeats_ = false;
}

struct ParsedLines {
  std::vector<HexLine> lines;  // lines of dumps
  std::size_t skipped = 0;
};

// hexdump -C ends with the final offset on a line of its own: "00000040".
void mark_end(HexLine& line) {
  constexpr std::size_t kDigits = 8;
  const bool is_end = line.form == LineForm::plain && line.groups.size() == 1 &&
                      line.groups.front().size() == kDigits;
  if (!is_end) return;
  line.form = LineForm::canonical;
  line.offset = line.groups.front();
  line.groups.clear();
}

bool has_form(const std::vector<HexLine>& lines, LineForm form) {
  return std::any_of(
      lines.begin(), lines.end(), [&](const HexLine& line) { return line.form == form; });
}

// If some lines have offsets, lines without offsets count as log messages and are skipped.
Result<ParsedLines> parse_lines(std::string_view text) {
  constexpr std::size_t kMaxLines = std::size_t{128} << 20U;  // bytes
  Budget budget("the dump", kMaxLines);
  std::vector<HexLine> all;
  std::size_t number = 0;
  for (const auto line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    auto parsed = parse_hex_line(line);
    parsed.number = number;
    // The memory of a growing vector, and of its copy without skipped lines.
    const auto groups = parsed.groups.capacity() * sizeof(parsed.groups[0]);
    const auto charged = budget.charge(3 * sizeof(parsed) + groups);
    if (!charged) return tl::unexpected<Error>(charged.error());
    all.push_back(std::move(parsed));
  }
  const bool canonical = has_form(all, LineForm::canonical);
  const bool offsets = canonical || has_form(all, LineForm::colon);
  ParsedLines parsed;
  for (auto& line : all) {
    if (canonical) mark_end(line);
    const bool has_no_offset = line.form == LineForm::plain || line.form == LineForm::octal;
    if (line.form != LineForm::other && !(offsets && has_no_offset)) {
      parsed.lines.push_back(std::move(line));
    } else if (offsets) {
      ++parsed.skipped;
    } else {
      return fail(
          Errc::invalid,
          fmt::format(
              "line {}: '{}' is not hexadecimal", line.number, printable(line.invalid_word)));
    }
  }
  return parsed;
}

Result<> check_digits(const std::vector<HexLine>& lines) {
  for (const auto& line : lines) {
    for (const auto group : line.groups) {
      if (is_number(group) || group.size() % 2 == 0) continue;
      return fail(
          Errc::invalid,
          fmt::format("line {}: '{}' has an odd number of digits", line.number, printable(group)));
    }
  }
  return {};
}

bool are_words(const std::vector<HexLine>& lines, GroupOrder order, HexDump& dump) {
  if (order != GroupOrder::automatic) return order == GroupOrder::words;
  std::size_t widest = 0;
  bool in_log = false;
  bool octal = false;
  bool colon = false;
  bool matches_bytes = true;
  bool matches_words = true;
  for (const auto& line : lines) {
    for (const auto group : line.groups) {
      if (!is_number(group)) widest = std::max(widest, group.size());
    }
    in_log = in_log || line.has_prefix;
    octal = octal || line.form == LineForm::octal;
    colon = colon || line.form == LineForm::colon;
    matches_bytes = matches_bytes && matches_text(line, false);
    matches_words = matches_words && matches_text(line, true);
  }
  if (widest <= 2) return false;
  if (matches_bytes != matches_words) return matches_words;
  // Groups of the kernel and od are numbers. Groups of xxd are bytes, by default two (four digits).
  const bool words = octal || in_log || (colon && widest > 4);
  if (octal || in_log || colon) {
    dump.notes.push_back(
        fmt::format("groups of {} digits were read as {}; use --order={} for the "
                    "opposite",
                    widest,
                    words ? "little-endian words" : "bytes in memory order",
                    words ? "bytes" : "words"));
  }
  return words;
}

// Tries hexadecimal offsets and, if `may_be_octal`, octal ones. Returns the consistent result.
Result<std::vector<Octets>> assemble(Assembly assembly, bool may_be_octal) {
  auto parts = assembly.run(16);
  if (!may_be_octal) return parts;
  const auto octal = assembly.run(8);
  if (parts && octal && *parts != *octal) {
    return fail(Errc::invalid,
                "the number of lines that a '*' replaces is ambiguous: dump again with -v");
  }
  return octal ? octal : parts;
}

}  // namespace

Result<HexDump> parse_hex_dump(std::string_view text, GroupOrder order) {
  auto parsed = parse_lines(text);
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  const auto& lines = parsed->lines;
  auto good = check_digits(lines);
  if (!good) return tl::unexpected<Error>(good.error());
  HexDump dump;
  const bool words = are_words(lines, order, dump);
  const bool may_be_octal = has_form(lines, LineForm::octal);
  auto parts = assemble(Assembly(lines, words), may_be_octal);
  if (!parts) return tl::unexpected<Error>(parts.error());
  if (parts->empty()) return fail(Errc::invalid, "the input contains no bytes");
  dump.parts = std::move(*parts);
  if (parsed->skipped > 0) {
    dump.notes.push_back(fmt::format("{} line{} without hexadecimal data {} skipped",
                                     parsed->skipped,
                                     parsed->skipped == 1 ? "" : "s",
                                     parsed->skipped == 1 ? "was" : "were"));
  }
  return dump;
}

bool looks_hexadecimal(std::string_view word) {
  const auto line = parse_hex_line(word);
  return line.form == LineForm::plain || line.form == LineForm::octal;
}

bool looks_binary(std::string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](unsigned char byte) {
    return (byte < ' ' && byte != '\n' && byte != '\r' && byte != '\t' && byte != 0x1b) ||
           byte == 0x7f;
  });
}

}  // namespace manactl::cli
