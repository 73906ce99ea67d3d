// SPDX-License-Identifier: MIT
//
// Checks whether the driver follows the rules of the device: counts the violations of each rule and
// describes the first two. A violation never stops the adapter.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapter/check/counters.h"

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
  sq_stuck,
  cq_not_zero,
  destroy_order,
  leak,
};

struct Rule {
  Violation violation;
  std::string_view id;       // for example "sge.key"
  std::string_view meaning;  // the requirement, in one clause
};

// All rules, in the order of the enumerators of Violation.
std::span<const Rule> rules();
const Rule& rule_of(Violation violation);

class Checker {
 public:
  explicit Checker(AdapterCounters& counters) : counters_(counters) {}

  // Thread-safe. Counts a violation. For the first two violations of a rule, calls `text` and adds
  // the report that it returns; later ones get no report, so that other rules have room for theirs.
  template <class Text>
  void note(Violation violation, Text text) {
    if (count(violation)) add_report(violation, text());
  }

  std::uint64_t count_of(Violation violation) const {
    return counters_.violations[static_cast<std::size_t>(violation)].load(
        std::memory_order_relaxed);
  }

  std::uint64_t total() const;

  std::vector<std::string> reports() const;

 private:
  bool count(Violation violation);  // true if the violation gets a report
  void add_report(Violation violation, std::string_view text);

  AdapterCounters& counters_;
};

}  // namespace manactl::adapter
