// SPDX-License-Identifier: MIT
//
// The answer of bench merge as one HTML file that needs no network and no script.

#pragma once

#include <string>

#include "cli/bench/merge.h"

namespace manactl::cli {

std::string html_page(const MergeResult& merged);

}  // namespace manactl::cli
