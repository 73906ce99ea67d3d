// SPDX-License-Identifier: MIT

#include "diag/release_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/facts.h"

namespace manactl::diag {

namespace {

bool is_same_line(const Release& a, const Release& b) {
  return a.major == b.major && a.minor == b.minor;
}

bool applies_to(const Fix& fix, const MachineTraits& machine) {
  switch (fix.only_on) {
    case Fix::Condition::always:
      return true;
    case Fix::Condition::arm64:
      return machine.arm64;
    case Fix::Condition::large_pages:
      return machine.may_have_large_pages;
    case Fix::Condition::manae:
      return machine.manae;
    case Fix::Condition::pf:
      return machine.pf;
    case Fix::Condition::jumbo:
      return machine.jumbo;
  }
  return true;
}

bool has_all(const ReleaseTable& table,
             const Release& release,
             const std::vector<const Fix*>& fixes) {
  return std::all_of(
      fixes.begin(), fixes.end(), [&](const Fix* fix) { return table.has(release, *fix); });
}

// Releases newer than `dpdk`: LTS releases by line, then the mainline releases that brought fixes.
std::vector<Release> candidates(const ReleaseTable& table, const Release& dpdk) {
  std::vector<Release> all;
  for (const Release& newest : table.newest) {
    for (unsigned patch = 0; patch <= newest.patch; ++patch) {
      const Release release{newest.major, newest.minor, patch};
      if (release > dpdk) all.push_back(release);
    }
  }
  const std::size_t lts = all.size();
  for (const Fix& fix : table.fixes) {
    if (fix.mainline > dpdk) all.push_back(fix.mainline);
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

std::vector<const Fix*>& list_for(MissingFixes& missing, Fix::Importance importance) {
  switch (importance) {
    case Fix::Importance::required:
      return missing.required;
    case Fix::Importance::recommended:
      return missing.recommended;
    case Fix::Importance::servicing:
      return missing.servicing;
    case Fix::Importance::other:
      break;
  }
  return missing.other;
}

// Returns 1046 for "6.8.0-1046-azure", 362 for "5.14.0-362.8.1.el9_3.x86_64".
unsigned build_of(std::string_view kernel) {
  const auto dash = kernel.find('-');
  if (dash == std::string_view::npos) return 0;
  const auto build = Release::parse(kernel.substr(dash + 1));
  return build ? build->major : 0;
}

}  // namespace

const KernelBackport* find_backport(const host::Kernel& kernel) {
  const auto release = Release::parse(kernel.release);
  if (!release || kernel.is_arm64()) return nullptr;
  const auto rows = release_table().kernel_backports;
  const auto found = std::ranges::find_if(rows, [&](const KernelBackport& row) {
    return *release == row.release &&
           (row.distribution.empty() || row.distribution == kernel.distribution) &&
           kernel.release.ends_with(row.suffix) &&
           kernel.release.find(row.contains) != std::string::npos &&
           build_of(kernel.release) >= row.first_build;
  });
  return found == rows.end() ? nullptr : &*found;
}

bool ReleaseTable::has(const Release& dpdk, const Fix& fix) const {
  const auto line = std::find_if(
      newest.begin(), newest.end(), [&dpdk](const Release& r) { return is_same_line(r, dpdk); });
  if (line == newest.end()) return Release{dpdk.major, dpdk.minor, 0} >= fix.mainline;
  const unsigned since = fix.lts.at(static_cast<std::size_t>(line - newest.begin()));
  return since != Fix::kNever && dpdk.patch >= since;
}

MissingFixes find_missing_fixes(const Release& dpdk,
                                const MachineTraits& machine,
                                const ReleaseTable& table) {
  MissingFixes missing;
  for (const Fix& fix : table.fixes) {
    if (applies_to(fix, machine) && !table.has(dpdk, fix))
      list_for(missing, fix.importance).push_back(&fix);
  }
  if (!missing.required.empty() || !missing.recommended.empty()) {
    // The suggested release must also have the fixes that `dpdk` already has.
    std::vector<const Fix*> needed;
    for (const Fix& fix : table.fixes) {
      const bool is_counted = fix.importance == Fix::Importance::required ||
                              fix.importance == Fix::Importance::recommended;
      if (is_counted && applies_to(fix, machine)) needed.push_back(&fix);
    }
    missing.nearest = nearest_with(table, dpdk, needed);
  }
  if (!missing.servicing.empty()) {
    missing.survives_servicing = nearest_with(table, dpdk, missing.servicing);
  }
  return missing;
}

std::string dpdk_name(const Release& release) {
  const std::string line = fmt::format("{}.{:02}", release.major, release.minor);
  return release.patch == 0 ? line : fmt::format("{}.{}", line, release.patch);
}

}  // namespace manactl::diag
