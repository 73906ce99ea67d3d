// SPDX-License-Identifier: MIT
//
// The size of a DPDK program on this VM: its lcores, its queues and its hugepages. `args` prints
// this size; `prepare`, `check` and `doctor` reserve and request hugepages for that of
// dpdk-testpmd.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/facts.h"

namespace manactl::host {

inline constexpr unsigned kMaxQueues = 64;  // of a port of net_mana

struct ProgramSize {
  std::vector<unsigned> cpus;  // one per lcore, the first one for EAL's main lcore
  unsigned threads = 1;        // lcores that poll the queues, besides the main lcore
  unsigned queues = 1;         // of each port; a power of two, as net_mana requires
  std::uint64_t hugepage_bytes = 0;
};

// Returns the size for a NIC on `node`; -1 is any node. A program that creates `other_queues`
// besides one queue per thread has fewer threads than queues. Without a number of threads, each
// thread has a CPU of its own, and so has the main lcore. A program needs memory on the node of
// every lcore, but hugepages are reserved only on the node of the NIC. Therefore, CPUs of other
// nodes are used only if that node has too few. If this process has too few CPUs, `cpus` is too
// short.
ProgramSize size_of_program(const Facts& facts,
                            int node,
                            unsigned other_queues = 0,
                            std::optional<unsigned> threads = std::nullopt);

// Returns the memory of dpdk-testpmd. Its mempool is as large on the node of every lcore.
std::uint64_t testpmd_bytes(unsigned forwarding_lcores);

ProgramSize size_of_testpmd(const Facts& facts, int node);

// Returns the pool of `node` with the most free memory; -1 is any node. With a page size, only
// pools of this size count. If no page is free, returns the pool of the size, or of the kernel's
// default size; if it does not exist, a pool without pages.
HugepagePool freest_pool(const Memory& memory,
                         int node,
                         std::optional<std::uint64_t> page_kib = std::nullopt);

// Returns the number of pages that `pool` lacks for a program that needs `bytes`.
std::uint64_t missing_pages(const HugepagePool& pool, std::uint64_t bytes);

// Returns the number of pages of `page_kib` that `node` lacks for a program that needs `bytes`.
// Free pages of other sizes count as well.
std::uint64_t missing_pages(const Memory& memory,
                            int node,
                            std::uint64_t bytes,
                            std::uint64_t page_kib);

// Whether any pool has pages; false if the pools are unknown.
bool has_reserved_pages(const Memory& memory);

// Whether any pool has free pages; false if the pools are unknown.
bool has_free_pages(const Memory& memory);

// The pools with free pages on nodes that are not in `nodes`; none if `nodes` is empty or contains
// -1, an unknown node.
std::vector<HugepagePool> pools_elsewhere(const Memory& memory, const std::set<int>& nodes);

// Returns the shell command that reserves on `node` the pages of the default size that it lacks for
// a program that needs `bytes`. Pages of other nodes stay.
std::string reserve_command(const Memory& memory, int node, std::uint64_t bytes);

// "node 1 has 1024 free pages of 2 MiB that no NIC uses", for a pool of pools_elsewhere()
std::string unused_text(const HugepagePool& pool);

// Returns the shell command that frees the unused pages of the pool.
std::string release_command(const HugepagePool& pool);

// The default page size of the kernel in KiB; 2048 if it is unknown.
std::uint64_t default_page_kib(const Memory& memory);

std::uint64_t pages_for(std::uint64_t bytes, std::uint64_t page_kib);

}  // namespace manactl::host
