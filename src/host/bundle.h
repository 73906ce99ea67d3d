// SPDX-License-Identifier: MIT
//
// Bundles: a recorded system as a tar archive (docs/bundle.md), which open_captured() reads.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "host/recording.h"
#include "host/scrub.h"

namespace manactl::host {

struct BundleOptions {
  bool scrub = false;  // keep only what manactl reads, and replace addresses and names (scrub.h)
  // Additional files by path: "manactl/report.json", "logs/1.log".
  std::map<std::string, std::string> extra;
};

struct BundleContents {
  TreeEntries tree;
  ScrubCounts replaced;  // empty without `scrub`
};

// Errc::invalid if there are too many names to scrub.
Result<BundleContents> bundle_contents(const SystemRecorder& recorder,
                                       const BundleOptions& options);

// Writes a temporary file with mode 0600 beside `path` and renames it, so that `path` is replaced
// as a whole. The name determines the compression, gzip by default. Errc::invalid if `path` exists
// and is not a regular file; Errc::denied if a symbolic link of another user leads to it.
Result<> write_bundle(const TreeEntries& tree, const std::string& path);

// Writes bundle_contents().
Result<> write_bundle(const SystemRecorder& recorder,
                      const BundleOptions& options,
                      const std::string& path);

// A tree as files in memory.
std::unique_ptr<os::Files> files_of(TreeEntries tree);

// The files of a bundle, in memory. Errc::invalid for an unusable archive (see tarball.h).
Result<std::unique_ptr<os::Files>> read_bundle(const std::string& path);

}  // namespace manactl::host
