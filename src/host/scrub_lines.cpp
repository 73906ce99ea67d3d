// SPDX-License-Identifier: MIT

#include "host/scrub_lines.h"

#include <algorithm>
#include <string>

#include "host/scrub_text.h"

namespace manactl::host {

LogLine::LogLine(std::string_view all, std::string_view all_lower, bool starts)
    : text(all), lower(all_lower), is_start(starts) {
  for (std::size_t at = 0; at + 1 < lower.size(); ++at) pairs_.set(pair_at(lower, at));
}

std::size_t LogLine::find(std::string_view word, std::size_t at) const {
  for (std::size_t i = 0; i + 1 < word.size(); ++i) {
    if (!pairs_.test(pair_at(word, i))) return std::string_view::npos;
  }
  return lower.find(word, at);
}

void learn_lines(std::string_view text, NameReplacer& names) {
  constexpr std::size_t kMaxPiece = 64U << 10U, kOverlap = 512;  // bounds the memory
  constexpr std::size_t kMinLine = 6;
  bool is_start = true;
  std::string copy;
  learn_metadata(text, names);
  while (!text.empty()) {  // split() would need 16 bytes per line
    const auto end = std::min(text.find('\n'), text.size());
    const auto piece = text.substr(0, std::min(end, kMaxPiece));
    if (piece.size() >= kMinLine) {
      copy = lower(piece);
      const LogLine line{piece, copy, is_start};
      learn_users(line, names);
      learn_hosts(line, names);
      learn_prompts(line, names);
      learn_keys(line, names);
      learn_resources(line, names);
      learn_services(line, names);
    }
    is_start = piece.size() == end;
    text.remove_prefix(is_start ? std::min(end + 1, text.size()) : piece.size() - kOverlap);
  }
}

}  // namespace manactl::host
