// SPDX-License-Identifier: MIT

#include "diag/log_reader.h"

#include <algorithm>
#include <cstring>

namespace manactl::diag {
namespace {

constexpr char kEscape = '\x1b';

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kLowBits = 0x7F7F7F7F7F7F7F7FULL;

// 1 in each byte of `word` that is a line end, else 0.
std::uint64_t line_ends(std::uint64_t word) {
  const std::uint64_t zeros = word ^ (kOnes * '\n');  // a line end becomes a zero byte
  return (~(((zeros & kLowBits) + kLowBits) | zeros | kLowBits)) >> 7U;
}

// The end of the escape sequence that begins at `at`: "ESC [ digits letter" (colours), else two
// bytes. It never swallows a line end.
std::size_t end_of_escape(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 32;
  if (at + 1 >= text.size() || text[at + 1] == '\n') return at + 1;
  if (text[at + 1] != '[') return at + 2;
  for (std::size_t i = at + 2; i < std::min(text.size(), at + kLongest); ++i) {
    if (text[i] == '\n') return i;
    if (text[i] >= '@' && text[i] <= '~') return i + 1;
  }
  return at + 1;
}

// Closes the gaps that escapes and NULs leave; the size of what remains.
std::size_t clean(char* data, std::size_t size) {
  const bool dirty =
      std::memchr(data, 0, size) != nullptr || std::memchr(data, kEscape, size) != nullptr;
  if (!dirty) return size;
  const std::string_view text(data, size);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size;) {
    if (text[i] == kEscape) {
      i = end_of_escape(text, i);
    } else if (text[i] == '\0') {
      ++i;
    } else {
      data[kept++] = text[i++];
    }
  }
  return kept;
}

}  // namespace

// std::count looks at one byte after the other and took a third of the time of a whole scan.
std::uint64_t count_line_ends(std::string_view text) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::size_t kMostWords = 255;  // until a byte of the sums could overflow
  std::uint64_t count = 0;
  while (text.size() >= kWord) {
    const auto words = std::min(text.size() / kWord, kMostWords);
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
      const auto block = take(unread.size(), kLongestLine);
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
  // A block of nothing but NULs would look like the end of the log.
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

}  // namespace manactl::diag
