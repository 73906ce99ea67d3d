// SPDX-License-Identifier: MIT
//
// The data path: a hub carries frames from an SQ to RQs of the other ports.

#pragma once

#include <set>

#include "device/vports.h"
#include "device/work.h"
#include "wire/oob.h"

namespace manactl::device {

class Packets {
 public:
  Packets(MemoryKeys& keys, Queues& queues, Vports& vports, const Options& options, Trace& trace)
      : keys_(keys), queues_(queues), vports_(vports), options_(options), trace_(trace) {}

  // Sends all WQEs posted on this SQ.
  void transmit(std::uint32_t sq_id);

  // Delivers a frame to a port.
  void deliver(std::size_t index, std::span<const std::uint8_t> frame);

  // Raises events for all completions since the last call.
  void notify();

 private:
  struct Verdict {
    wire::CqeType type = wire::CqeType::tx_okay;
    std::uint32_t vendor_error = 0;
  };

  Verdict send(const WqObject& object, const Wqe& wqe, const wire::TxLongOob& oob);
  Verdict check_oob(const WqObject& object, const wire::TxLongOob& oob) const;
  void forward(std::size_t from, std::span<const std::uint8_t> frame);
  void complete_tx(const WqObject& object, const Wqe& wqe, Verdict verdict);
  void complete_rx(std::uint32_t rq_id,
                   std::uint32_t cq_id,
                   const Wqe& wqe,
                   wire::RxCompletion completion);

  MemoryKeys& keys_;
  Queues& queues_;
  Vports& vports_;
  const Options& options_;
  Trace& trace_;
  std::set<std::uint32_t> completed_;  // CQs to notify
};

}  // namespace manactl::device
