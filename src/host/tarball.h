// SPDX-License-Identifier: MIT
//
// tar.gz from and to memory, by libarchive, which is loaded when a bundle is first touched.

#pragma once

#include "base/result.h"
#include "host/recording.h"

namespace manactl::host {

// Entries by path, in that order, without times and owners: the same tree gives the same bytes.
Result<> write_tarball(const TreeEntries& tree, int descriptor);

// Errc::invalid for what is no tar.gz, for names that lead out of it, and beyond the limits.
Result<TreeEntries> read_tarball(int descriptor);

}  // namespace manactl::host
