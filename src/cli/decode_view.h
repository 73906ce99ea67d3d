// SPDX-License-Identifier: MIT
//
// Fields of the hardware's records as people read them: arrays in one piece, numbers with names.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/wire_advice.h"
#include "wire/dissect.h"

namespace manactl::cli {

struct FieldView {
  std::string name;   // "request.code", "packet[1].length"
  std::string field;  // the same without the group
  std::size_t bit = 0;
  unsigned width = 0;                 // bits of each value
  std::vector<std::uint64_t> values;  // one, or those of an array
  bool is_array = false;
  bool is_reserved = false;
  bool is_known = true;  // false: a number where only some have a meaning, and this has none
  std::string meaning;   // "transmit okay", "address 0x1000"; may be empty
  CodeSpace space = CodeSpace::none;
};

std::vector<FieldView> view_of(const wire::Section& section);

// The bytes of an array of bytes: "000d3a763bd0".
std::string hex_text(wire::Bytes bytes);

}  // namespace manactl::cli
