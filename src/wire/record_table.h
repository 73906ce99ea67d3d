// SPDX-License-Identifier: MIT
//
// Tables that describe the layout of each record, and a function that decodes any record with its
// table. A table is generated from the layout() that the codec uses. Used for printing records and
// by tests that iterate over fields. Code that knows the type of a record uses decode() of codec.h.

#pragma once

#include <algorithm>
#include <vector>

#include "wire/codec.h"

namespace manactl::wire {

enum class RowKind : std::uint8_t {
  number,
  part,       // part of a split field; `shift` is its lowest bit in the whole value
  member,     // an enumeration
  reserved,   // must be 0
  max,        // rule: the field with this row's name is at most `limit`
  min,        // rule: the field with this row's name is at least `limit`
  max_field,  // rule: the field with this row's name is at most the field in row `limit`
  group,      // a nested record, `count` times; its rows end with `end`
  end,
};

using NameFunction = std::string_view (*)(std::uint64_t);

// A row is small and contains no pointers, so that tables need no relocations at program start.
struct TableRow {
  std::uint32_t limit = 0;
  std::uint16_t name = 0;   // offset in RecordTable::names
  std::uint16_t width = 0;  // bits
  std::uint16_t count = 0;  // elements of an array or a group
  std::uint8_t shift = 0;
  std::uint8_t members = 0;  // index in RecordTable::members
  RowKind kind = RowKind::number;
  bool is_array = false;
};

struct RecordTable {
  std::string_view name;
  std::size_t size = 0;  // bytes
  std::span<const TableRow> rows;
  const char* names = nullptr;  // null-terminated names in sequence
  std::span<const NameFunction> members;

  std::string_view name_of(const TableRow& row) const { return names + row.name; }
};

template <class E>
constexpr std::string_view name_of_number(std::uint64_t value) {
  const auto member = static_cast<E>(value);
  return static_cast<std::uint64_t>(member) == value ? name_of(member) : std::string_view{};
}

// The visitor that collects the rows of a layout. It ignores the values of fields, so limits must
// be constants or use at_most_field().
class LayoutCollector {
 public:
  static constexpr std::size_t kMaxRows = 64;  // more rows fail to compile

  struct Draft {
    TableRow row;
    std::string_view name;
    NameFunction name_of = nullptr;

    // With sanitizers, GCC 12 does not accept "name_of != nullptr" in constant expressions.
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
  constexpr void at_most(std::string_view name, const F&, std::uint64_t max) {
    // Larger limits need no check: only split fields have them, whose values always fit.
    if (max > mask_of(32)) return;
    add(RowKind::max, name, 0).row.limit = static_cast<std::uint32_t>(max);
  }

  template <class F>
  constexpr void at_least(std::string_view name, const F&, std::uint64_t min) {
    add(RowKind::min, name, 0).row.limit = static_cast<std::uint32_t>(min);
  }

  template <class F, class G>
  constexpr void at_most_field(std::string_view name, const F&, std::string_view other, const G&) {
    std::uint32_t found = 0;
    while (drafts_[found].name != other) ++found;
    add(RowKind::max_field, name, 0).row.limit = found;
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

  std::array<Draft, kMaxRows> drafts_{};
  std::size_t size_ = 0;
};

template <class T>
constexpr LayoutCollector collect_layout() {
  const T record{};
  LayoutCollector collector;
  T::layout(record, collector);
  return collector;
}

// The offset in RecordTable::names of a draft row's name. Each name is stored only once.
constexpr std::size_t name_offset(const LayoutCollector& drafts, std::size_t index) {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < index; ++i) {
    if (drafts[i].name == drafts[index].name) return name_offset(drafts, i);
    bool is_first = true;
    for (std::size_t j = 0; j < i; ++j) is_first = is_first && drafts[j].name != drafts[i].name;
    if (is_first) offset += drafts[i].name.size() + 1;
  }
  return offset;
}

template <class T>
constexpr std::size_t names_size() {
  const auto drafts = collect_layout<T>();
  std::size_t size = 0;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    size = std::max(size, name_offset(drafts, i) + drafts[i].name.size() + 1);
  }
  return size;
}

template <class T>
constexpr auto names_of() {
  const auto drafts = collect_layout<T>();
  std::array<char, names_size<T>()> names{};
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const auto offset = name_offset(drafts, i);
    for (std::size_t j = 0; j < drafts[i].name.size(); ++j) names[offset + j] = drafts[i].name[j];
  }
  return names;
}

template <class T>
constexpr std::size_t members_size() {
  const auto drafts = collect_layout<T>();
  std::size_t size = 0;
  for (std::size_t i = 0; i < drafts.size(); ++i) size += drafts[i].is_member() ? 1 : 0;
  return size;
}

template <class T>
constexpr auto members_of() {
  const auto drafts = collect_layout<T>();
  std::array<NameFunction, members_size<T>()> members{};
  std::size_t next = 0;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (drafts[i].is_member()) members[next++] = drafts[i].name_of;
  }
  return members;
}

template <class T>
constexpr auto rows_of() {
  const auto drafts = collect_layout<T>();
  std::array<TableRow, collect_layout<T>().size()> rows{};
  std::uint8_t members = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = drafts[i].row;
    rows[i].name = static_cast<std::uint16_t>(name_offset(drafts, i));
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
inline constexpr RecordTable kTable{
    T::kName, T::kSize, kRows<T>, kRowNames<T>.data(), kRowMembers<T>};

struct Field {
  std::string_view name;
  std::string_view group;  // name of the nested record that contains the field
  int group_index = -1;    // index of that record; -1 if there is only one
  int index = -1;          // index in an array; -1 if the field is not an array
  std::size_t bit = 0;     // offset from bit 0 of byte 0
  unsigned width = 0;      // bits
  RowKind kind = RowKind::number;
  std::uint64_t value = 0;      // for RowKind::part: the value of the whole split field
  std::string_view value_name;  // the enumerator's word; empty if `value` is not an enumerator
};

struct RecordFields {
  std::vector<Field> fields;
  std::vector<Refusal> refusals;  // decode() returns the first one
  std::size_t bits = 0;           // number of bits read
};

// Decodes the record at the start of `bytes`. Continues after a violated rule, so that the rest of
// a malformed record can be shown. Returns the complete fields of a truncated record.
RecordFields read_fields(const RecordTable& table, Bytes bytes);

// The fields of a record; empty if it cannot be encoded.
template <class T>
std::vector<Field> fields_of(const T& value) {
  const auto bytes = encode(value);
  return bytes ? read_fields(kTable<T>, *bytes).fields : std::vector<Field>{};
}

}  // namespace manactl::wire
