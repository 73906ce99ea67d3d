// SPDX-License-Identifier: MIT

#pragma once

#include <cstdlib>

namespace manactl::fuzz {

// Aborts if an invariant does not hold, which the fuzzer reports with the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace manactl::fuzz
