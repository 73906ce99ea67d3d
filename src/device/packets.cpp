// SPDX-License-Identifier: MIT

#include "device/packets.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapter/net/offload.h"
#include "adapter/net/received.h"

namespace manactl::device {
namespace {

constexpr std::size_t kVlanTag = 4;
constexpr std::size_t kMaxGather = 1U << 18U;             // more than any TSO frame
constexpr std::size_t kCopiedPerWork = 2048;              // bytes
constexpr std::uint32_t kMessageMemoryViolation = 0x206;  // vendor error
constexpr std::uint32_t kCorruptedWqe = 0x201;            // vendor error

void count(wire::TrafficCounters& counters, std::span<const std::uint8_t> frame) {
  counters.bytes += frame.size();
  const bool broadcast =
      std::ranges::all_of(frame.first(6), [](std::uint8_t byte) { return byte == 0xff; });
  const bool multicast = (frame[0] & 1U) != 0;
  auto& packets = broadcast   ? counters.broadcast_packets
                  : multicast ? counters.multicast_packets
                              : counters.unicast_packets;
  auto& bytes = broadcast   ? counters.broadcast_bytes
                : multicast ? counters.multicast_bytes
                            : counters.unicast_bytes;
  packets += 1;
  bytes += frame.size();
}

// Index into StatisticsResponse::tx_errors.
std::size_t error_index(wire::CqeType type) {
  switch (type) {
    case wire::CqeType::tx_vport_disabled:
      return 1;
    case wire::CqeType::tx_vport_out_of_range:
      return 2;
    case wire::CqeType::tx_invalid_ethertype:
      return 4;
    case wire::CqeType::tx_mtu_drop:
      return 8;
    default:
      return 9;
  }
}

// Returns the frame with its checksums, or its segments; nothing if it cannot be segmented, or only
// into too many segments.
std::vector<std::vector<std::uint8_t>> offload(std::vector<std::uint8_t> frame,
                                               const wire::WqeHeader& header,
                                               const wire::TxShortOob& wanted) {
  if (header.client_data_unit != 0) {
    const auto header_bytes = header.client_oob_in_sgl ? header.last_vbytes : std::size_t{0};
    if (frame.size() / header.client_data_unit >= Packets::kMaxSegments) return {};
    return adapter::segment(frame, header_bytes, header.client_data_unit);
  }
  if (wanted.compute_ip_checksum || wanted.compute_tcp_checksum || wanted.compute_udp_checksum) {
    adapter::fill_checksums(frame, wanted.compute_ip_checksum);
  }
  std::vector<std::vector<std::uint8_t>> frames;
  frames.push_back(std::move(frame));
  return frames;
}

}  // namespace

bool Packets::transmit(std::uint32_t sq_id) {
  auto* queue = queues_.wqs().find(sq_id);
  const auto* object = vports_.object_of(sq_id);
  if (queue == nullptr || object == nullptr) return false;
  std::string why;
  std::size_t done = 0;
  while (done < kTransmitBurst) {
    const auto wqe = take(*queue, why);
    if (!wqe) break;
    transmit(*object, *wqe, done);
  }
  if (!why.empty()) trace_.violation(fmt::format("SQ {}: {}", sq_id, why));
  return !queue->broken && queue->next != queue->tail;
}

void Packets::transmit(const WqObject& object, const Wqe& wqe, std::size_t& done) {
  ++done;
  const auto oob = wire::decode_tx_oob(wqe.oob);
  if (!oob) {
    trace_.violation(fmt::format("SQ {}: {}", object.wq_id, wire::describe(oob.error())));
    return complete_tx(object, wqe, {wire::CqeType::tx_invalid_oob, kCorruptedWqe});
  }
  const auto verdict = send(object, wqe, *oob, done);
  const bool sent = verdict.type == wire::CqeType::tx_okay;
  if (!sent) {
    trace_.violation(fmt::format("SQ {}: {}{}{}",
                                 object.wq_id,
                                 wire::name_of(verdict.type),
                                 verdict.reason.empty() ? "" : ": ",
                                 verdict.reason));
  }
  if (!sent || !oob->base.suppress_cqe) complete_tx(object, wqe, verdict);
}

Packets::Verdict Packets::check_oob(const WqObject& object, const wire::TxLongOob& oob) const {
  using wire::CqeType;
  const auto& vport = vports_.all()[object.vport];
  if (oob.vport_offset() != object.vport) return {CqeType::tx_vport_out_of_range, 0};
  if (!vport.tx_configured) return {CqeType::tx_vport_disabled, 0};
  if (oob.base.cq_id != object.cq_id || oob.base.sq_frame != object.wq_id >> 10U) {
    return {CqeType::tx_invalid_oob, 0};
  }
  return {};
}

Packets::Verdict Packets::send(const WqObject& object,
                               const Wqe& wqe,
                               const wire::TxLongOob& oob,
                               std::size_t& done) {
  using wire::CqeType;
  auto verdict = check_oob(object, oob);
  if (verdict.type != CqeType::tx_okay) return verdict;
  auto data = gather(keys_, wqe, vports_.all()[object.vport].pd, kMaxGather);
  if (!data) {
    return {CqeType::tx_invalid_oob, kMessageMemoryViolation, wire::name_of(data.error())};
  }
  done += data->size() / kCopiedPerWork;
  if (data->size() < kEthernetHeader) return {CqeType::tx_invalid_ethertype, 0};

  auto frames = offload(std::move(*data), wqe.header, oob.base);
  if (frames.empty()) return {CqeType::tx_header_error, 0};
  done += frames.size() - 1;
  for (const auto& frame : frames) {
    if (!fits_mtu(frame)) return {CqeType::tx_mtu_drop, 0};
  }
  for (auto& frame : frames) {
    if (oob.inject_vlan_tag) adapter::insert_tag(frame, wqe.oob);
    forward(object.vport, frame);
  }
  return {};
}

// The MTU includes neither the Ethernet header nor a VLAN tag.
bool Packets::fits_mtu(std::span<const std::uint8_t> frame) const {
  const auto tag = adapter::is_tagged(frame) ? kVlanTag : 0;
  return frame.size() <= options_.mtu + kEthernetHeader + tag;
}

// Forwards the frame to the port with its destination address. If there is none, forwards it to the
// uplink of the sending port. Multicast frames, and frames that match neither, reach all other
// ports, as in a hub. Frames that are dropped are not counted as sent.
void Packets::forward(std::size_t from, std::span<const std::uint8_t> frame) {
  if (!link_up_) {
    ++link_drops_;
    return;
  }
  auto& vports = vports_.all();
  count(vports[from].counters.tx, frame);
  if (observer_) observer_(frame);
  const auto owner = std::ranges::find_if(vports, [&](const Vport& vport) {
    return std::ranges::equal(vport.mac.bytes, frame.first(6));
  });
  const bool group = (frame[0] & 1U) != 0;
  if (owner == vports.end() && send_up(from, frame) && !group) return;
  for (std::size_t i = 0; i < vports.size(); ++i) {
    const bool addressed = owner == vports.end() || &*owner == &vports[i];
    if (i != from && addressed) deliver(i, frame);
  }
}

// False if the port has no uplink.
bool Packets::send_up(std::size_t from, std::span<const std::uint8_t> frame) {
  const auto it = uplinks_.find(from);
  if (it == uplinks_.end()) return false;
  auto& [uplink, counters] = it->second;
  ++(uplink->send(frame) ? counters.sent : counters.send_dropped);
  return true;
}

void Packets::receive(std::size_t port) {
  const auto it = uplinks_.find(port);
  if (it == uplinks_.end()) return;
  auto& [uplink, counters] = it->second;
  for (int i = 0; i < kReceiveBurst; ++i) {
    const auto frame = uplink->receive();
    if (!frame) break;
    if (!link_up_) {
      ++link_drops_;
      continue;
    }
    if (frame->size() < kEthernetHeader || !fits_mtu(*frame)) {
      ++counters.receive_dropped;
      continue;
    }
    ++counters.received;
    if (observer_) observer_(*frame);
    deliver(port, *frame);
  }
  notify();
}

const UplinkCounters* Packets::uplink_counters(std::size_t port) const {
  const auto it = uplinks_.find(port);
  return it == uplinks_.end() ? nullptr : &it->second.counters;
}

void Packets::deliver(std::size_t index, std::span<const std::uint8_t> frame) {
  auto& vport = vports_.all()[index];
  const auto packet = adapter::inspect(frame);
  const auto hash = vport.hasher ? vport.hasher->hash(frame, packet) : adapter::Hash{};
  const auto rq_id = vports_.receiver(vport, hash.value);
  auto* rq = rq_id ? queues_.wqs().find(*rq_id) : nullptr;
  if (rq == nullptr) {
    ++vport.counters.rx_vport_disabled;
    return;
  }
  std::string why;
  const auto wqe = take(*rq, why);
  if (!why.empty()) trace_.violation(fmt::format("RQ {}: {}", *rq_id, why));
  if (!wqe) {
    ++vport.counters.rx_no_wqe;
    return;
  }
  auto completion = adapter::completion_of(frame, packet, hash);
  std::vector<std::uint8_t> untagged;
  if (packet.vlan_id) {
    untagged = adapter::without_tag(frame);
    frame = untagged;
  }
  const auto written = scatter(keys_, *wqe, vport.pd, frame);
  if (!written) {
    rq->broken = true;
    return trace_.violation(fmt::format("RQ {}: {}", *rq_id, wire::name_of(written.error())));
  }
  count(vport.counters.rx, frame);
  completion.header.type =
      *written == frame.size() ? wire::CqeType::rx_okay : wire::CqeType::rx_truncated;
  completion.packets[0].length = static_cast<std::uint16_t>(*written);
  if (const auto wrong = queues_.hostile().pick(kPacketKinds, "received packet")) {
    completion.packets[0].length = static_cast<std::uint16_t>(
        wrong_length(wrong->random, static_cast<std::uint32_t>(*written)));
  }
  complete_rx(*rq_id, rq->cq_id, *wqe, completion);
}

void Packets::complete_tx(const WqObject& object, const Wqe& wqe, Verdict verdict) {
  auto& counters = vports_.all()[object.vport].counters;
  if (verdict.type != wire::CqeType::tx_okay) ++counters.tx_errors[error_index(verdict.type)];
  if (verdict.vendor_error != 0) ++counters.tx_gdma_errors;
  wire::TxCompletion completion;
  completion.header.type = verdict.type;
  completion.header.vendor_error = verdict.vendor_error;
  completion.wqe_offset = wqe.offset / wire::kBasicUnit;
  const auto data = wire::encode(completion);
  if (!data) return trace_.violation(wire::describe(data.error()));
  queues_.complete(object.cq_id, *data, object.wq_id, true);
  completed_.insert(object.cq_id);
}

void Packets::complete_rx(std::uint32_t rq_id,
                          std::uint32_t cq_id,
                          const Wqe& wqe,
                          wire::RxCompletion completion) {
  completion.wqe_offset = wqe.offset;
  const auto data = wire::encode(completion);
  if (!data) return trace_.violation(wire::describe(data.error()));
  queues_.complete(cq_id, *data, rq_id, false);
  completed_.insert(cq_id);
}

void Packets::notify() {
  for (const auto cq_id : completed_) queues_.notify(cq_id);
  completed_.clear();
}

}  // namespace manactl::device
