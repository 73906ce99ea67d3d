// SPDX-License-Identifier: MIT
//
// Counters of the adapter and reports of violated rules (checker.h). They are in one block without
// pointers, so that the launcher can keep them in shared memory; there they survive a crash of the
// program. Counters are updated with relaxed ordering; nothing depends on their order.

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "adapter/fault_plan.h"

namespace manactl::adapter {

inline constexpr std::size_t kMaxPorts = 8;
inline constexpr std::size_t kMaxViolations = 32;
inline constexpr std::size_t kMaxReports = 32;
inline constexpr std::size_t kReportBytes = 240;
inline constexpr std::size_t kDriverBytes = 40;

using Count = std::atomic<std::uint64_t>;

struct PortCounters {
  Count tx_packets, tx_bytes, tx_errors, tx_lost, tx_completions, tx_doorbells;
  Count rx_packets, rx_bytes, rx_no_buffer, rx_truncated, rx_completions, rx_doorbells;
  Count events;
};

struct Report {
  std::atomic<bool> complete;
  std::array<char, kReportBytes> text;
};

struct AdapterCounters {
  std::atomic<std::uint32_t> ports;
  std::array<PortCounters, kMaxPorts> port;
  std::array<Count, kMaxViolations> violations;  // indexed by Violation
  FaultCounts injected;                          // faults
  std::atomic<std::uint32_t> reports;            // calls of add_report(); may exceed kMaxReports
  std::array<Report, kMaxReports> report;
  // The release of the program's driver, for example "DPDK 24.11.8"; empty if unknown. Written
  // before the first queue exists.
  std::array<char, kDriverBytes> driver;
  // The program has DPDK without net_mana and never called the adapter. Written when it exits.
  std::atomic<bool> lacks_net_mana;
};

static_assert(Count::is_always_lock_free, "shared between processes");

// The program can write to the counters at any time, so a text need not end with NUL. These
// functions copy the text before they search its end.
template <std::size_t bytes>
std::string text_before_nul(std::array<char, bytes> text) {
  return {text.begin(), std::ranges::find(text, '\0')};
}

inline std::string text_of(const Report& report) {
  return text_before_nul(report.text);
}

inline std::string driver_of(const AdapterCounters& counters) {
  return text_before_nul(counters.driver);
}

inline void add(Count& count, std::uint64_t value) {
  if (value != 0) count.fetch_add(value, std::memory_order_relaxed);
}

}  // namespace manactl::adapter
