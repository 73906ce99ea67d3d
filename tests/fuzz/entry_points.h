// SPDX-License-Identifier: MIT
//
// Entry points of the fuzzers and of the seed test. Each entry point accepts any input, and aborts
// if an invariant does not hold. Sources: entry_points*.cpp.

#pragma once

#include <string_view>

namespace manactl::fuzz {

void btf(std::string_view input);
void netlink(std::string_view input);
void base(std::string_view input);
void wire(std::string_view input);
void adapter(std::string_view input);
void log(std::string_view input);
void bench(std::string_view input);
void scrub(std::string_view input);
void decompress(std::string_view input);
void device(std::string_view input);
void qemu(std::string_view input);

}  // namespace manactl::fuzz
