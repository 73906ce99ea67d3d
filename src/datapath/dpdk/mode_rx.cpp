// SPDX-License-Identifier: MIT
#include "datapath/dpdk/loop.h"
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/receive.h"

namespace manactl::datapath::dpdk {

const ModeRow kRx{Mode::rx, nullptr, &work<receive>};

}  // namespace manactl::datapath::dpdk
