// SPDX-License-Identifier: MIT
//
// Doorbells: the values that a driver writes to its doorbell page. Tails of work queues are in
// bytes; tails of completion and event queues are in entries, modulo 8 times the ring size.
// Sources: Linux include/net/mana/gdma.h, drivers/net/ethernet/microsoft/mana/gdma_main.c; DPDK
// drivers/net/mana/gdma.c (32-bit forms); rdma-core providers/mana/doorbells.h (rq_client).

#pragma once

#include "wire/codec.h"

namespace manactl::wire {

// The offset in the page selects the type of queue and the form of the value.
enum class DoorbellTarget : std::uint16_t {
  sq = 0x000,
  sq_short = 0x010,
  rq = 0x400,
  rq_client = 0x408,
  rq_short = 0x410,
  cq = 0x800,
  cq_short = 0x810,
  moderation = 0x820,
  eq_short = 0xff0,
  eq = 0xff8,
};

inline constexpr EnumWord<DoorbellTarget> kDoorbellTargets[] = {
    {DoorbellTarget::sq, "SQ"},
    {DoorbellTarget::sq_short, "SQ short"},
    {DoorbellTarget::rq, "RQ"},
    {DoorbellTarget::rq_client, "RQ client"},
    {DoorbellTarget::rq_short, "RQ short"},
    {DoorbellTarget::cq, "CQ"},
    {DoorbellTarget::cq_short, "CQ short"},
    {DoorbellTarget::moderation, "moderation"},
    {DoorbellTarget::eq_short, "EQ short"},
    {DoorbellTarget::eq, "EQ"},
};

constexpr std::span<const EnumWord<DoorbellTarget>> members(DoorbellTarget) {
  return kDoorbellTargets;
}

inline constexpr std::uint32_t kQueueIdMask = 0xffffff;  // of SQ, RQ and CQ doorbells

// `offset` is relative to the start of the page.
constexpr Checked<DoorbellTarget> doorbell_target(std::uint64_t offset) {
  const auto target = static_cast<DoorbellTarget>(offset & 0xffffU);
  if (offset > 0xffffU || name_of(target).empty()) {
    return tl::unexpected<Refusal>({"doorbell", "offset", offset, Rule::member, 0});
  }
  return target;
}

struct SqDoorbell {
  static constexpr std::string_view kName = "SQ doorbell";
  static constexpr std::size_t kSize = 8;

  std::uint32_t id = 0;
  std::uint32_t tail = 0;

  bool operator==(const SqDoorbell&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("id", self.id, 24);
    codec.zero("reserved bits 24-31", 8);
    codec.bits("tail", self.tail, 32);
  }
};

struct RqDoorbell {
  static constexpr std::string_view kName = "RQ doorbell";
  static constexpr std::size_t kSize = 8;

  std::uint32_t id = 0;
  std::uint8_t wqe_count = 0;  // 0 for Ethernet; older DPDK releases write 1
  std::uint32_t tail = 0;

  bool operator==(const RqDoorbell&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("id", self.id, 24);
    codec.bits("wqe_count", self.wqe_count, 8);
    codec.bits("tail", self.tail, 32);
  }
};

struct CqDoorbell {
  static constexpr std::string_view kName = "CQ doorbell";
  static constexpr std::size_t kSize = 8;

  std::uint32_t id = 0;
  std::uint32_t tail = 0;
  bool arm = false;  // requests one event

  bool operator==(const CqDoorbell&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("id", self.id, 24);
    codec.zero("reserved bits 24-31", 8);
    codec.bits("tail", self.tail, 31);
    codec.bits("arm", self.arm, 1);
  }
};

struct EqDoorbell {
  static constexpr std::string_view kName = "EQ doorbell";
  static constexpr std::size_t kSize = 8;

  std::uint16_t id = 0;
  std::uint32_t tail = 0;
  bool arm = false;  // requests one interrupt

  bool operator==(const EqDoorbell&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("id", self.id, 16);
    codec.zero("reserved bits 16-31", 16);
    codec.bits("tail", self.tail, 31);
    codec.bits("arm", self.arm, 1);
  }
};

// Sets the interrupt moderation of a CQ. The device ignores a value whose valid bit is 0.
struct ModerationDoorbell {
  static constexpr std::string_view kName = "moderation doorbell";
  static constexpr std::size_t kSize = 8;

  std::uint32_t id = 0;     // id of the CQ
  std::uint16_t usecs = 0;  // at most 1023
  bool usecs_valid = false;
  std::uint8_t completions = 0;
  bool completions_valid = false;

  bool operator==(const ModerationDoorbell&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("id", self.id, 24);
    codec.zero("reserved bits 24-31", 8);
    codec.bits("usecs", self.usecs, 10);
    codec.zero("reserved bits 42-46", 5);
    codec.bits("usecs_valid", self.usecs_valid, 1);
    codec.bits("completions", self.completions, 8);
    codec.zero("reserved bits 56-62", 7);
    codec.bits("completions_valid", self.completions_valid, 1);
  }
};

// The 32-bit form of the SQ and RQ doorbells; tail_increment is in bytes.
struct ShortWorkDoorbell {
  static constexpr std::string_view kName = "short SQ/RQ doorbell";
  static constexpr std::size_t kSize = 4;

  std::uint16_t tail_increment = 0;
  std::uint16_t id = 0;

  bool operator==(const ShortWorkDoorbell&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("tail_increment", self.tail_increment, 16);
    codec.bits("id", self.id, 12);
    codec.zero("reserved bits 28-31", 4);
  }
};

// The 32-bit form of the CQ and EQ doorbells; tail_increment is in entries.
struct ShortEventDoorbell {
  static constexpr std::string_view kName = "short CQ/EQ doorbell";
  static constexpr std::size_t kSize = 4;

  std::uint16_t tail_increment = 0;
  std::uint16_t id = 0;
  bool arm = false;

  bool operator==(const ShortEventDoorbell&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("tail_increment", self.tail_increment, 16);
    codec.bits("id", self.id, 12);
    codec.zero("reserved bits 28-30", 3);
    codec.bits("arm", self.arm, 1);
  }
};

}  // namespace manactl::wire
