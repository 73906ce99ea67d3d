// SPDX-License-Identifier: MIT
//
// The driver's side of the contract: what it must not do, how often it did, and in words the first
// times. Nothing is forgiven silently and nothing stops the adapter.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapter/ledger.h"

namespace manactl::adapter {

enum class Violation : std::uint8_t {
  doorbell_offset,
  doorbell_id,
  doorbell_reserved,
  doorbell_tail,
  wqe_header,
  wqe_oob_size,
  wqe_flags,
  wqe_sges,
  wqe_size,
  wqe_past_doorbell,
  sge_empty,
  sge_key,
  sge_range,
  oob_format,
  oob_cq,
  oob_frame,
  oob_vport,
  frame_short,
  frame_long,
  cq_not_zero,
  destroy_order,
  leak,
};

struct Rule {
  Violation violation;
  std::string_view id;       // "sge.key"
  std::string_view meaning;  // one sentence: what the contract asks for
};

// In the order of the enumeration.
std::span<const Rule> rules();
const Rule& rule_of(Violation violation);

class Checker {
 public:
  explicit Checker(Ledger& ledger) : ledger_(ledger) {}

  // Any thread. `text` makes the words, and is called only while there is room for them: twice for
  // a rule, so that one that is broken for every packet leaves room for the others.
  template <class Text>
  void note(Violation violation, Text text) {
    if (count(violation)) write(violation, text());
  }

  std::uint64_t of(Violation violation) const {
    return ledger_.violations[static_cast<std::size_t>(violation)].load(std::memory_order_relaxed);
  }

  std::uint64_t total() const;

  std::vector<std::string> reports() const;

 private:
  bool count(Violation violation);
  void write(Violation violation, std::string_view text);

  Ledger& ledger_;
};

}  // namespace manactl::adapter
