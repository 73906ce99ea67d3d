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

#include "host/facts.h"
#include "os/files.h"
#include "setup/journal.h"
#include "setup/step.h"

namespace manactl::setup {

struct HugepageRequest {
  std::uint64_t pages = 0;       // number of pages; 0: use `bytes`
  std::uint64_t bytes = 0;       // memory to reserve, rounded up to whole pages
  std::uint64_t page_kib = 0;    // 0: the default size of the kernel
  std::optional<unsigned> node;  // empty: the NUMA node of the NIC

  // Reserve the pages that dpdk-testpmd needs and that are not free, instead of `pages` or `bytes`;
  // if the memory is short, as many as it allows.
  bool is_default = false;
};

// Returns `memory` without the free pages that were reserved with NICs other than `names`, or for
// them at boot: such pages vanish when their NIC is restored, or its program needs them. Pages that
// were reserved without a NIC remain.
host::Memory memory_for(const std::vector<std::string>& names,
                        host::Memory memory,
                        const std::vector<Entry>& entries,
                        const os::Files& files);

// `name` is Entry::persistent_name() of the new entry. Returns null if a default request needs no
// more pages. `nic_node` is -1 if it is unknown. A reservation leaves the node a quarter of its
// available memory or 1 GiB, whichever is less: a request for more pages fails with
// Errc::unsupported, and a default request is reduced.
Result<std::unique_ptr<Step>> plan_hugepages(const HugepageRequest& request,
                                             const host::Facts& facts,
                                             int nic_node,
                                             const os::Files& files,
                                             const std::vector<Entry>& entries,
                                             const std::string& name);

// Whether the kernel granted the recorded step the requested number and size of pages, on the
// requested node if there is one. False for a default request.
bool fulfills(const StepRecord& record, const HugepageRequest& request, const host::Facts& facts);

}  // namespace manactl::setup
