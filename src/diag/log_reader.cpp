// SPDX-License-Identifier: MIT

#include "diag/log_reader.h"

#include <algorithm>
#include <cstring>

namespace manactl::diag {
namespace {

constexpr char kEscape = '\x1b';

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
  lines_ += static_cast<std::uint64_t>(std::count(data, data + block.text.size(), '\n'));
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
