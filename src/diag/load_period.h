// SPDX-License-Identifier: MIT
//
// The load in the interval of --interval or, with one sample, since boot.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/facts.h"

namespace manactl::diag {

inline constexpr double kPercent = 100;

// Returns 0 if `whole` is 0.
double ratio(std::uint64_t part, std::uint64_t whole);

// The value of a counter; 0 if there is none.
std::uint64_t value_of(const host::LoadCounters& counters, std::string_view name);

// Returns why a check that needs a load, or an interval, is skipped; empty if there is one.
std::string obstacle_to_load(const host::Facts& facts);
std::string obstacle_to_interval(const host::Facts& facts);

class LoadPeriod {
 public:
  using Counters = host::LoadCounters host::NicLoad::*;

  // `facts` must have a load and outlive the object.
  explicit LoadPeriod(const host::Facts& facts);

  double seconds() const;    // 0 if unknown
  std::string text() const;  // "since boot", "in 5.0 s"

  // The sample of the NIC, and the one before; null if there is none.
  const host::NicLoad* now(const host::Nic& nic) const;
  const host::NicLoad* before(const host::Nic& nic) const;

  // The increase of the counter. A counter that went back began at 0 again.
  std::uint64_t increase(const host::Nic& nic, Counters counters, std::string_view name) const;

  // How often the CPU received the interrupt of the newer sample.
  std::uint64_t interrupts(const host::QueueInterrupt& interrupt, unsigned cpu) const;

  // The time of a CPU of the newer sample; empty if it did not exist before.
  std::optional<host::CpuUse> use_of(const host::CpuUse& cpu) const;

  // "5" or, if the time is known, "5 (2.5/s)".
  std::string with_rate(std::uint64_t count) const;

 private:
  const host::Load& now_;
  const host::Load* before_;
};

}  // namespace manactl::diag
