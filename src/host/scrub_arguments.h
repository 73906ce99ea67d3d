// SPDX-License-Identifier: MIT
//
// Arguments of commands, as logs contain them: separated by blanks, as a list ("-u", "x"), and as
// records of audit(8) print them (a1="-u" a2="x").

#pragma once

#include <cstddef>
#include <string_view>

namespace manactl::host {

inline bool is_quote(char c) {
  return c == '"' || c == '\'';
}

void remove_blanks(std::string_view& text);

// Removes a quote and the backslashes before it. Returns their number.
std::size_t remove_quote(std::string_view& text, char& quote);

// The letters, digits, dashes, underscores and dots at the end of `text`, at most kMaxKey.
std::string_view key_before(std::string_view text);

// How an argument is separated from the one before it.
enum class Gap { none, blank, comma };

// Removes a quote that opens an argument, and what separates the argument from the one before.
Gap remove_gap(std::string_view& text);

// Whether `text` begins with "a2=" of audit(8).
bool is_index_at(std::string_view text);

// The length of the password that begins at `at`: "-p password" and "-u user:password" of commands
// that log in. 0 if there is none.
std::size_t login_password_at(std::string_view text, std::size_t at);

}  // namespace manactl::host
