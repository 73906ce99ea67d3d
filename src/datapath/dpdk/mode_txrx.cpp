// SPDX-License-Identifier: MIT
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/receive.h"
#include "datapath/dpdk/send.h"

namespace manactl::datapath::dpdk {

namespace {

// Receives first: with net_ring, which returns sent mbufs, this frees packets to send them again.
unsigned exchange(Lane& lane, std::uint64_t now) noexcept {
  const auto received = receive(lane, now);
  return received + send(lane, now);
}

}  // namespace

const ModeBursts kTxRx{Mode::txrx, &make_traffic, &work_and_drain<Lane, exchange, receive>};

}  // namespace manactl::datapath::dpdk
