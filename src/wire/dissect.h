// SPDX-License-Identifier: MIT
//
// Every format by a name: which records some bytes hold, and their fields. For people who look at
// a dump; a driver or a device knows what it reads and uses codec.h.

#pragma once

#include <vector>

#include "wire/describe.h"

namespace manactl::wire {

// A piece of the input: a record, a list of 64-bit numbers, or bytes that have no layout.
struct Section {
  std::string_view title;
  std::size_t at = 0;  // from the start of the input
  Bytes bytes;
  std::vector<Field> fields;        // of a record
  std::vector<std::uint64_t> list;  // of a list
};

// One of what the kind names; a dump of a queue has many.
struct Dissection {
  std::size_t at = 0;  // from the start of the input
  std::size_t size = 0;
  bool is_empty = false;  // nothing but zeros, as a queue's memory starts
  std::vector<Section> sections;
  std::vector<Refusal> refusals;  // what breaks a rule; unknown members are among them
};

using Dissect = Checked<Dissection> (*)(Bytes rest);

// At most one of table, dissect and name_of is there. None: a doorbell, whose record depends on its
// offset.
struct Kind {
  std::string_view name;
  std::string_view summary;
  const Table* table = nullptr;  // one record
  Dissect dissect = nullptr;     // what is at the front of the bytes: more than one record
  NameOf name_of = nullptr;      // a number with names
};

std::span<const Kind> kinds();

const Kind* find_kind(std::string_view name);  // or nullptr

// The kind of a doorbell by its offset in the page, or nullptr where there is none.
const Kind* doorbell_kind(std::uint64_t offset);

// All of them, one after the other, from the first byte to the last. `kind` has a table or a
// dissect. Refuses what does not have the length of its kind.
Checked<std::vector<Dissection>> dissect(const Kind& kind, Bytes input);

}  // namespace manactl::wire
