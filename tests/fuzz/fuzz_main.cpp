// SPDX-License-Identifier: MIT
//
// The entry point of libFuzzer, compiled once for each function of entry_points.h.

#include <cstddef>
#include <cstdint>

#include "fuzz/entry_points.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  manactl::fuzz::MANACTL_FUZZ_ENTRY({reinterpret_cast<const char*>(data), size});
  return 0;
}
