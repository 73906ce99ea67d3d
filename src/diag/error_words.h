// SPDX-License-Identifier: MIT
//
// What makes a line look like an error to a reader, whoever wrote it.

#pragma once

#include <cstddef>
#include <string_view>

namespace manactl::diag {

// A place at or behind `from` in the next line that may look like an error; npos: none.
std::size_t next_error_word(std::string_view block, std::size_t from);

// The verdict on one line without prefix.
bool looks_like_error(std::string_view line);

}  // namespace manactl::diag
