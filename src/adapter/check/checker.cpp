// SPDX-License-Identifier: MIT

#include "adapter/check/checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace manactl::adapter {
namespace {

constexpr std::uint64_t kReportsPerRule = 2;

constexpr Rule kRules[] = {
    {Violation::doorbell_offset,
     "doorbell.offset",
     "a doorbell is stored at the offset of an SQ, RQ or CQ doorbell"},
    {Violation::doorbell_id,
     "doorbell.id",
     "a doorbell carries the ID of an existing queue of its type on the page's port"},
    {Violation::doorbell_reserved, "doorbell.reserved", "reserved bits of a doorbell are zero"},
    {Violation::doorbell_tail,
     "doorbell.tail",
     "a tail is a multiple of 32 bytes and at most one ring size ahead of the head"},
    {Violation::wqe_header, "wqe.header", "reserved bits of a WQE header are zero"},
    {Violation::wqe_oob_size,
     "wqe.oob-size",
     "a send WQE has an OOB of 8 or 24 bytes, a receive WQE an OOB of 8 bytes"},
    {Violation::wqe_flags,
     "wqe.flags",
     "an Ethernet WQE does not set consume_credit, fence, check_sn or sgl_direct"},
    {Violation::wqe_sges, "wqe.sges", "a send WQE has 1 to 30 SGEs, a receive WQE 1 to 15"},
    {Violation::wqe_size, "wqe.size", "a send WQE has at most 512 bytes, a receive WQE 256"},
    {Violation::wqe_past_doorbell, "wqe.past-doorbell", "a doorbell announces whole WQEs"},
    {Violation::sge_empty, "sge.empty", "an SGE is not empty"},
    {Violation::sge_key, "sge.key", "the key of an SGE belongs to a registered memory region"},
    {Violation::sge_range, "sge.range", "an SGE lies inside its memory region"},
    {Violation::oob_format, "oob.format", "the packet format matches the size of the OOB"},
    {Violation::oob_cq, "oob.cq", "a send OOB carries the ID of the CQ of its queue"},
    {Violation::oob_frame, "oob.frame", "a send OOB carries bits 10 to 23 of the SQ ID"},
    {Violation::oob_vport, "oob.vport", "a send OOB carries the vPort offset of its port"},
    {Violation::frame_short, "frame.short", "a frame has an Ethernet header"},
    {Violation::frame_long, "frame.long", "a frame is not longer than the MTU allows"},
    {Violation::sq_stuck,
     "sq.stuck",
     "an SQ is not full of WQEs that all suppress their completions: it could never continue"},
    {Violation::cq_not_zero,
     "cq.not-zero",
     "the memory of a new CQ is zero, because the owner bits depend on it"},
    {Violation::destroy_order,
     "destroy.order",
     "an object is destroyed after the objects that use it"},
    {Violation::leak, "leak", "all objects of a context are destroyed before it is closed"},
};

static_assert(std::size(kRules) <= kMaxViolations);

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

const Rule& rule_of(Violation violation) {
  return kRules[static_cast<std::size_t>(violation)];
}

bool Checker::count(Violation violation) {
  auto& seen = counters_.violations[static_cast<std::size_t>(violation)];
  return seen.fetch_add(1, std::memory_order_relaxed) < kReportsPerRule;
}

void Checker::add_report(Violation violation, std::string_view text) {
  const auto index = counters_.reports.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMaxReports) return;
  auto& report = counters_.report[index];
  const auto line = fmt::format("{}: {}", rule_of(violation).id, text);
  *std::copy_n(line.begin(), std::min(line.size(), kReportBytes - 1), report.text.begin()) = '\0';
  report.complete.store(true, std::memory_order_release);
}

std::uint64_t Checker::total() const {
  std::uint64_t sum = 0;
  for (const auto& rule : rules()) sum += count_of(rule.violation);
  return sum;
}

std::vector<std::string> Checker::reports() const {
  std::vector<std::string> texts;
  for (const auto& report : counters_.report) {
    if (report.complete.load(std::memory_order_acquire)) texts.emplace_back(text_of(report));
  }
  return texts;
}

}  // namespace manactl::adapter
