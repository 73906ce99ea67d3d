// SPDX-License-Identifier: MIT
//
// The keys and options whose values are secrets.

#pragma once

#include <cstddef>
#include <string_view>

namespace manactl::host {

// The length of the secret that begins at `at` and follows a key ("password=", "token: ",
// "\"clientSecret\": \"") or an option ("--password "); 0 if there is none. Numbers, short values
// of "key" and keys of RSS hashes are not secrets.
std::size_t keyed_secret_at(std::string_view text, std::size_t at);

}  // namespace manactl::host
