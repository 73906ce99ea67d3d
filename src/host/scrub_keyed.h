// SPDX-License-Identifier: MIT
//
// Finds the values of keys and options that scrub_keyword.h recognizes.

#pragma once

#include <cstddef>
#include <string_view>

namespace manactl::host {

// The length of the secret that begins at `at` and follows a key ("password=", "token: ",
// "\"clientSecret\": \""), an option ("--password ") or an opening tag ("<Password>"); 0 if there
// is none. Numbers, short values of "key" and keys of RSS hashes are not secrets.
std::size_t keyed_secret_at(std::string_view text, std::size_t at);

}  // namespace manactl::host
