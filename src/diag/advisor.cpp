// SPDX-License-Identifier: MIT

#include "diag/advisor.h"

#include <fmt/format.h>

#include <algorithm>

namespace manactl::diag {

namespace {

bool same_line(const Release& a, const Release& b) {
  return a.major == b.major && a.minor == b.minor;
}

bool concerns(const Fix& fix, const AdvisorInput& input) {
  switch (fix.applies) {
    case Fix::Applies::always:
      return true;
    case Fix::Applies::arm64:
      return input.arm64;
    case Fix::Applies::manae:
      return input.manae;
    case Fix::Applies::pf:
      return input.pf;
    case Fix::Applies::jumbo:
      return input.jumbo;
  }
  return true;
}

bool has_all(const ReleaseTable& table,
             const Release& release,
             const std::vector<const Fix*>& fixes) {
  return std::all_of(
      fixes.begin(), fixes.end(), [&](const Fix* fix) { return table.has(release, *fix); });
}

// LTS releases above `dpdk` by line, then the mainline releases that first had some fix.
std::vector<Release> candidates(const ReleaseTable& table, const Release& dpdk) {
  std::vector<Release> all;
  for (const Release& tip : table.tips) {
    for (unsigned patch = 0; patch <= tip.patch; ++patch) {
      const Release release{tip.major, tip.minor, patch};
      if (release > dpdk) all.push_back(release);
    }
  }
  const std::size_t lts = all.size();
  for (const Fix& fix : table.fixes) {
    if (fix.main > dpdk) all.push_back(fix.main);
  }
  std::sort(all.begin() + static_cast<std::ptrdiff_t>(lts), all.end());
  return all;
}

std::optional<Release> nearest_with(const ReleaseTable& table,
                                    const Release& dpdk,
                                    const std::vector<const Fix*>& fixes) {
  for (const Release& release : candidates(table, dpdk)) {
    if (has_all(table, release, fixes)) return release;
  }
  return std::nullopt;
}

std::vector<const Fix*>& of_kind(Advice& advice, Fix::Kind kind) {
  switch (kind) {
    case Fix::Kind::required:
      return advice.required;
    case Fix::Kind::advised:
      return advice.advised;
    case Fix::Kind::servicing:
      return advice.servicing;
    case Fix::Kind::other:
      break;
  }
  return advice.other;
}

}  // namespace

bool ReleaseTable::has(const Release& dpdk, const Fix& fix) const {
  const auto line = std::find_if(
      tips.begin(), tips.end(), [&dpdk](const Release& tip) { return same_line(tip, dpdk); });
  if (line == tips.end()) return Release{dpdk.major, dpdk.minor, 0} >= fix.main;
  const unsigned since = fix.lts.at(static_cast<std::size_t>(line - tips.begin()));
  return since != Fix::kNever && dpdk.patch >= since;
}

Advice advise(const Release& dpdk, const AdvisorInput& input, const ReleaseTable& table) {
  Advice advice;
  for (const Fix& fix : table.fixes) {
    if (concerns(fix, input) && !table.has(dpdk, fix)) of_kind(advice, fix.kind).push_back(&fix);
  }
  std::vector<const Fix*> wanted = advice.required;
  wanted.insert(wanted.end(), advice.advised.begin(), advice.advised.end());
  if (!wanted.empty()) {
    // A newer release must not lose what this machine needs besides.
    std::vector<const Fix*> needed;
    for (const Fix& fix : table.fixes) {
      const bool counts = fix.kind == Fix::Kind::required || fix.kind == Fix::Kind::advised;
      if (counts && concerns(fix, input)) needed.push_back(&fix);
    }
    advice.nearest = nearest_with(table, dpdk, needed);
  }
  if (!advice.servicing.empty()) {
    advice.survives_servicing = nearest_with(table, dpdk, advice.servicing);
  }
  return advice;
}

std::string dpdk_name(const Release& release) {
  const std::string line = fmt::format("{}.{:02}", release.major, release.minor);
  return release.patch == 0 ? line : fmt::format("{}.{}", line, release.patch);
}

}  // namespace manactl::diag
