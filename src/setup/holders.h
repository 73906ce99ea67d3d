// SPDX-License-Identifier: MIT
//
// Which processes have a device open: a NIC must not be taken away below them.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "os/files.h"

namespace manactl::setup {

struct Holder {
  unsigned pid = 0;
  std::string program;

  std::string text() const;  // "process 4711 (dpdk-testpmd)"
};

// Of paths such as "/dev/uio0". What may not be looked at is left out.
std::vector<Holder> holders_of(const std::set<std::string>& devices, const os::Files& files);

// Of the uio device that a VMBus channel has; none when it has none.
std::vector<Holder> holders_of_uio(const std::string& channel, const os::Files& files);

}  // namespace manactl::setup
