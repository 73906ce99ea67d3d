// SPDX-License-Identifier: MIT

#include "diag/release_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.h"
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

// "D#s_v5" for "Standard_D32-8s_v5", whose second number is that of the usable CPUs.
std::string size_pattern(std::string_view size) {
  constexpr std::string_view kPrefix = "Standard_", kPromotion = "_Promo";
  if (!size.starts_with(kPrefix)) return {};
  size.remove_prefix(kPrefix.size());
  if (size.ends_with(kPromotion)) size.remove_suffix(kPromotion.size());
  const auto first = std::ranges::find_if(size, is_digit);
  if (first == size.end()) return {};
  const auto last =
      std::find_if(first, size.end(), [](char c) { return !is_digit(c) && c != '-'; });
  return std::string(size.begin(), first) + '#' + std::string(last, size.end());
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

// Whether the release certainly lacks the fix. A line with long support may have got the fix after
// the table was written.
bool lacks(const Release& release, const KernelFix& fix, const ReleaseTable& table) {
  if (release < fix.since || release >= fix.mainline) return false;
  const auto is_same = [&](const Release& line) { return is_same_line(line, release); };
  const auto found = std::ranges::find_if(fix.stable, is_same);
  if (found != fix.stable.end()) return release < *found;
  return std::ranges::none_of(table.kernel_lines, is_same);
}

}  // namespace

const SlowKernel* find_slow_kernel(const host::Kernel& kernel) {
  const auto release = Release::parse(kernel.release);
  const auto rows = release_table().slow_kernels;
  const auto found = std::ranges::find_if(rows, [&](const SlowKernel& row) {
    const auto build = build_of(kernel.release);
    return release && *release == row.release && kernel.release.ends_with(row.suffix) &&
           build >= row.first_build && build <= row.last_build;
  });
  return found == rows.end() ? nullptr : &*found;
}

const MovingSeries* find_moving_series(std::string_view size) {
  const auto all = release_table().moving_series;
  const auto found = std::ranges::find(all, size_pattern(size), &MovingSeries::size);
  return found == all.end() ? nullptr : &*found;
}

std::optional<Release> upstream_release(const host::Kernel& kernel) {
  if (!kernel.debian_version.empty()) {
    const auto release = Release::parse(kernel.debian_version);
    if (release) return *release;
  }
  const auto release = Release::parse(kernel.release);
  const bool is_plain = kernel.release.find_first_of("-+") == std::string::npos;
  // SUSE adds fixes of its own to one point release: "5.14.21-150500.55.39-default".
  const bool is_of_suse = kernel.distribution.starts_with("sles") ||
                          kernel.distribution.starts_with("opensuse") ||
                          kernel.release.ends_with("-default");
  // Distributions that do not follow the stable releases name the point release 0.
  if (!release || is_of_suse || (release->patch == 0 && !is_plain)) return std::nullopt;
  return *release;
}

std::vector<const KernelFix*> missing_kernel_fixes(const Release& linux_release,
                                                   const ReleaseTable& table) {
  std::vector<const KernelFix*> missing;
  for (const auto& fix : table.kernel_fixes) {
    if (lacks(linux_release, fix, table)) missing.push_back(&fix);
  }
  return missing;
}

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

bool has_reached(std::string_view release, const std::vector<std::string>& first_releases) {
  const auto parsed = Release::parse(release);
  if (!parsed || first_releases.empty()) return false;
  for (const auto& text : first_releases) {
    const auto first = Release::parse(text);
    const bool is_same_line =
        first && first->major == parsed->major && first->minor == parsed->minor;
    if (is_same_line) return *parsed >= *first;
  }
  const auto mainline = Release::parse(first_releases.back());
  return mainline && *parsed >= *mainline;
}

}  // namespace manactl::diag
