// SPDX-License-Identifier: MIT
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/receive.h"

namespace manactl::datapath::dpdk {

const ModeBursts kRx{Mode::rx, nullptr, &work<Lane, receive>};

}  // namespace manactl::datapath::dpdk
