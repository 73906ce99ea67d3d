// SPDX-License-Identifier: MIT
//
// Names and words in the texts that scrub.h scrubs: where they end, and which identify nobody.

#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "host/scrub_text.h"

namespace manactl::host {

// Longer names are not replaced. It bounds the time.
inline constexpr std::size_t kMaxNameLength = 255;

template <std::size_t Count>
bool contains(const std::string_view (&list)[Count], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// True for decimal numbers, numbers with "0x" and texts of digits, dots and colons.
bool is_number(std::string_view text);

// True for numbers, texts of fewer than three letters, names that the kernel gives to interfaces,
// such as "eth0", and words that logs and captured files use, such as "mana".
bool is_ignored(std::string_view name);

// The name at the start of `text`: letters, also in UTF-8, digits and "._-$@+".
std::string_view name_at(std::string_view text);

// The name that ends at the end of `text`.
std::string_view last_name(std::string_view text);

// The first word of a name, or its first character if that is not in a word.
std::string_view first_word(std::string_view name);

// Whether a name ends as that of a unit of systemd: "getty@tty1.service".
bool is_unit_type(std::string_view suffix);

}  // namespace manactl::host
