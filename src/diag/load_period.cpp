// SPDX-License-Identifier: MIT

#include "diag/load_period.h"

#include <fmt/format.h>

#include <algorithm>

namespace manactl::diag {
namespace {

const host::NicLoad* load_of(const host::Load& load, const host::Nic& nic) {
  const auto found = std::ranges::find(load.nics, nic.name(), &host::NicLoad::name);
  return found == load.nics.end() ? nullptr : &*found;
}

std::uint64_t count_of(const host::QueueInterrupt& interrupt, unsigned cpu) {
  const auto found = interrupt.counts.find(cpu);
  return found == interrupt.counts.end() ? 0 : found->second;
}

}  // namespace

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t value_of(const host::LoadCounters& counters, std::string_view name) {
  const auto found = counters.find(std::string(name));
  return found == counters.end() ? 0 : found->second;
}

std::string obstacle_to_load(const host::Facts& facts) {
  return facts.load ? "" : "the load was not measured";
}

std::string obstacle_to_interval(const host::Facts& facts) {
  return facts.load && facts.earlier_load ? "" : "only --interval measures it";
}

LoadPeriod::LoadPeriod(const host::Facts& facts)
    : now_(*facts.load), before_(facts.earlier_load ? &*facts.earlier_load : nullptr) {}

double LoadPeriod::seconds() const {
  return now_.seconds - (before_ != nullptr ? before_->seconds : 0);
}

std::string LoadPeriod::text() const {
  return before_ == nullptr ? "since boot" : fmt::format("in {:.1f} s", seconds());
}

const host::NicLoad* LoadPeriod::now(const host::Nic& nic) const {
  return load_of(now_, nic);
}

const host::NicLoad* LoadPeriod::before(const host::Nic& nic) const {
  return before_ == nullptr ? nullptr : load_of(*before_, nic);
}

std::uint64_t LoadPeriod::increase(const host::Nic& nic,
                                   Counters counters,
                                   std::string_view name) const {
  const auto* newer = now(nic);
  const auto* older = before(nic);
  if (newer == nullptr) return 0;
  const auto value = value_of(newer->*counters, name);
  const auto base = older == nullptr ? 0 : value_of(older->*counters, name);
  return value < base ? value : value - base;
}

std::uint64_t LoadPeriod::interrupts(const host::QueueInterrupt& interrupt, unsigned cpu) const {
  const auto count = count_of(interrupt, cpu);
  if (before_ == nullptr || !before_->interrupts) return count;
  const auto& all = *before_->interrupts;
  const auto same = std::ranges::find(all, interrupt.name, &host::QueueInterrupt::name);
  return same == all.end() ? count : count - std::min(count, count_of(*same, cpu));
}

std::optional<host::CpuUse> LoadPeriod::use_of(const host::CpuUse& cpu) const {
  if (before_ == nullptr) return cpu;
  if (!before_->cpus) return std::nullopt;
  const auto base = std::ranges::find(*before_->cpus, cpu.cpu, &host::CpuUse::cpu);
  if (base == before_->cpus->end() || base->total > cpu.total) return std::nullopt;
  return host::CpuUse{cpu.cpu,
                      cpu.total - base->total,
                      cpu.softirq - std::min(base->softirq, cpu.softirq),
                      cpu.net_rx - std::min(base->net_rx, cpu.net_rx)};
}

std::string LoadPeriod::with_rate(std::uint64_t count) const {
  // An average since boot does not show the present rate.
  if (count == 0 || before_ == nullptr || seconds() <= 0) return fmt::format("{}", count);
  const auto rate = static_cast<double>(count) / seconds();
  constexpr double kManyDigits = 100;
  return rate < kManyDigits ? fmt::format("{} ({:.3g}/s)", count, rate)
                            : fmt::format("{} ({:.0f}/s)", count, rate);
}

}  // namespace manactl::diag
