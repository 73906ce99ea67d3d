// SPDX-License-Identifier: MIT

#include "host/numa.h"

namespace manactl::host {

Result<CpuList> cpus_of_node(const os::Files& files, int node) {
  const auto text = files.read(fmt::format("sys/devices/system/node/node{}/cpulist", node));
  if (!text) return tl::unexpected<Error>(text.error());
  return CpuList::parse(*text);
}

}  // namespace manactl::host
