// SPDX-License-Identifier: MIT
//
// Secrets in hexadecimal digits that can be recognized only by their position.

#pragma once

#include <cstddef>
#include <string_view>

namespace manactl::host {

// The length of the secret that begins at `at`: values that audit(8) encodes ("proctitle=6375726C",
// "saddr=0200..."), and keys of `ip xfrm` and `ip macsec`. 0 if there is none.
std::size_t hex_secret_at(std::string_view text, std::size_t at);

}  // namespace manactl::host
