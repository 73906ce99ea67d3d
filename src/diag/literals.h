// SPDX-License-Identifier: MIT
//
// Plain text that a regular expression cannot match without: what makes a healthy megabyte cheap.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::diag {

// Everything that `pattern` matches holds at least one of these. The most selective set that can be
// read off the expression; empty when there is none. Errc::invalid for syntax that the signatures
// do not need (flags, lookaround, POSIX classes).
Result<std::vector<std::string>> required_literals(std::string_view pattern);

}  // namespace manactl::diag
