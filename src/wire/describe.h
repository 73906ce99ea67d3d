// SPDX-License-Identifier: MIT
//
// The layout of a record as data: a constant table, made by one more visitor of the same list of
// fields, and one function that reads any record by its table. For printing, and for tests that
// visit every field; what knows its record decodes it with codec.h.

#pragma once

#include <algorithm>
#include <vector>

#include "wire/codec.h"

namespace manactl::wire {

enum class RowKind : std::uint8_t {
  number,
  part,      // bits from `shift` upwards of the field of that name
  member,    // `name_of` knows the members
  reserved,  // must be zero
  limit,     // a rule: the field of that name is at most `limit`
  least,     // at least `limit`
  within,    // at most the field whose row is number `limit`
  group,     // a record in the record, `count` times; ends with `end`
  end,
};

using NameOf = std::string_view (*)(std::uint64_t);

// Small, and without pointers: a program that has every table is to start as fast as without.
struct Row {
  std::uint32_t limit = 0;
  std::uint16_t name = 0;   // where it begins in the table's names
  std::uint16_t width = 0;  // bits
  std::uint16_t count = 0;  // elements of an array or a group
  std::uint8_t shift = 0;
  std::uint8_t members = 0;  // index into the table's
  RowKind kind = RowKind::number;
  bool is_array = false;
};

struct Table {
  std::string_view name;
  std::size_t size = 0;  // bytes
  std::span<const Row> rows;
  const char* names = nullptr;  // each ends with a zero
  std::span<const NameOf> members;

  std::string_view name_of(const Row& row) const { return names + row.name; }
};

template <class E>
constexpr std::string_view name_of_number(std::uint64_t value) {
  const auto member = static_cast<E>(value);
  return static_cast<std::uint64_t>(member) == value ? name_of(member) : std::string_view{};
}

// Collects rows as the layout names them. Limits must be constants or go through within(): it looks
// at no value.
class Tabulator {
 public:
  static constexpr std::size_t kMost = 64;  // more rows would not compile

  struct Draft {
    Row row;
    std::string_view name;
    NameOf name_of = nullptr;

    // Not "name_of != nullptr": GCC 12 does not take that for a constant with the sanitizers on.
    constexpr bool is_member() const { return row.kind == RowKind::member; }
  };

  template <class F>
  constexpr void bits(std::string_view name, const F&, unsigned width) {
    add(RowKind::number, name, width);
  }

  template <class F>
  constexpr void part(std::string_view name, const F&, unsigned shift, unsigned width) {
    add(RowKind::part, name, width).row.shift = static_cast<std::uint8_t>(shift);
  }

  template <class E>
  constexpr void member(std::string_view name, const E&, unsigned width) {
    add(RowKind::member, name, width).name_of = name_of_number<E>;
  }

  constexpr void zero(std::string_view name, unsigned width) {
    add(RowKind::reserved, name, width);
  }

  template <class F, std::size_t N>
  constexpr void array(std::string_view name, const std::array<F, N>&, unsigned width) {
    auto& row = add(RowKind::number, name, width).row;
    row.count = N;
    row.is_array = true;
  }

  template <class R>
  constexpr void record(const R& record) {
    R::layout(record, *this);
  }

  template <class R>
  constexpr void record(std::string_view name, const R& record) {
    add(RowKind::group, name, 0);
    R::layout(record, *this);
    add(RowKind::end, name, 0);
  }

  template <class R, std::size_t N>
  constexpr void records(std::string_view name, const std::array<R, N>& records) {
    auto& row = add(RowKind::group, name, 0).row;
    row.count = N;
    row.is_array = true;
    R::layout(records.front(), *this);
    add(RowKind::end, name, 0);
  }

  template <class F>
  constexpr void limit(std::string_view name, const F&, std::uint64_t most) {
    // Of a field in parts: they have no more bits, so only an encoder can break it.
    if (most > mask_of(32)) return;
    add(RowKind::limit, name, 0).row.limit = static_cast<std::uint32_t>(most);
  }

  template <class F>
  constexpr void least(std::string_view name, const F&, std::uint64_t least) {
    add(RowKind::least, name, 0).row.limit = static_cast<std::uint32_t>(least);
  }

  template <class F, class G>
  constexpr void within(std::string_view name, const F&, std::string_view other, const G&) {
    std::uint32_t found = 0;
    while (drafts_[found].name != other) ++found;
    add(RowKind::within, name, 0).row.limit = found;
  }

  constexpr std::size_t size() const { return size_; }

  constexpr const Draft& operator[](std::size_t index) const { return drafts_[index]; }

 private:
  constexpr Draft& add(RowKind kind, std::string_view name, unsigned width) {
    auto& draft = drafts_[size_++];
    draft.name = name;
    draft.row.width = static_cast<std::uint16_t>(width);
    draft.row.count = 1;
    draft.row.kind = kind;
    return draft;
  }

  std::array<Draft, kMost> drafts_{};
  std::size_t size_ = 0;
};

template <class T>
constexpr Tabulator tabulate() {
  const T record{};
  Tabulator tabulator;
  T::layout(record, tabulator);
  return tabulator;
}

// Where the name of a draft begins when each name is there once.
constexpr std::size_t name_place(const Tabulator& drafts, std::size_t index) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < index; ++i) {
    if (drafts[i].name == drafts[index].name) return name_place(drafts, i);
    bool is_first = true;
    for (std::size_t j = 0; j < i; ++j) is_first = is_first && drafts[j].name != drafts[i].name;
    if (is_first) place += drafts[i].name.size() + 1;
  }
  return place;
}

template <class T>
constexpr std::size_t names_size() {
  const auto drafts = tabulate<T>();
  std::size_t size = 0;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    size = std::max(size, name_place(drafts, i) + drafts[i].name.size() + 1);
  }
  return size;
}

template <class T>
constexpr auto names_of() {
  const auto drafts = tabulate<T>();
  std::array<char, names_size<T>()> names{};
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const auto place = name_place(drafts, i);
    for (std::size_t j = 0; j < drafts[i].name.size(); ++j) names[place + j] = drafts[i].name[j];
  }
  return names;
}

template <class T>
constexpr std::size_t members_size() {
  const auto drafts = tabulate<T>();
  std::size_t size = 0;
  for (std::size_t i = 0; i < drafts.size(); ++i) size += drafts[i].is_member() ? 1 : 0;
  return size;
}

template <class T>
constexpr auto members_of() {
  const auto drafts = tabulate<T>();
  std::array<NameOf, members_size<T>()> members{};
  std::size_t next = 0;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (drafts[i].is_member()) members[next++] = drafts[i].name_of;
  }
  return members;
}

template <class T>
constexpr auto rows_of() {
  const auto drafts = tabulate<T>();
  std::array<Row, tabulate<T>().size()> rows{};
  std::uint8_t members = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = drafts[i].row;
    rows[i].name = static_cast<std::uint16_t>(name_place(drafts, i));
    if (drafts[i].is_member()) rows[i].members = members++;
  }
  return rows;
}

template <class T>
inline constexpr auto kRows = rows_of<T>();

template <class T>
inline constexpr auto kRowNames = names_of<T>();

template <class T>
inline constexpr auto kRowMembers = members_of<T>();

template <class T>
inline constexpr Table kTable{T::kName, T::kSize, kRows<T>, kRowNames<T>.data(), kRowMembers<T>};

struct Field {
  std::string_view name;
  std::string_view group;  // the named record that it is in
  int group_index = -1;    // which of them; -1 when there is one
  int index = -1;          // which element of an array
  std::size_t bit = 0;     // from bit 0 of byte 0
  unsigned width = 0;      // bits
  RowKind kind = RowKind::number;
  std::uint64_t value = 0;      // of a part: the whole field
  std::string_view value_name;  // of a member; empty when it is not known
};

struct Reading {
  std::vector<Field> fields;
  std::vector<Refusal> refusals;  // the first one is that of decode()
  std::size_t bits = 0;           // that were read
};

// The record at the front of the bytes. Goes on after a refusal: who looks at a broken record wants
// to see the rest of it. Of a record that is cut short it reads the fields that are there, as of a
// message whose version ends earlier.
Reading read_fields(const Table& table, Bytes bytes);

// The fields of a value; none when it cannot be encoded.
template <class T>
std::vector<Field> fields_of(const T& value) {
  const auto bytes = encode(value);
  return bytes ? read_fields(kTable<T>, *bytes).fields : std::vector<Field>{};
}

}  // namespace manactl::wire
