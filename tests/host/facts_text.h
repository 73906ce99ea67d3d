// SPDX-License-Identifier: MIT
//
// Prints all facts as text, one per line, so that tests can compare two sets of facts.

#pragma once

#include <string>

#include "host/facts.h"

namespace manactl::host {

std::string text_of(const Facts& facts);
std::string text_of(const MoveFacts& move);

}  // namespace manactl::host
