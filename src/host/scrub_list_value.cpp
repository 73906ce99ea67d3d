// SPDX-License-Identifier: MIT

#include "host/scrub_list_value.h"

#include <algorithm>

#include "host/scrub_arguments.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

// The end of a value: a semicolon, the end of the line, or the quote that ends the list. A quote
// before a letter is an apostrophe.
std::size_t end_of_value(std::string_view text) {
  for (std::size_t end = 0; end < text.size(); ++end) {
    const char c = text[end];
    const bool quote = is_quote(c) && !is_alphanumeric(at_or_end(text, end + 1));
    if (c == ';' || c == '\n' || c == '<' || quote) return end;
  }
  return text.size();
}

// Whether `text` begins with a key, which may contain blanks, and "=": "User Id=x".
bool begins_with_key(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto key = text.substr(0, std::min(text.find('='), text.size()));
  return key.size() < text.size() && !key.empty() &&
         std::all_of(key.begin(), key.end(), [](char c) { return is_alphanumeric(c) || c == ' '; });
}

}  // namespace

std::size_t list_value_length(std::string_view before, std::string_view text) {
  constexpr std::string_view kTrimmed = " \r\\";
  text = text.substr(0, kMaxNameLength);
  const auto end = end_of_value(text);
  const bool ends = at_or_end(text, end) == ';';
  const bool follows = before.ends_with(';') || (ends && before.ends_with("; "));
  if (!follows && !(ends && begins_with_key(text.substr(end + 1)))) return 0;
  const auto last = text.substr(0, end).find_last_not_of(kTrimmed);
  return last == std::string_view::npos ? 0 : last + 1;
}

}  // namespace manactl::host
