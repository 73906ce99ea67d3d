// SPDX-License-Identifier: MIT
//
// The lines of tmpfiles.d(5) that reserve hugepages early in the boot, before memory is fragmented.
// Each NIC has a file of its own, but a line sets the number of pages in a pool. Therefore only the
// first file has a line for the pool, with the pages of all files. Comments contain those of each.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/files.h"
#include "setup/journal.h"

namespace manactl::setup {

// The comments and lines of one NIC; empty if it has no hugepages.
std::string boot_hugepages_of(const Entry& entry);

// The pages of a NIC in a pool.
struct BootPages {
  std::string name;  // Entry::persistent_name()
  std::string pool;  // "/sys/devices/system/node/node0/hugepages/hugepages-2048kB"
  std::uint64_t pages = 0;
};

// The pages that the files of manactl in /etc/tmpfiles.d reserved at boot.
std::vector<BootPages> read_boot_hugepages(const os::Files& files);

// `texts` are all files with hugepages, in the order of their names. Sets their lines.
void share_pools(std::vector<std::string>& texts);

}  // namespace manactl::setup
