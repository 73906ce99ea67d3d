// SPDX-License-Identifier: MIT

#include "adapter/checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace manactl::adapter {
namespace {

constexpr std::uint64_t kWordsPerRule = 2;

constexpr Rule kRules[] = {
    {Violation::doorbell_offset,
     "doorbell.offset",
     "doorbells are stored at the places of a queue type"},
    {Violation::doorbell_id,
     "doorbell.id",
     "a doorbell names a live queue of the page's port and of its type"},
    {Violation::doorbell_reserved, "doorbell.reserved", "reserved bits of a doorbell are zero"},
    {Violation::doorbell_tail,
     "doorbell.tail",
     "a tail counts whole basic units and stays within one ring of the head"},
    {Violation::wqe_header, "wqe.header", "reserved bits of a WQE header are zero"},
    {Violation::wqe_oob_size,
     "wqe.oob-size",
     "a send WQE has an OOB of 8 or 24 bytes, a receive WQE one of 8"},
    {Violation::wqe_flags,
     "wqe.flags",
     "Ethernet WQEs set neither credit, fence, sequence nor direct bits"},
    {Violation::wqe_sges, "wqe.sges", "a send WQE has 1 to 30 SGEs, a receive WQE 1 to 15"},
    {Violation::wqe_size, "wqe.size", "a WQE is not longer than its queue was made for"},
    {Violation::wqe_past_doorbell, "wqe.past-doorbell", "a WQE is announced as a whole"},
    {Violation::sge_empty, "sge.empty", "an SGE has bytes"},
    {Violation::sge_key, "sge.key", "an SGE's key belongs to a live memory region"},
    {Violation::sge_range, "sge.range", "an SGE lies inside its memory region"},
    {Violation::oob_format, "oob.format", "short OOBs say short, long ones long"},
    {Violation::oob_cq, "oob.cq", "a send OOB names the CQ of its own queue"},
    {Violation::oob_frame, "oob.frame", "a send OOB carries bits 10 to 23 of the SQ's id"},
    {Violation::oob_vport, "oob.vport", "a send OOB carries the port's offset"},
    {Violation::frame_short, "frame.short", "a frame has an Ethernet header"},
    {Violation::frame_long, "frame.long", "a frame is not longer than the MTU allows"},
    {Violation::cq_not_zero,
     "cq.not-zero",
     "memory of a CQ is zero when the queue is made: the owner bits rely on it"},
    {Violation::destroy_order, "destroy.order", "what others use is destroyed after them"},
    {Violation::leak, "leak", "what was made is destroyed before its context is closed"},
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
  auto& seen = ledger_.violations[static_cast<std::size_t>(violation)];
  return seen.fetch_add(1, std::memory_order_relaxed) < kWordsPerRule;
}

void Checker::write(Violation violation, std::string_view text) {
  const auto place = ledger_.reports.fetch_add(1, std::memory_order_relaxed);
  if (place >= kMaxReports) return;
  auto& report = ledger_.report[place];
  const auto line = fmt::format("{}: {}", rule_of(violation).id, text);
  *std::copy_n(line.begin(), std::min(line.size(), kReportBytes - 1), report.text) = '\0';
  report.complete.store(true, std::memory_order_release);
}

std::uint64_t Checker::total() const {
  std::uint64_t sum = 0;
  for (const auto& rule : rules()) sum += of(rule.violation);
  return sum;
}

std::vector<std::string> Checker::reports() const {
  std::vector<std::string> texts;
  for (const auto& report : ledger_.report) {
    if (report.complete.load(std::memory_order_acquire)) texts.emplace_back(report.text);
  }
  return texts;
}

}  // namespace manactl::adapter
