// SPDX-License-Identifier: MIT
//
// What codes of the hardware mean and what to do: the knowledge behind decode --explain.

#pragma once

#include <cstdint>
#include <string_view>

namespace manactl::cli {

// What a number is a code of.
enum class CodeSpace : std::uint8_t {
  none,
  cqe_type,
  vendor_error,
  event,
  status,         // of an answer on the hardware channel
  shared_memory,  // status of the shared-memory channel
};

struct Advice {
  std::string_view meaning;
  std::string_view action;  // empty: nothing to do
};

// What the field of that name in the record of that title holds.
CodeSpace code_space(std::string_view record, std::string_view field);

// Always a meaning, except for CodeSpace::none. Codes that nobody knows have one as well.
Advice advice_for(CodeSpace space, std::uint64_t code);

}  // namespace manactl::cli
