// SPDX-License-Identifier: MIT
#include "datapath/counters.h"

#include "datapath/frame.h"

namespace manactl::datapath {

Sample Counters::read() const {
  Sample sample;
  sample.tx.packets = tx_packets.get();
  sample.tx.bytes = tx_bytes.get() + sample.tx.packets * kFcsBytes;
  sample.tx.missed = tx_missed.get();
  sample.rx.packets = rx_packets.get();
  sample.rx.bytes = rx_bytes.get() + sample.rx.packets * kFcsBytes;
  sample.effort = {cycles.get(), instructions.get(), polls(), empty_polls.get(), full_bursts.get()};
  return sample;
}

}  // namespace manactl::datapath
