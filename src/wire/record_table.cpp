// SPDX-License-Identifier: MIT

#include "wire/record_table.h"

#include <algorithm>

namespace manactl::wire {
namespace {

class TableReader {
 public:
  TableReader(const RecordTable& table, Bytes bytes) : table_(table), bytes_(bytes) {}

  RecordFields run() {
    rows(0, table_.rows.size());
    result_.bits = bit_;
    return std::move(result_);
  }

 private:
  void rows(std::size_t from, std::size_t to);
  void row(const TableRow& row);
  void rule(const TableRow& row);
  std::size_t group(std::size_t at);

  // Whether the next `width` bits are present. Stays false after the first field that is cut off.
  bool has(unsigned width) {
    is_cut_ = is_cut_ || bit_ + width > bytes_.size() * 8;
    return !is_cut_;
  }

  void number(const TableRow& row, int index);
  void reserved(const TableRow& row);
  void part(const TableRow& row);

  std::uint64_t take(unsigned width);
  Field& add(const TableRow& row, std::size_t bit, std::uint64_t value);
  std::uint64_t value_of(std::string_view name) const;

  void refuse(std::string_view field, std::uint64_t value, Rule rule, std::uint64_t limit = 0) {
    result_.refusals.push_back({table_.name, field, value, rule, limit});
  }

  const RecordTable& table_;
  Bytes bytes_;
  std::size_t bit_ = 0;
  bool is_cut_ = false;
  std::string_view group_;
  int group_index_ = -1;
  RecordFields result_;
};

void TableReader::rows(std::size_t from, std::size_t to) {
  for (std::size_t at = from; at < to; ++at) {
    if (table_.rows[at].kind == RowKind::group) {
      at = group(at);
    } else {
      row(table_.rows[at]);
    }
  }
}

// Reads the group that starts at row `at` and returns the row at which it ends. No group contains
// another one.
std::size_t TableReader::group(std::size_t at) {
  const TableRow& first = table_.rows[at];
  std::size_t end = at + 1;
  while (table_.rows[end].kind != RowKind::end) ++end;
  for (int i = 0; i < first.count; ++i) {
    group_ = table_.name_of(first);
    group_index_ = first.is_array ? i : -1;
    rows(at + 1, end);
  }
  group_ = {};
  group_index_ = -1;
  return end;
}

void TableReader::row(const TableRow& row) {
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

void TableReader::number(const TableRow& row, int index) {
  if (!has(row.width)) return;
  const auto bit = bit_;
  const auto value = take(row.width);
  auto& field = add(row, bit, value);
  field.index = index;
  if (row.kind != RowKind::member) return;
  field.value_name = table_.members[row.members](value);
  if (field.value_name.empty()) refuse(field.name, value, Rule::member);
}

void TableReader::reserved(const TableRow& row) {
  if (!has(row.width)) return;
  const auto bit = bit_;
  std::uint64_t found = 0;
  for (unsigned left = row.width; left > 0;) {
    const unsigned chunk = std::min(left, 32U);
    const auto value = take(chunk);
    if (value != 0) refuse(table_.name_of(row), value, Rule::zero);
    if (found == 0) found = value;
    left -= chunk;
  }
  add(row, bit, found);
}

void TableReader::part(const TableRow& row) {
  if (!has(row.width)) return;
  const auto bit = bit_;
  const auto value = take(row.width) << row.shift;
  const auto name = table_.name_of(row);
  const auto whole = value | value_of(name);
  add(row, bit, whole);
  for (auto& field : result_.fields) {
    if (field.kind == RowKind::part && field.name == name) field.value = whole;
  }
}

void TableReader::rule(const TableRow& row) {
  const auto name = table_.name_of(row);
  const auto value = value_of(name);
  if (row.kind == RowKind::min) {
    if (value < row.limit) refuse(name, value, Rule::min, row.limit);
    return;
  }
  const auto max = row.kind == RowKind::max_field ? value_of(table_.name_of(table_.rows[row.limit]))
                                                  : std::uint64_t{row.limit};
  if (value > max) refuse(name, value, Rule::max, max);
}

std::uint64_t TableReader::take(unsigned width) {
  const auto first = bit_ / 8;
  const auto skip = static_cast<unsigned>(bit_ % 8);
  bit_ += width;
  // load() returns 64 bits, so a field of more than 57 bits must start at a byte boundary.
  return (load(bytes_, first, (skip + width + 7) / 8) >> skip) & mask_of(width);
}

Field& TableReader::add(const TableRow& row, std::size_t bit, std::uint64_t value) {
  Field field;
  field.name = table_.name_of(row);
  field.group = group_;
  field.group_index = group_index_;
  field.bit = bit;
  field.width = row.width;
  field.kind = row.kind;
  field.value = value;
  result_.fields.push_back(field);
  return result_.fields.back();
}

// The value of the last field with this name; 0 if there is none yet.
std::uint64_t TableReader::value_of(std::string_view name) const {
  const auto found = std::find_if(result_.fields.rbegin(),
                                  result_.fields.rend(),
                                  [&](const Field& field) { return field.name == name; });
  return found == result_.fields.rend() ? 0 : found->value;
}

}  // namespace

RecordFields read_fields(const RecordTable& table, Bytes bytes) {
  return TableReader(table, bytes).run();
}

}  // namespace manactl::wire
