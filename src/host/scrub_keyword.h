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

// Whether the table of words that precede secrets has a row for this key and value: words of .netrc
// and of the files of snmpd. `before` is the word before the key.
bool matches_secret_word(std::string_view key,
                         std::string_view before,
                         std::string_view value,
                         bool is_unlikely_in_prose);

// Whether a key may belong to the key before it: "value" in {"password": {"value": "x"}}.
bool is_trailer(std::string_view word);

}  // namespace manactl::host
