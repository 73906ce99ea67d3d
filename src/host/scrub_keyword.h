// SPDX-License-Identifier: MIT
//
// Keys whose values are secrets: "password", "clientSecret", "api-key".

#pragma once

#include <cstddef>
#include <string_view>

namespace manactl::host {

// Longer keys are not recognized. It bounds the time.
inline constexpr std::size_t kMaxKey = 64;

// How sure it is that the value of a key is a secret.
enum class Likelihood {
  no,
  if_long,        // "key": letters and digits, at least 16
  unless_number,  // "token": kernel and drivers print tokens that are numbers
  always          // "password"
};

Likelihood likelihood_of(std::string_view key);

// Whether a key may belong to the key before it: "value" in {"password": {"value": "x"}}.
bool is_trailer(std::string_view word);

}  // namespace manactl::host
