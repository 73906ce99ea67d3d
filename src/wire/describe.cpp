// SPDX-License-Identifier: MIT

#include "wire/describe.h"

#include <algorithm>

namespace manactl::wire {
namespace {

class Walk {
 public:
  Walk(const Table& table, Bytes bytes) : table_(table), bytes_(bytes) {}

  Reading run() {
    rows(0, table_.rows.size());
    reading_.bits = bit_;
    return std::move(reading_);
  }

 private:
  void rows(std::size_t from, std::size_t to);
  void row(const Row& row);
  void rule(const Row& row);
  std::size_t group(std::size_t at);

  // False from the first field on that the bytes do not have.
  bool has(unsigned width) {
    is_cut_ = is_cut_ || bit_ + width > bytes_.size() * 8;
    return !is_cut_;
  }

  void number(const Row& row, int index);
  void reserved(const Row& row);
  void part(const Row& row);

  std::uint64_t take(unsigned width);
  Field& add(const Row& row, std::size_t bit, std::uint64_t value);
  std::uint64_t value_of(std::string_view name) const;

  void refuse(std::string_view field, std::uint64_t value, Rule rule, std::uint64_t limit = 0) {
    reading_.refusals.push_back({table_.name, field, value, rule, limit});
  }

  const Table& table_;
  Bytes bytes_;
  std::size_t bit_ = 0;
  bool is_cut_ = false;
  std::string_view group_;
  int group_index_ = -1;
  Reading reading_;
};

void Walk::rows(std::size_t from, std::size_t to) {
  for (std::size_t at = from; at < to; ++at) {
    if (table_.rows[at].kind == RowKind::group) {
      at = group(at);
    } else {
      row(table_.rows[at]);
    }
  }
}

// Answers where its end is.
std::size_t Walk::group(std::size_t at) {
  const Row& head = table_.rows[at];
  std::size_t end = at + 1;
  while (table_.rows[end].kind != RowKind::end || table_.rows[end].name != head.name) ++end;
  for (int i = 0; i < head.count; ++i) {
    group_ = table_.name_of(head);
    group_index_ = head.is_array ? i : -1;
    rows(at + 1, end);
  }
  group_ = {};
  group_index_ = -1;
  return end;
}

void Walk::row(const Row& row) {
  switch (row.kind) {
    case RowKind::number:
      for (int i = 0; i < row.count; ++i) number(row, row.is_array ? i : -1);
      break;
    case RowKind::member:
      number(row, -1);
      break;
    case RowKind::part:
      part(row);
      break;
    case RowKind::reserved:
      reserved(row);
      break;
    default:
      rule(row);
  }
}

void Walk::number(const Row& row, int index) {
  if (!has(row.width)) return;
  const auto bit = bit_;
  const auto value = take(row.width);
  auto& field = add(row, bit, value);
  field.index = index;
  if (row.kind != RowKind::member) return;
  field.value_name = table_.members[row.members](value);
  if (field.value_name.empty()) refuse(field.name, value, Rule::member);
}

void Walk::reserved(const Row& row) {
  if (!has(row.width)) return;
  const auto bit = bit_;
  std::uint64_t found = 0;
  for (unsigned left = row.width; left > 0;) {
    const unsigned piece = std::min(left, 32U);
    const auto value = take(piece);
    if (value != 0) refuse(table_.name_of(row), value, Rule::zero);
    if (found == 0) found = value;
    left -= piece;
  }
  add(row, bit, found);
}

void Walk::part(const Row& row) {
  if (!has(row.width)) return;
  const auto bit = bit_;
  const auto value = take(row.width) << row.shift;
  const auto name = table_.name_of(row);
  const auto whole = value | value_of(name);
  add(row, bit, whole);
  for (auto& field : reading_.fields) {
    if (field.kind == RowKind::part && field.name == name) field.value = whole;
  }
}

void Walk::rule(const Row& row) {
  const auto name = table_.name_of(row);
  const auto value = value_of(name);
  if (row.kind == RowKind::least) {
    if (value < row.limit) refuse(name, value, Rule::least, row.limit);
    return;
  }
  const auto most = row.kind == RowKind::within ? value_of(table_.name_of(table_.rows[row.limit]))
                                                : std::uint64_t{row.limit};
  if (value > most) refuse(name, value, Rule::range, most);
}

std::uint64_t Walk::take(unsigned width) {
  const auto first = bit_ / 8;
  const auto skip = static_cast<unsigned>(bit_ % 8);
  bit_ += width;
  // As in Reader: a field of more than 57 bits starts at a byte.
  return (load(bytes_, first, (skip + width + 7) / 8) >> skip) & mask_of(width);
}

Field& Walk::add(const Row& row, std::size_t bit, std::uint64_t value) {
  Field field;
  field.name = table_.name_of(row);
  field.group = group_;
  field.group_index = group_index_;
  field.bit = bit;
  field.width = row.width;
  field.kind = row.kind;
  field.value = value;
  reading_.fields.push_back(field);
  return reading_.fields.back();
}

// The latest of that name; 0 when there is none yet.
std::uint64_t Walk::value_of(std::string_view name) const {
  const auto found = std::find_if(reading_.fields.rbegin(),
                                  reading_.fields.rend(),
                                  [&](const Field& field) { return field.name == name; });
  return found == reading_.fields.rend() ? 0 : found->value;
}

}  // namespace

Reading read_fields(const Table& table, Bytes bytes) {
  return Walk(table, bytes).run();
}

}  // namespace manactl::wire
