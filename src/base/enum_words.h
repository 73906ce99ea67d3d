// SPDX-License-Identifier: MIT
//
// The words that stand for enumerators in JSON, options and messages. Each enum that has words keeps
// one constexpr table of them; both directions read that table.

#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace manactl {

template <class E>
struct EnumWord {
  E value;
  std::string_view word;
};

template <class E, std::size_t N>
using EnumWords = std::array<EnumWord<E>, N>;

// The word for `value`; empty if the table has no row for it.
template <class E, std::size_t N>
constexpr std::string_view word_of(const EnumWords<E, N>& table, E value) {
  for (const auto& row : table) {
    if (row.value == value) return row.word;
  }
  return {};
}

// The enumerator for `word`; empty if no row has that word. Case matters.
template <class E, std::size_t N>
constexpr std::optional<E> value_of(const EnumWords<E, N>& table, std::string_view word) {
  for (const auto& row : table) {
    if (row.word == word) return row.value;
  }
  return std::nullopt;
}

}  // namespace manactl
