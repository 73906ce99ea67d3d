// SPDX-License-Identifier: MIT
//
// Strict parsing of numbers and words, and safe printing of untrusted text.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl {

// Removes blanks, tabs, carriage returns and newlines at both ends.
std::string_view trim(std::string_view text);

// The pieces between separators, empty ones included. The views point into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

// The non-empty words between white space. The views point into `text`.
std::vector<std::string_view> words(std::string_view text);

// Accepts decimal digits only: no sign, blank, prefix or leading zero. Errc::invalid for anything
// else and for numbers above `max`.
Result<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t max = UINT64_MAX);

// Accepts hexadecimal digits with an optional "0x", the format of ids in sysfs.
Result<std::uint64_t> parse_hex(std::string_view text, std::uint64_t max = UINT64_MAX);

// Changes ASCII letters only.
std::string lower(std::string_view text);

// Two lower-case hexadecimal digits for each byte, and the bytes of such a text, which may also
// have upper-case digits.
std::string to_hex(std::string_view bytes);
Result<std::string> from_hex(std::string_view text);

// The length of the UTF-8 sequence at the start of `text`, which is not empty; 0 if it is
// malformed, invisible or bidirectional.
std::size_t utf8_length(std::string_view text);

// Makes untrusted text safe for one line: control characters, malformed UTF-8, and invisible or
// bidirectional characters become \xNN, a tab a blank. Text beyond `max_bytes` becomes "...".
std::string printable(std::string_view text, std::size_t max_bytes = 400);

// Returns `text` as one word of a POSIX shell, quoted only if necessary.
std::string shell_word(std::string_view text);

// The candidate most similar to `word`, or equal except for the case of letters, for "did you mean"
// hints; empty if none is similar.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// A size with its unit: "1.5 MiB", "640 KiB", "12 B".
std::string human_bytes(std::uint64_t bytes);

// "2,125,888"
std::string grouped(std::uint64_t number, std::string_view separator = ",");

std::string join(const std::vector<std::string>& pieces, std::string_view separator);

// "1 NIC" or "2 NICs".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace manactl
