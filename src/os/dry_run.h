// SPDX-License-Identifier: MIT
//
// A system on which nothing happens. Reading asks the real one; what was written is noted as a
// command, and later reads see it. Knows what the kernel does when a VMBus device is bound.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/system.h"

namespace manactl::os {

class DryRun {
 public:
  explicit DryRun(const System& real);  // `real` lives longer
  DryRun(const DryRun&) = delete;
  DryRun& operator=(const DryRun&) = delete;
  ~DryRun();

  System system();

  // Every write in order, as a command that would do it.
  const std::vector<std::string>& commands() const;

 private:
  struct Pretended;
  std::unique_ptr<Pretended> pretended_;
};

}  // namespace manactl::os
