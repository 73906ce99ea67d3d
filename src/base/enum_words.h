// SPDX-License-Identifier: MIT
//
// Conversion between enumerators and their words in JSON, options and messages. Each enum has one
// constexpr table, which both directions use.

#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace manactl {

template <class E>
struct EnumWord {
  E value;
  std::string_view word;
};

template <class E, std::size_t N>
using EnumWords = std::array<EnumWord<E>, N>;

// The word for `value`; empty if the table has no row for it.
template <class E>
constexpr std::string_view word_of(std::span<const EnumWord<E>> table, E value) {
  for (const auto& row : table) {
    if (row.value == value) return row.word;
  }
  return {};
}

template <class E, std::size_t N>
constexpr std::string_view word_of(const EnumWords<E, N>& table, E value) {
  return word_of(std::span<const EnumWord<E>>(table), value);
}

// The enumerator for `word`; empty if no row has that word. Case matters.
template <class E>
constexpr std::optional<E> value_of(std::span<const EnumWord<E>> table, std::string_view word) {
  for (const auto& row : table) {
    if (row.word == word) return row.value;
  }
  return std::nullopt;
}

template <class E, std::size_t N>
constexpr std::optional<E> value_of(const EnumWords<E, N>& table, std::string_view word) {
  return value_of(std::span<const EnumWord<E>>(table), word);
}

// All words in the order of the table, for messages.
template <class E, std::size_t N>
std::vector<std::string> words_of(const EnumWords<E, N>& table) {
  std::vector<std::string> words;
  for (const auto& row : table) words.emplace_back(row.word);
  return words;
}

}  // namespace manactl
