// SPDX-License-Identifier: MIT
//
// The answer of bench compare as one HTML file that needs no network and no script.

#pragma once

#include <string>

#include "cli/bench/render_compare.h"

namespace manactl::cli {

std::string html_page(const CompareResult& result);

}  // namespace manactl::cli
