// SPDX-License-Identifier: MIT
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/send.h"

namespace manactl::datapath::dpdk {

const ModeBursts kTx{Mode::tx, &make_traffic, &work<Lane, send>};

}  // namespace manactl::datapath::dpdk
