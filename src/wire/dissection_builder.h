// SPDX-License-Identifier: MIT
//
// Internal to dissect*.cpp: assembles a Dissection from consecutive sections, and declares the
// functions of dissect_queues.cpp and dissect_messages.cpp. DissectionBuilder is implemented in
// dissect.cpp.

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

// Adds sections in order. The caller checks that `bytes` is long enough for them.
class DissectionBuilder {
 public:
  explicit DissectionBuilder(Bytes bytes) : bytes_(bytes) {}

  void record(const RecordTable& table) { record(table, table.size); }

  // Adds a record of which only `size` bytes are present.
  const Section& record(const RecordTable& table, std::size_t size);

  // Adds bytes without a layout, unless `size` is 0.
  void data(std::string_view title, std::size_t size);

  // Adds a list of `count` 64-bit numbers at offset `at`.
  void list(std::string_view title, std::size_t at, std::size_t count);

  void skip(std::size_t size) { at_ += size; }

  std::size_t at() const { return at_; }

  Dissection finish(std::size_t size);

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
  Dissection out_;
};

// The dissection of an unused entry, which contains only zeros.
Dissection empty_dissection(std::size_t size);

// These functions dissect the entry or message at the start of `rest`.

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
