// SPDX-License-Identifier: MIT

#include "adapter/queues/work_ring.h"

#include <fmt/format.h>

namespace manactl::adapter {

// Handles headers that take() does not recognize: invalid ones, and requests for segmentation.
bool WorkRing::decode_header(TakenWqe& wqe, Checker& checker) {
  const auto where = [&](std::string_view what) {
    return fmt::format("{} {:#x} at byte {:#x}: {}", limits_->name, id_, wqe.offset, what);
  };
  const wire::Bytes bytes(bytes_ + wqe.offset, wire::WqeHeader::kSize);
  const auto header = wire::decode<wire::WqeHeader>(bytes);
  if (!header) {
    broken_ = true;
    const bool sges = header.error().field == "num_sge";
    checker.note(sges ? Violation::wqe_sges : Violation::wqe_header,
                 [&] { return where(wire::describe(header.error())); });
    return false;
  }
  const bool valid_oob = header->inline_oob == wire::OobSize::small ||
                         (header->inline_oob == wire::OobSize::large && limits_->long_oob);
  if (!valid_oob) {
    broken_ = true;
    checker.note(Violation::wqe_oob_size,
                 [&] { return where(fmt::format("OOB of {} bytes", header->oob_bytes())); });
    return false;
  }
  const bool segmented = limits_->long_oob && header->client_data_unit != 0;
  const bool list_oob = header->client_oob_in_sgl || header->last_vbytes != 0;
  if (header->consume_credit || header->fence || header->check_sn || header->sgl_direct ||
      (header->client_data_unit != 0 && !segmented) || (list_oob && !segmented)) {
    checker.note(Violation::wqe_flags, [&] {
      return where("consume_credit, fence, check_sn, sgl_direct or segmentation bits are set");
    });
  }
  wqe.oob_bytes = header->oob_bytes();
  if (segmented) {
    wqe.client_data_unit = header->client_data_unit;
    wqe.last_vbytes = header->last_vbytes;
  }
  return true;
}

void WorkRing::report_tail(std::uint32_t tail, Checker& checker) const {
  checker.note(Violation::doorbell_tail, [&] {
    return fmt::format("{} {:#x}: tail {:#x}, head {:#x}, ring of {} bytes",
                       limits_->name,
                       id_,
                       tail,
                       head_,
                       size_);
  });
}

void WorkRing::report_size(const TakenWqe& wqe, std::uint32_t size, Checker& checker) {
  broken_ = true;
  auto violation = Violation::wqe_past_doorbell;
  if (wqe.sges == 0 || wqe.sges > limits_->max_sges) {
    violation = Violation::wqe_sges;
  } else if (size > limits_->max_bytes) {
    violation = Violation::wqe_size;
  }
  checker.note(violation, [&] {
    return fmt::format(
        "{} {:#x} at byte {:#x}: WQE with {} SGEs and {} bytes; the doorbell covers {} bytes",
        limits_->name,
        id_,
        wqe.offset,
        wqe.sges,
        size,
        tail_ - head_);
  });
}

void WorkRing::report_sge(const wire::Sge& sge, const MemoryTable& memory, Checker& checker) const {
  auto violation = Violation::sge_range;
  if (sge.size == 0) {
    violation = Violation::sge_empty;
  } else if (memory.check(sge.mem_key, sge.address, sge.size) == Access::bad_key) {
    violation = Violation::sge_key;
  }
  checker.note(violation, [&] {
    return fmt::format("{} {:#x}: address {:#x}, {} bytes, key {:#x}",
                       limits_->name,
                       id_,
                       sge.address,
                       sge.size,
                       sge.mem_key);
  });
}

}  // namespace manactl::adapter
