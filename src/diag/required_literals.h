// SPDX-License-Identifier: MIT
//
// Derives the plain texts that a line must contain to match a regular expression, so that the
// expression need not run on most lines of a log.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::diag {

// Returns the most selective set of texts such that every match of `pattern` contains one of them;
// empty if there is none. Errc::invalid for unsupported syntax: flags, lookaround, POSIX classes.
Result<std::vector<std::string>> required_literals(std::string_view pattern);

}  // namespace manactl::diag
