// SPDX-License-Identifier: MIT

#include "adapter/check/known_defects.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace manactl::adapter {
namespace {

struct Release {
  unsigned year = 0, month = 0, patch = 0;

  auto operator<=>(const Release&) const = default;
};

// Parses "DPDK 24.11.8" and "DPDK 25.11.0-rc1".
std::optional<Release> parse_release(std::string_view text) {
  constexpr std::string_view kPrefix = "DPDK ";
  constexpr unsigned kMax = 99;
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  const auto parts = split(text.substr(0, text.find('-')), '.');
  if (parts.size() != 3) return std::nullopt;
  std::array<unsigned, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool padded = parts[i].size() == 2 && parts[i].front() == '0';  // "24.07.0"
    const auto number = parse_unsigned(parts[i].substr(padded ? 1 : 0), kMax);
    if (!number) return std::nullopt;
    numbers.at(i) = static_cast<unsigned>(*number);
  }
  return Release{numbers[0], numbers[1], numbers[2]};
}

// A fix is in all releases from kMain on, and in the later patches of the older branches.
struct Fix {
  Release main;
  std::array<Release, 3> branches;

  bool is_in(const Release& release) const {
    return release >= main || std::ranges::any_of(branches, [&](const Release& first) {
             return release.year == first.year && release.month == first.month &&
                    release.patch >= first.patch;
           });
  }
};

constexpr Fix kDeallocates = {{26, 3, 0}, {{{23, 11, 7}, {24, 11, 5}, {25, 11, 1}}}};

constexpr KnownDefect kNeverDeallocates = {
    "it never deallocates its protection domains",
    "fixed by DPDK commit 5906f9b6ab in 23.11.7, 24.11.5, 25.11.1 and 26.03"};
constexpr KnownDefect kForgetsRegions = {
    "a restarted port forgets its memory regions, which then keep the protection domain",
    "mana_dev_start() of DPDK drivers/net/mana/mana.c, not fixed in 26.07"};

}  // namespace

const KnownDefect* find_known_defect(std::string_view driver, Violation violation) {
  const auto release = parse_release(driver);
  if (!release) return nullptr;
  const bool deallocates = kDeallocates.is_in(*release);
  if (violation == Violation::leak && !deallocates) return &kNeverDeallocates;
  const bool forgets = violation == Violation::leak || violation == Violation::destroy_order;
  return forgets && deallocates ? &kForgetsRegions : nullptr;
}

bool has_only_known_defects(const AdapterCounters& counters) {
  const auto driver = driver_of(counters);
  bool broken = false;
  for (const auto& rule : rules()) {
    if (counters.violations[static_cast<std::size_t>(rule.violation)] == 0) continue;
    broken = true;
    if (find_known_defect(driver, rule.violation) == nullptr) return false;
  }
  return broken;
}

}  // namespace manactl::adapter
