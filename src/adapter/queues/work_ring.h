// SPDX-License-Identifier: MIT
//
// The device's side of a work queue: takes and checks the WQEs between the head and the tail that
// the last doorbell announced. A few comparisons recognize the usual WQEs; the codec decodes all
// others and describes their errors.

#pragma once

#include <bit>
#include <cstring>
#include <optional>

#include "adapter/check/checker.h"
#include "adapter/queues/memory_table.h"
#include "adapter/queues/queue_setup.h"
#include "wire/work_queue.h"

namespace manactl::adapter {

inline std::uint64_t load_qword(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

template <class T>
constexpr std::uint64_t qword_of(const T& record) {
  return wire::load(*wire::encode(record), 0, 8);
}

// One decoded WQE. `oob` points into the ring.
struct TakenWqe {
  const std::uint8_t* oob = nullptr;
  std::uint32_t offset = 0;  // of the WQE in the ring, in bytes
  std::uint32_t oob_bytes = 0;
  std::uint32_t sges = 0;
  std::uint32_t sge_offset = 0;        // of the first SGE, from the start of the WQE
  std::uint16_t client_data_unit = 0;  // TSO: the MSS
  std::uint8_t last_vbytes = 0;        // TSO: header bytes in the first SGE
};

struct WorkLimits {
  const char* name = "";  // "SQ" or "RQ"
  std::uint32_t max_sges = 0, max_bytes = 0;
  bool long_oob = false;
};

inline constexpr WorkLimits kSendLimits{"SQ", wire::kMaxSqSges, wire::kMaxSqWqe, true};
inline constexpr WorkLimits kReceiveLimits{"RQ", wire::kMaxRqSges, wire::kMaxRqWqe, false};

class WorkRing {
 public:
  WorkRing(std::uint8_t* bytes, std::uint32_t size, std::uint32_t id, const WorkLimits& limits)
      : bytes_(bytes), size_(size), id_(id), limits_(&limits) {}

  std::uint32_t id() const { return id_; }

  // Bytes that were announced and not yet taken.
  std::uint32_t posted() const { return broken_ ? 0 : tail_ - head_; }

  // The WQEs that were taken, in bytes since the creation of the ring, modulo 2^32.
  std::uint32_t taken() const { return head_; }

  std::uint32_t tail() const { return tail_; }

  Extent extent() const { return Extent::of(bytes_, size_); }

  // Sets the tail to that of a doorbell. An invalid tail is a violation and changes nothing.
  void announce(std::uint32_t tail, Checker& checker) {
    if (tail % wire::kBasicUnit == 0 && tail - head_ <= size_) {
      tail_ = tail;
    } else {
      report_tail(tail, checker);
    }
  }

  // Returns the next WQE if it has the usual form: one basic unit with a short OOB and one SGE.
  // Otherwise returns null, and the caller uses take().
  const std::uint8_t* single() const {
    const auto* at = bytes_ + (head_ & (size_ - 1));
    return posted() != 0 && load_qword(at) == kSingle ? at : nullptr;
  }

  void take_single() { head_ += wire::kBasicUnit; }

  // The offset of the next WQE in the ring, in bytes.
  std::uint32_t offset() const { return head_ & (size_ - 1); }

  // Takes the next WQE. No value if none is posted or it is malformed. The end of a malformed WQE
  // is unknown, so the queue stops.
  std::optional<TakenWqe> take(Checker& checker) {
    if (posted() == 0) return std::nullopt;
    const auto offset = head_ & (size_ - 1);
    const auto header = load_qword(bytes_ + offset);
    TakenWqe wqe;
    wqe.offset = offset;
    wqe.sges = static_cast<std::uint32_t>(header >> 32U) & 0xffU;
    const auto rest = header & ~(std::uint64_t{0xff} << 32U);
    if (rest == kPlain) {
      wqe.oob_bytes = wire::kSmallOob;
    } else if (rest == kPlainLong && limits_->long_oob) {
      wqe.oob_bytes = wire::kLargeOob;
    } else if (!decode_header(wqe, checker)) {
      return std::nullopt;
    }
    wqe.sge_offset = static_cast<std::uint32_t>(wire::WqeHeader::kSize) + wqe.oob_bytes;
    wqe.oob = bytes_ + offset + wire::WqeHeader::kSize;
    const auto size =
        (wqe.sge_offset + wqe.sges * 16 + wire::kBasicUnit - 1) & ~(wire::kBasicUnit - 1);
    if (wqe.sges == 0 || wqe.sges > limits_->max_sges || size > limits_->max_bytes ||
        size > tail_ - head_) {
      report_size(wqe, size, checker);
      return std::nullopt;
    }
    head_ += size;
    return wqe;
  }

  // SGE `index` of a WQE. The list may wrap around the end of the ring; an SGE does not.
  wire::Sge sge(const TakenWqe& wqe, std::uint32_t index) const {
    return sge_at(bytes_ + ((wqe.offset + wqe.sge_offset + index * 16) & (size_ - 1)));
  }

  static wire::Sge sge_at(const std::uint8_t* at) {
    const auto second = load_qword(at + 8);
    return {load_qword(at),
            static_cast<std::uint32_t>(second),
            static_cast<std::uint32_t>(second >> 32U)};
  }

  static bool is_valid(const wire::Sge& sge, const MemoryTable& memory) {
    return sge.size != 0 && memory.check(sge.mem_key, sge.address, sge.size) == Access::allowed;
  }

  // Whether the SGE is valid; notes a violation if it is not.
  bool check(const wire::Sge& sge, const MemoryTable& memory, Checker& checker) const {
    if (is_valid(sge, memory)) return true;
    report_sge(sge, memory, checker);
    return false;
  }

  void prefetch(std::uint32_t ahead) const {
    __builtin_prefetch(bytes_ + ((head_ + ahead) & (size_ - 1)));
  }

 private:
  static constexpr std::uint64_t kSingle = qword_of(wire::WqeHeader{.num_sge = 1});
  static constexpr std::uint64_t kPlain = qword_of(wire::WqeHeader{});
  static constexpr std::uint64_t kPlainLong =
      qword_of(wire::WqeHeader{.inline_oob = wire::OobSize::large});

  bool decode_header(TakenWqe& wqe, Checker& checker);
  void report_tail(std::uint32_t tail, Checker& checker) const;
  void report_size(const TakenWqe& wqe, std::uint32_t size, Checker& checker);
  void report_sge(const wire::Sge& sge, const MemoryTable& memory, Checker& checker) const;

  std::uint8_t* bytes_;
  std::uint32_t size_, id_;
  const WorkLimits* limits_;
  std::uint32_t head_ = 0, tail_ = 0;  // bytes since creation, modulo 2^32
  bool broken_ = false;
};

}  // namespace manactl::adapter
