// SPDX-License-Identifier: MIT
//
// For dissect.cpp and its parts only: records one behind the other, and what can be dissected.

#pragma once

#include <algorithm>

#include "wire/dissect.h"

namespace manactl::wire {

constexpr tl::unexpected<Refusal> wrong_length(std::string_view record,
                                               std::size_t has,
                                               std::size_t needed) {
  return tl::unexpected<Refusal>({record, "length", has, Rule::length, needed});
}

inline bool is_zero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

// Puts sections one behind the other; the caller has seen to it that the bytes are there.
class Pieces {
 public:
  explicit Pieces(Bytes bytes) : bytes_(bytes) {}

  void record(const Table& table) { record(table, table.size); }

  // Of a record of which `size` bytes are there.
  const Section& record(const Table& table, std::size_t size);

  // Bytes without a layout; no section when there are none.
  void data(std::string_view title, std::size_t size);

  // `count` numbers from `at` on.
  void list(std::string_view title, std::size_t at, std::size_t count);

  void skip(std::size_t size) { at_ += size; }

  std::size_t at() const { return at_; }

  Dissection finish(std::size_t size);

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
  Dissection out_;
};

// Nothing but zeros.
Dissection nothing(std::size_t size);

Checked<Dissection> dissect_cqe(Bytes rest);
Checked<Dissection> dissect_channel_cqe(Bytes rest);
Checked<Dissection> dissect_eqe(Bytes rest);
Checked<Dissection> dissect_sq_wqe(Bytes rest);
Checked<Dissection> dissect_rq_wqe(Bytes rest);
Checked<Dissection> dissect_channel_wqe(Bytes rest);
Checked<Dissection> dissect_tx_oob(Bytes rest);
Checked<Dissection> dissect_vf_registers(Bytes rest);
Checked<Dissection> dissect_pf_registers(Bytes rest);
Checked<Dissection> dissect_request(Bytes rest);
Checked<Dissection> dissect_response(Bytes rest);

}  // namespace manactl::wire
