// SPDX-License-Identifier: MIT
//
// Records what a gathering asked of a system, and writes it as a bundle that open_captured() reads.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/system.h"

namespace manactl::host {

// A system that passes every question on to `real` and remembers the answers. `real` must outlive
// it.
class RecordingSystem {
 public:
  virtual ~RecordingSystem() = default;
  virtual os::System system() = 0;
};

std::unique_ptr<RecordingSystem> record(const os::System& real);

struct BundleOptions {
  bool scrub = false;  // replace MAC and IP addresses and host names, consistently
  std::map<std::string, std::string> extra;  // more files: "manactl/report.json", "logs/1.log"
};

// Writes `path` (mode 0600, created anew beside and renamed). An existing regular file is replaced;
// anything else there, a symbolic link too, is refused as Errc::invalid and left alone. Another
// error when it cannot be written.
Result<> write_bundle(const RecordingSystem& recorded,
                      const BundleOptions& options,
                      const std::string& path);

}  // namespace manactl::host
