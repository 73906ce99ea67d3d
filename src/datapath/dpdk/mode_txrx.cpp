// SPDX-License-Identifier: MIT
#include "datapath/dpdk/loop.h"
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/receive.h"
#include "datapath/dpdk/send.h"

namespace manactl::datapath::dpdk {

namespace {

// Receives first: what a loop brought back is free to be sent again.
unsigned exchange(Lane& lane, std::uint64_t now) noexcept {
  const auto received = receive(lane, now);
  return received + send(lane, now);
}

}  // namespace

const ModeRow kTxRx{Mode::txrx, &make_traffic, &work_and_drain<exchange, receive>};

}  // namespace manactl::datapath::dpdk
