// SPDX-License-Identifier: MIT
//
// Recognizes lines that look like errors, whichever program wrote them.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "diag/state.h"

namespace manactl::diag {

// False if the logger of the line states a level below warning: "|INFO|", "[notice]", "Info:". Most
// logs have no levels.
bool may_be_error(std::string_view line);

// Finds the next line, at or after `from`, that may look like an error. Returns an offset within
// that line, or npos.
std::size_t find_error_word(std::string_view block, std::size_t from);

// Expects `line` without its log prefix (see without_prefix() in log_reader.h).
bool looks_like_error(std::string_view line);

// The kind of run that an unrecognized message of DPDK or of a driver of MANA belongs to; empty if
// another program or driver wrote it.
std::optional<RunKind> run_kind_of_text(std::string_view message);

// Lines are of the same kind if their first 200 bytes differ only in the values of digits.
std::string kind_of_text(std::string_view text);

}  // namespace manactl::diag
