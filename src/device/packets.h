// SPDX-License-Identifier: MIT
//
// The data path: a hub carries frames from an SQ to RQs of the other ports, and between a port and
// its uplink.

#pragma once

#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "device/uplink.h"
#include "device/vports.h"
#include "device/work.h"
#include "wire/oob.h"

namespace manactl::device {

// Frames between a port and its uplink.
struct UplinkCounters {
  std::uint64_t sent = 0, received = 0;
  std::uint64_t send_dropped = 0;     // not accepted by the other side in time
  std::uint64_t receive_dropped = 0;  // too short, or longer than the MTU allows
};

class Packets {
 public:
  using Observer = std::function<void(std::span<const std::uint8_t>)>;

  Packets(MemoryKeys& keys, Queues& queues, Vports& vports, const Options& options, Trace& trace)
      : keys_(keys), queues_(queues), vports_(vports), options_(options), trace_(trace) {}

  // The work of one call of transmit(): a frame counts 1, and each 2 KiB that are copied count 1. A
  // call exceeds it by less than the work of one WQE.
  static constexpr std::size_t kTransmitBurst = 1024;

  // A WQE may be split into at most this many segments: 256 KiB with the smallest MSS that Linux
  // allows, 48 bytes (TCP_MIN_SND_MSS, include/net/tcp.h).
  static constexpr std::size_t kMaxSegments = 5462;

  // Sends WQEs posted on this SQ, about kTransmitBurst of work. True if the SQ has more.
  bool transmit(std::uint32_t sq_id);

  // Delivers a frame to a port.
  void deliver(std::size_t index, std::span<const std::uint8_t> frame);

  // Connects a port to an uplink, which the caller keeps.
  void connect(std::size_t port, Uplink& uplink) { uplinks_[port] = {&uplink, {}}; }

  // Delivers the frames that wait in the port's uplink, at most kReceiveBurst of them.
  void receive(std::size_t port);

  // Null if the port has no uplink.
  const UplinkCounters* uplink_counters(std::size_t port) const;

  // `observer` is called with every frame that a port sends or an uplink receives.
  void observe(Observer observer) { observer_ = std::move(observer); }

  // While the link is down, frames of all ports are dropped in both directions.
  void set_link(bool up) { link_up_ = up; }

  // Frames that were dropped because the link was down.
  std::uint64_t link_drops() const { return link_drops_; }

  // Raises events for all completions since the last call.
  void notify();

 private:
  static constexpr int kReceiveBurst = 64;

  struct Connection {
    Uplink* uplink = nullptr;
    UplinkCounters counters;
  };

  struct Verdict {
    wire::CqeType type = wire::CqeType::tx_okay;
    std::uint32_t vendor_error = 0;
    std::string_view reason = {};  // empty if the type is enough
  };

  // Add the work to `done`.
  void transmit(const WqObject& object, const Wqe& wqe, std::size_t& done);
  Verdict send(const WqObject& object,
               const Wqe& wqe,
               const wire::TxLongOob& oob,
               std::size_t& done);
  Verdict check_oob(const WqObject& object, const wire::TxLongOob& oob) const;
  void forward(std::size_t from, std::span<const std::uint8_t> frame);
  bool send_up(std::size_t from, std::span<const std::uint8_t> frame);
  bool fits_mtu(std::span<const std::uint8_t> frame) const;
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
  std::map<std::size_t, Connection> uplinks_;  // by port
  Observer observer_;
  bool link_up_ = true;
  std::uint64_t link_drops_ = 0;
  std::set<std::uint32_t> completed_;  // CQs to notify
};

}  // namespace manactl::device
