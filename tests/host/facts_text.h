// SPDX-License-Identifier: MIT
//
// All facts as text, one per line, to compare two sets of facts.

#pragma once

#include <string>

#include "host/facts.h"

namespace manactl::host {

std::string text_of(const Facts& facts);

}  // namespace manactl::host
