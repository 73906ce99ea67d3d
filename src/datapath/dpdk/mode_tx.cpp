// SPDX-License-Identifier: MIT
#include "datapath/dpdk/loop.h"
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/send.h"

namespace manactl::datapath::dpdk {

const ModeRow kTx{Mode::tx, &make_traffic, &work<send>};

}  // namespace manactl::datapath::dpdk
