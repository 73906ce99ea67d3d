// SPDX-License-Identifier: MIT
//
// Turns a request for hugepages into the step that reserves them, or into the reason why the
// memory does not allow it. Changes nothing.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_words.h"
#include "host/facts.h"
#include "os/files.h"
#include "setup/journal.h"
#include "setup/step.h"

namespace manactl::setup {

// The sizes of hugepages in KiB. x86-64: 2M, 1G. ARM64 with pages of 4 KiB: 64K, 2M, 32M, 1G; with
// 16 KiB: 2M, 32M, 1G; with 64 KiB: 2M, 512M, 16G (Documentation/arch/arm64/hugetlbpage.rst).
inline constexpr EnumWords<std::uint64_t, 6> kHugepageSizes = {{{64, "64K"},
                                                                {2048, "2M"},
                                                                {32768, "32M"},
                                                                {524288, "512M"},
                                                                {1048576, "1G"},
                                                                {16777216, "16G"}}};

struct HugepageRequest {
  std::uint64_t pages = 0;       // number of pages; 0: use `bytes`
  std::uint64_t bytes = 0;       // memory to reserve, rounded up to whole pages
  std::uint64_t page_kib = 0;    // 0: the default size of the kernel
  std::optional<unsigned> node;  // empty: the NUMA node of the NIC

  // Reserve the pages that a program needs and that are not free; if the memory is short, as many
  // as it allows. The program needs `bytes`, or if they are 0, as much as dpdk-testpmd.
  bool is_default = false;
  std::string program = {};  // the value of --for; may be empty
};

// Returns `memory` as the NICs `names` can use it: without the free pages that were reserved with
// another NIC, or for it at boot. A program needs them for that NIC, and `restore` frees them.
// Pages that were reserved without a NIC remain.
host::Memory memory_usable_by(const std::vector<std::string>& names,
                              host::Memory memory,
                              const std::vector<Entry>& entries,
                              const os::Files& files);

struct HugepagePlan {
  std::unique_ptr<Step> step;         // null if a default request needs no more pages
  std::vector<std::string> warnings;  // of a default request: pages that no NIC uses
};

// `name` is Entry::persistent_name() of the new entry. `nic_node` is -1 if it is unknown. A
// reservation leaves the node a quarter of its available memory or 1 GiB, whichever is less: a
// request for more pages fails with Errc::unsupported, and a default request is reduced.
Result<HugepagePlan> plan_hugepages(const HugepageRequest& request,
                                    const host::Facts& facts,
                                    int nic_node,
                                    const os::Files& files,
                                    const std::vector<Entry>& entries,
                                    const std::string& name);

// Returns the fault if the node has less hugepages than the program of a default request needs,
// free or not; empty if it has enough, or if the request names no program.
std::string shortage_of(const HugepageRequest& request, const host::Facts& facts, int nic_node);

// Whether the kernel granted the recorded step the requested number and size of pages, on the
// requested node if there is one. False for a default request.
bool fulfills(const StepRecord& record, const HugepageRequest& request, const host::Facts& facts);

}  // namespace manactl::setup
