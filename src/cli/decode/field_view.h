// SPDX-License-Identifier: MIT
//
// Prepares the fields of a dissected record for display: joins arrays and explains numbers.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/advice.h"
#include "wire/dissect.h"

namespace manactl::cli {

struct FieldView {
  std::string name;   // "request.code", "packet[1].length"
  std::string field;  // the name without its group
  std::size_t bit = 0;
  unsigned width = 0;                 // bits of each value
  std::vector<std::uint64_t> values;  // one value, or the elements of an array
  bool is_array = false;
  bool is_reserved = false;
  bool is_known = true;  // false if the value is a code without a known meaning
  std::string meaning;   // "transmit okay", "address 0x1000"; may be empty
  wire::CodeSpace space = wire::CodeSpace::none;
};

std::vector<FieldView> field_views(const wire::Section& section);

// Whether a code, such as a type or a command, has an unknown value. Statuses and vendor errors do
// not count.
bool has_unknown_code(const wire::Dissection& dissection);

// "000d3a763bd0"
std::string hex_text(wire::Bytes bytes);

}  // namespace manactl::cli
