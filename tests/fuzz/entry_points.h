// SPDX-License-Identifier: MIT
//
// What the fuzzers call, and the seed test as well: every byte string must end in an answer.

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

}  // namespace manactl::fuzz
