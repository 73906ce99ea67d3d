// SPDX-License-Identifier: MIT
//
// A captured system: a directory or a bundle (a tar archive) with files of sysfs and procfs, and
// with the replies of netlink, ethtool and libibverbs as JSON below manactl/. A bundle is unpacked
// in memory only. Reading data that was not captured fails with Errc::not_found and "not captured:
// ...".

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

// Errc::not_found for a missing path, Errc::invalid for anything but a captured tree or a bundle.
Result<std::unique_ptr<CapturedSystem>> open_captured(const std::string& path);

// The system that the files of `tree` describe. Errc::invalid if a JSON file is malformed.
Result<std::unique_ptr<CapturedSystem>> open_captured_files(std::unique_ptr<os::Files> tree);

}  // namespace manactl::host
