// SPDX-License-Identifier: MIT
//
// Recognizes lines that look like errors, whichever program wrote them.

#pragma once

#include <cstddef>
#include <string_view>

namespace manactl::diag {

// Finds the next line, at or after `from`, that may look like an error. Returns an offset within
// that line, or npos.
std::size_t find_error_word(std::string_view block, std::size_t from);

// Expects `line` without its log prefix (see without_prefix() in log_reader.h).
bool looks_like_error(std::string_view line);

}  // namespace manactl::diag
