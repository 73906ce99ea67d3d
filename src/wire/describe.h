// SPDX-License-Identifier: MIT
//
// The fields of a record as a list, for printing and for tests that visit every one of them.

#pragma once

#include <vector>

#include "wire/codec.h"

namespace manactl::wire {

enum class FieldKind : std::uint8_t { number, part, member, reserved };

struct Field {
  std::string_view name;
  std::size_t bit = 0;  // from bit 0 of byte 0
  unsigned width = 0;   // bits
  FieldKind kind = FieldKind::number;
  std::uint64_t value = 0;      // of a part: the whole field
  std::string_view value_name;  // of a member
};

class Describer {
 public:
  template <class F>
  void bits(std::string_view name, const F& field, unsigned width) {
    add(name, width, FieldKind::number, static_cast<std::uint64_t>(field));
  }

  template <class F>
  void part(std::string_view name, const F& field, unsigned, unsigned width) {
    add(name, width, FieldKind::part, static_cast<std::uint64_t>(field));
  }

  template <class E>
  void member(std::string_view name, const E& field, unsigned width) {
    add(name, width, FieldKind::member, static_cast<std::uint64_t>(field), name_of(field));
  }

  void zero(std::string_view name, unsigned width) { add(name, width, FieldKind::reserved, 0); }

  template <class F, std::size_t N>
  void array(std::string_view name, const std::array<F, N>& fields, unsigned width) {
    for (const auto& field : fields) bits(name, field, width);
  }

  template <class R>
  void record(const R& record) {
    R::layout(record, *this);
  }

  template <class F>
  void limit(std::string_view, const F&, std::uint64_t) {}

  const std::vector<Field>& fields() const { return fields_; }

 private:
  void add(std::string_view name,
           unsigned width,
           FieldKind kind,
           std::uint64_t value,
           std::string_view value_name = {}) {
    const auto bit = fields_.empty() ? 0 : fields_.back().bit + fields_.back().width;
    fields_.push_back({name, bit, width, kind, value, value_name});
  }

  std::vector<Field> fields_;
};

template <class T>
std::vector<Field> fields_of(const T& value) {
  Describer describer;
  T::layout(value, describer);
  return describer.fields();
}

}  // namespace manactl::wire
