// SPDX-License-Identifier: MIT
//
// Values with blanks in connection strings: "Server=db;Password=two words;Encrypt=true".

#pragma once

#include <cstddef>
#include <string_view>

namespace manactl::host {

// The length of the value at the start of `text` if it belongs to a connection string; 0 if it does
// not. `before` is the text before the key.
std::size_t list_value_length(std::string_view before, std::string_view text);

}  // namespace manactl::host
