// SPDX-License-Identifier: MIT

#pragma once

#include "datapath/engines.h"

namespace manactl::test {

inline bool has_dpdk() {
  return !datapath::kDpdkEngine.info().version.empty();
}

}  // namespace manactl::test
