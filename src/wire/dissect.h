// SPDX-License-Identifier: MIT
//
// Decodes dumps of hardware memory for display: selects a format by its name and returns the
// records that the bytes contain, with their fields. Drivers and device models use codec.h instead.

#pragma once

#include <vector>

#include "wire/record_table.h"

namespace manactl::wire {

// A part of the input: a record, a list of 64-bit numbers, or bytes without a layout.
struct Section {
  std::string_view title;
  std::size_t at = 0;  // offset in the input
  Bytes bytes;
  std::vector<Field> fields;        // set if the section is a record
  std::vector<std::uint64_t> list;  // set if the section is a list
};

// One decoded object, such as a CQE. The dump of a queue contains many.
struct Dissection {
  std::size_t at = 0;  // offset in the input
  std::size_t size = 0;
  bool is_empty = false;  // only zeros, like unused queue memory
  std::vector<Section> sections;
  std::vector<Refusal> refusals;  // violated rules, including unknown values of enumerations
};

using DissectFunction = Checked<Dissection> (*)(Bytes rest);

// A format that `manactl decode` supports. One of the pointers is set, except for "doorbell", whose
// record depends on the offset.
struct Kind {
  std::string_view name;
  std::string_view summary;
  const RecordTable* table = nullptr;  // set if each object is one record
  DissectFunction dissect = nullptr;   // set if each object contains several records
  NameFunction name_of = nullptr;      // set if the input is a code, such as that of a request
};

std::span<const Kind> kinds();

const Kind* find_kind(std::string_view name);  // or nullptr

// The kind of the doorbell at this offset in the doorbell page; null if there is none.
const Kind* doorbell_kind(std::uint64_t offset);

// Dissects all consecutive objects in `input`. `kind` must have `table` or `dissect`. Fails if the
// length of `input` does not fit the kind.
Checked<std::vector<Dissection>> dissect(const Kind& kind, Bytes input);

}  // namespace manactl::wire
