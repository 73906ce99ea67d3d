// SPDX-License-Identifier: MIT
//
// A system that is not this one: a directory or a bundle (tar.gz) with sysfs and procfs files as
// they were, and the answers of netlink, ethtool and libibverbs as JSON below manactl/.
// A bundle is read into memory; nothing is unpacked to disk. What was not captured answers
// Errc::not_found with "not captured: ...".

#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "os/system.h"

namespace manactl::host {

class CapturedSystem {
 public:
  virtual ~CapturedSystem() = default;
  virtual os::System system() = 0;
};

// Errc::not_found for a missing path, Errc::invalid for one that is neither a tree nor a bundle.
Result<std::unique_ptr<CapturedSystem>> open_captured(const std::string& path);

}  // namespace manactl::host
