// SPDX-License-Identifier: MIT
//
// Converts hardware records (WQEs, CQEs, messages, ...) to structs and back. Each struct lists its
// fields once in a template function layout(self, visitor), in order from bit 0 of byte 0. Reader
// decodes and Writer encodes with this list; LayoutCollector (record_table.h) turns it into a
// table. The byte order is little-endian. Records that violate a rule are rejected.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>

#include "base/enum_words.h"
#include "base/result.h"

namespace manactl::wire {

using Bytes = std::span<const std::uint8_t>;

// The type has 64 bits, so that Refusal has no padding, which GCC 12 reports as uninitialized.
enum class Rule : std::uint64_t {
  length,  // wrong number of bytes: `value` is the actual number, `limit` the required one
  zero,    // a reserved field is not 0
  max,     // above `limit`
  min,     // below `limit`
  member,  // not a value of the enumeration
};

// Why a record was rejected. It is a literal type, so that codecs can be constant expressions.
struct Refusal {
  std::string_view record;
  std::string_view field;
  std::uint64_t value = 0;
  Rule rule = Rule::length;
  std::uint64_t limit = 0;

  bool operator==(const Refusal&) const = default;
};

std::string describe(const Refusal& refusal);  // one line with the field and its value
Error error_of(const Refusal& refusal);        // Errc::invalid

template <class T>
class [[nodiscard]] Checked : public tl::expected<T, Refusal> {
 public:
  using tl::expected<T, Refusal>::expected;
};

// The word for an enumerator; empty for other numbers. Every enumeration in a record has an
// overload members(E), found by argument-dependent lookup, which returns the table of its words.
template <class E>
constexpr std::string_view name_of(E value) {
  return word_of(members(value), value);
}

// A mask of the low `width` bits; 1 <= width <= 64.
constexpr std::uint64_t mask_of(unsigned width) {
  return ~std::uint64_t{0} >> (64U - width);
}

constexpr std::uint64_t load(Bytes bytes, std::size_t at, unsigned size) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{bytes[at + i]} << (8U * i);
  return value;
}

constexpr void store(std::span<std::uint8_t> bytes,
                     std::size_t at,
                     unsigned size,
                     std::uint64_t value) {
  for (unsigned i = 0; i < size; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>((value >> (8U * i)) & 0xffU);
  }
}

// Common part of Reader and Writer: the current bit and the first violated rule.
class Visitor {
 public:
  constexpr explicit Visitor(std::string_view record) { refusal_.record = record; }

  // at_most(), at_least() and at_most_field() check fields that the layout has already listed.
  template <class F>
  constexpr void at_most(std::string_view name, const F& field, std::uint64_t max) {
    const auto value = static_cast<std::uint64_t>(field);
    if (value > max) refuse(name, value, Rule::max, max);
  }

  template <class F>
  constexpr void at_least(std::string_view name, const F& field, std::uint64_t min) {
    const auto value = static_cast<std::uint64_t>(field);
    if (value < min) refuse(name, value, Rule::min, min);
  }

  // The maximum is the value of another field, whose name is the third argument.
  template <class F, class G>
  constexpr void at_most_field(std::string_view name,
                               const F& field,
                               std::string_view,
                               const G& other) {
    at_most(name, field, static_cast<std::uint64_t>(other));
  }

  constexpr void refuse(std::string_view name,
                        std::uint64_t value,
                        Rule rule,
                        std::uint64_t limit = 0) {
    if (refused_) return;
    refused_ = true;
    refusal_ = {refusal_.record, name, value, rule, limit};
  }

  constexpr bool refused() const { return refused_; }

  constexpr const Refusal& refusal() const { return refusal_; }

 protected:
  std::size_t bit_ = 0;

 private:
  Refusal refusal_;
  bool refused_ = false;
};

class Reader : public Visitor {
 public:
  constexpr Reader(std::string_view record, Bytes bytes) : Visitor(record), bytes_(bytes) {}

  template <class F>
  constexpr void bits(std::string_view, F& field, unsigned width) {
    field = static_cast<F>(take(width));
  }

  // Reads one part of a split field; `shift` is its lowest bit in the whole value.
  template <class F>
  constexpr void part(std::string_view, F& field, unsigned shift, unsigned width) {
    field = static_cast<F>(field | static_cast<F>(take(width) << shift));
  }

  template <class E>
  constexpr void member(std::string_view name, E& field, unsigned width) {
    const auto value = take(width);
    field = static_cast<E>(value);
    if (name_of(field).empty()) refuse(name, value, Rule::member);
  }

  constexpr void zero(std::string_view name, unsigned width) {
    while (width > 0) {
      const unsigned chunk = width < 32 ? width : 32;
      const auto value = take(chunk);
      if (value != 0) refuse(name, value, Rule::zero);
      width -= chunk;
    }
  }

  template <class F, std::size_t N>
  constexpr void array(std::string_view name, std::array<F, N>& fields, unsigned width) {
    for (auto& field : fields) bits(name, field, width);
  }

  // Reads a nested record. Only LayoutCollector uses the name.
  template <class R>
  constexpr void record(std::string_view, R& record) {
    R::layout(record, *this);
  }

  template <class R>
  constexpr void record(R& inner) {
    record({}, inner);
  }

  template <class R, std::size_t N>
  constexpr void records(std::string_view name, std::array<R, N>& inner) {
    for (auto& each : inner) record(name, each);
  }

 private:
  constexpr std::uint64_t take(unsigned width) {
    const auto first = bit_ / 8;
    const auto skip = static_cast<unsigned>(bit_ % 8);
    bit_ += width;
    return (load(bytes_, first, (skip + width + 7) / 8) >> skip) & mask_of(width);
  }

  Bytes bytes_;
};

class Writer : public Visitor {
 public:
  constexpr Writer(std::string_view record, std::span<std::uint8_t> bytes)
      : Visitor(record), bytes_(bytes) {}

  template <class F>
  constexpr void bits(std::string_view name, const F& field, unsigned width) {
    const auto value = static_cast<std::uint64_t>(field);
    if (value > mask_of(width)) refuse(name, value, Rule::max, mask_of(width));
    put(value, width);
  }

  template <class F>
  constexpr void part(std::string_view, const F& field, unsigned shift, unsigned width) {
    put(static_cast<std::uint64_t>(field) >> shift, width);
  }

  template <class E>
  constexpr void member(std::string_view name, const E& field, unsigned width) {
    const auto value = static_cast<std::uint64_t>(field);
    if (name_of(field).empty()) refuse(name, value, Rule::member);
    bits(name, value, width);
  }

  constexpr void zero(std::string_view, unsigned width) { bit_ += width; }

  template <class F, std::size_t N>
  constexpr void array(std::string_view name, const std::array<F, N>& fields, unsigned width) {
    for (const auto& field : fields) bits(name, field, width);
  }

  template <class R>
  constexpr void record(std::string_view, const R& record) {
    R::layout(record, *this);
  }

  template <class R>
  constexpr void record(const R& inner) {
    record({}, inner);
  }

  template <class R, std::size_t N>
  constexpr void records(std::string_view name, const std::array<R, N>& inner) {
    for (const auto& each : inner) record(name, each);
  }

 private:
  constexpr void put(std::uint64_t value, unsigned width) {
    const auto first = bit_ / 8;
    const auto skip = static_cast<unsigned>(bit_ % 8);
    const auto size = (skip + width + 7) / 8;
    store(bytes_, first, size, load(bytes_, first, size) | ((value & mask_of(width)) << skip));
    bit_ += width;
  }

  std::span<std::uint8_t> bytes_;  // zeroed by the caller, so that put() can OR bits into it
};

// Decodes the record at the start of `bytes`, which may be longer.
template <class T>
constexpr Checked<T> decode_front(Bytes bytes) {
  if (bytes.size() < T::kSize) {
    return tl::unexpected<Refusal>({T::kName, "length", bytes.size(), Rule::length, T::kSize});
  }
  T value{};
  Reader reader(T::kName, bytes);
  T::layout(value, reader);
  if (reader.refused()) return tl::unexpected<Refusal>(reader.refusal());
  return value;
}

// Decodes `bytes`, which must have exactly the size of the record.
template <class T>
constexpr Checked<T> decode(Bytes bytes) {
  if (bytes.size() != T::kSize) {
    return tl::unexpected<Refusal>({T::kName, "length", bytes.size(), Rule::length, T::kSize});
  }
  return decode_front<T>(bytes);
}

template <class T>
constexpr Checked<std::array<std::uint8_t, T::kSize>> encode(const T& value) {
  std::array<std::uint8_t, T::kSize> bytes{};
  Writer writer(T::kName, bytes);
  T::layout(value, writer);
  if (writer.refused()) return tl::unexpected<Refusal>(writer.refusal());
  return bytes;
}

}  // namespace manactl::wire
