// SPDX-License-Identifier: MIT
//
// The lines of tmpfiles.d(5) that reserve hugepages early in the boot, before memory is fragmented.
// Each NIC has a file of its own, but a line sets the number of pages in a pool. Therefore only the
// first file has a line for the pool, with the pages of all files. Comments contain those of each.

#pragma once

#include <string>
#include <vector>

#include "setup/journal.h"

namespace manactl::setup {

// The comments and lines of one NIC; empty if it has no hugepages.
std::string boot_hugepages_of(const Entry& entry);

// `texts` are all files with hugepages, in the order of their names. Sets their lines.
void share_pools(std::vector<std::string>& texts);

}  // namespace manactl::setup
