// SPDX-License-Identifier: MIT
//
// The releases of DPDK, the kernel and rdma-core that support MANA, and the fixes that each DPDK
// release contains. cmake/releases.py generates the table from data/releases.json at build time.

#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace manactl::host {
struct Kernel;
}  // namespace manactl::host

namespace manactl::diag {

// A change of DPDK's MANA and netvsc drivers.
struct Fix {
  enum class Importance {
    required,     // the driver does not work without it
    recommended,  // prevents crashes, leaks, hangs and other failures
    servicing,    // needed to survive host maintenance; no LTS release has it
    other,        // improves speed or adds features
  };
  enum class Condition { always, arm64, large_pages, manae, pf, jumbo };  // see MachineTraits

  static constexpr unsigned kNever = UINT_MAX;
  static constexpr std::size_t kLines = 4;

  std::string_view driver;   // "net_mana"
  std::string_view change;   // "arm64 support"
  std::string_view commits;  // DPDK commit ids, separated by spaces
  Importance importance = Importance::other;
  Condition only_on = Condition::always;
  Release mainline;                       // first mainline release with the fix
  std::array<unsigned, kLines> lts = {};  // first point release per LTS line, or kNever
};

// The features that unmodified kernels have from `release` on.
struct KernelMilestone {
  Release release;
  bool sufficient;  // Microsoft considers it sufficient for DPDK on MANA
  std::string_view brings;
};

// Features that a distribution added to an older kernel for x86-64; its kernels for ARM64 have
// another configuration. An empty string matches any kernel.
struct KernelBackport {
  std::string_view distribution;  // ID of os-release
  std::string_view suffix;        // end of the kernel release: "-azure"
  std::string_view contains;      // part of the kernel release: ".el9"
  Release release;                // without the build number
  unsigned first_build;           // the number after '-': 1046 in "6.8.0-1046-azure"
  bool sufficient;
  std::string_view brings;
};

// A fix of the kernel's drivers for MANA. A distribution may add it to a kernel whose version does
// not show it.
struct KernelFix {
  enum class Importance {
    recommended,   // prevents crashes, stalls and attacks by users in usual operation
    other,         // matters only after another failure
    confidential,  // matters if the host is not trusted: on confidential VMs
  };

  static constexpr std::size_t kMaxStable = 8;

  std::string_view driver;   // "mana"
  std::string_view change;   // "no race between a request and its response"
  std::string_view commits;  // commit ids of Linux, separated by spaces
  std::string_view cve;      // "CVE-2026-23454"; empty if the fix has none
  Importance importance = Importance::other;
  Release since;                                // first mainline release with the fault
  Release mainline;                             // first mainline release with the fix
  std::array<Release, kMaxStable> stable = {};  // first point releases of older lines; 0.0.0: none
};

// A kernel of a distribution with slow networking, by its build number as in KernelBackport.
struct SlowKernel {
  std::string_view suffix;
  Release release;
  unsigned first_build, last_build;
  std::string_view effect;  // "the mana driver fails on newer hosts"
  std::string_view source;
};

// A series of VMs that Azure also starts on hosts with MANA.
struct MovingSeries {
  std::string_view name;   // "Dsv5"
  std::string_view size;   // a size of it without the number of CPUs: "D#s_v5"
  std::string_view since;  // the earliest day: "2026-05-26"
};

// The tag LegacyVMNVA, which postpones the move.
struct LegacyTag {
  std::string_view set_before;     // Azure may ignore tags of this day or later
  std::string_view honored_until;  // the last day
};

struct ReleaseTable {
  std::string_view as_of;
  std::span<const Release, Fix::kLines> newest;  // newest point release of each LTS line
  std::span<const Fix> fixes;
  std::span<const KernelMilestone> kernel_milestones;  // newest first; the last has release 0.0
  std::span<const KernelBackport> kernel_backports;    // the first that matches applies
  Release erdma_provider, mana_provider;               // first rdma-core release with each
  std::string_view kernel_as_of;
  std::span<const Release> kernel_lines;  // lines of Linux with long support
  std::span<const KernelFix> kernel_fixes;
  std::span<const SlowKernel> slow_kernels;
  std::string_view platform_as_of;
  std::span<const MovingSeries> moving_series;
  LegacyTag legacy_tag;

  bool has(const Release& dpdk, const Fix& fix) const;
};

const ReleaseTable& release_table();

// Returns the backport that the kernel contains, such as "5.14.0-362.8.1.el9_3.x86_64" of RHEL;
// null if none is known, and always on ARM64.
const KernelBackport* find_backport(const host::Kernel& kernel);

// Returns the row for the kernel; null if it is not known to be slow.
const SlowKernel* find_slow_kernel(const host::Kernel& kernel);

// Returns the series of a VM size such as "Standard_D4s_v5" or, with limited CPUs,
// "Standard_D32-8s_v5"; null if Azure does not move it to hosts with MANA.
const MovingSeries* find_moving_series(std::string_view size);

// The release of Linux on which the kernel is based: 6.1.192 for "6.1.0-57-amd64" of Debian. Empty
// if the distribution does not follow the stable releases of Linux, or its version does not show
// them.
std::optional<Release> upstream_release(const host::Kernel& kernel);

// The fixes that this release of Linux certainly lacks although it has the fault. The result points
// into `table`.
std::vector<const KernelFix*> missing_kernel_fixes(const Release& linux_release,
                                                   const ReleaseTable& table = release_table());

struct MachineTraits {
  bool arm64 = false;
  bool may_have_large_pages = false;  // ARM64, and the pages are not known to have 4 KiB
  bool manae = false;                 // a function has two RDMA devices: mana_N and manae_N
  bool pf = false;                    // a MANA function is a physical function (1414:00b9)
  bool jumbo = false;                 // a NIC has an MTU above 1500
};

// The fixes that a DPDK release lacks although this machine needs them.
struct MissingFixes {
  std::vector<const Fix*> required, recommended, servicing, other;

  // The nearest newer release with all required and recommended fixes: in the same LTS line, else
  // in a newer LTS line, else in mainline. Empty if no such fix is missing or no release has all.
  std::optional<Release> nearest;

  // The nearest newer release with all servicing fixes, if one is missing and a release has all.
  std::optional<Release> survives_servicing;
};

// The result points into `table`.
MissingFixes find_missing_fixes(const Release& dpdk,
                                const MachineTraits& machine,
                                const ReleaseTable& table = release_table());

// Returns "23.03" or "22.11.2": months have two digits, and point release 0 is omitted.
std::string dpdk_name(const Release& release);

// Whether `release` ("24.11.2") has a change. `first_releases` holds, for each LTS line, the first
// release with the change ("24.11.3"), and at the end the first such mainline release ("25.07").
bool has_reached(std::string_view release, const std::vector<std::string>& first_releases);

}  // namespace manactl::diag
