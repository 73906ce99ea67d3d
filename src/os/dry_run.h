// SPDX-License-Identifier: MIT
//
// A system that records changes as shell commands instead of making them. Reads return the real
// state with these changes applied, but ignore changes of interface names, addresses and routes.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/system.h"

namespace manactl::os {

class DryRun {
 public:
  explicit DryRun(const System& real);  // `real` must outlive this object
  DryRun(const DryRun&) = delete;
  DryRun& operator=(const DryRun&) = delete;
  ~DryRun();

  System system();

  // The equivalent shell command of each change, in order.
  const std::vector<std::string>& commands() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace manactl::os
