// SPDX-License-Identifier: MIT
#include "datapath/verbs/port.h"

#include <algorithm>

#include "datapath/plan.h"

namespace manactl::datapath::verbs {

namespace {

constexpr std::uint32_t kLine = 64;
constexpr std::uint32_t kMinReceive = 2048;  // what others send is not known

constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint32_t frame_room(const BenchPlan& plan) {
  return round_up(plan.traffic.largest(), kLine);
}

std::uint32_t receive_room(const BenchPlan& plan) {
  return std::max(kMinReceive, frame_room(plan));
}

// Packets of a queue: each frame of the pattern once, or where packets change one of its own for
// every slot, because it is written while others are on their way.
std::uint32_t packets_of(const BenchPlan& plan, std::uint32_t pattern, std::uint32_t slots) {
  const bool same = plan.traffic.flows == 1 && plan.mode != Mode::rtt;
  return same ? pattern : round_up(slots, pattern);
}

std::size_t bytes_needed(const BenchPlan& plan, const Lane& lane) {
  std::size_t bytes = 0;
  if (makes_packets(plan.mode)) {
    const auto pattern = static_cast<std::uint32_t>(size_pattern(plan.traffic.sizes).size());
    bytes += std::size_t{packets_of(plan, pattern, lane.tx->slots())} * frame_room(plan);
  }
  if (receives(plan.mode)) {
    const auto buffers = lane.rx->slots() + (plan.mode == Mode::fwd ? lane.tx->slots() : 0U);
    bytes += std::size_t{buffers} * receive_room(plan);
  }
  return bytes;
}

Result<> check_limits(const BenchPlan& plan, const Context& context) {
  const auto& limits = context.limits();
  if (plan.descriptors > limits.entries) {
    return fail(Errc::invalid,
                fmt::format("--descriptors {}: {} takes at most {}",
                            plan.descriptors,
                            context.place().device,
                            limits.entries));
  }
  if (plan.queues > limits.queues) {
    return fail(
        Errc::invalid,
        fmt::format("--queues {}: {} has {}", plan.queues, context.place().device, limits.queues));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Port>> Port::open(const OpenPort& open,
                                         const BenchPlan& plan,
                                         const Nic& nic) {
  auto context = open(nic);
  if (!context) return tl::unexpected<Error>(context.error());
  if (auto ok = check_limits(plan, **context); !ok) return tl::unexpected<Error>(ok.error());
  std::unique_ptr<Port> port(new Port(std::move(*context)));
  if (auto ok = port->make_queues(plan); !ok) return tl::unexpected<Error>(ok.error());
  std::size_t bytes = 0;
  for (const auto& lane : port->lanes_) bytes += bytes_needed(plan, lane);
  auto memory = Region::make(*port->context_, bytes);
  if (!memory) return tl::unexpected<Error>(memory.error());
  port->memory_.emplace(std::move(*memory));
  if (makes_packets(plan.mode)) port->fill_outboxes(plan, nic);
  if (receives(plan.mode)) port->offer_buffers(plan);
  return port;
}

Result<> Port::make_queues(const BenchPlan& plan) {
  lanes_ = std::vector<Lane>(plan.queues);
  senders_.reserve(plan.queues);
  for (auto& lane : lanes_) {
    auto queue = SendQueue::make(*context_, plan.descriptors);
    if (!queue) return tl::unexpected<Error>(queue.error());
    senders_.push_back(std::move(*queue));
    lane.tx = &senders_.back().ring();
    lane.burst = std::min<std::uint32_t>(plan.burst, lane.tx->room());
    // One burst is the most that is on the way from a queue.
    if (plan.mode == Mode::rtt) lane.requests = std::make_unique<Requests>(lane.burst);
  }
  if (!receives(plan.mode)) return {};
  auto queues = ReceiveQueues::make(*context_, plan.queues, plan.descriptors);
  if (!queues) return tl::unexpected<Error>(queues.error());
  receivers_.emplace(std::move(*queues));
  for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i].rx = &receivers_->rings()[i];
  return {};
}

void Port::fill_outboxes(const BenchPlan& plan, const Nic& nic) {
  const auto& traffic = plan.traffic;
  const auto pattern = size_pattern(traffic.sizes);
  for (unsigned queue = 0; queue < plan.queues; ++queue) {
    auto& lane = lanes_[queue];
    Flow flow;
    flow.source = nic.mac;
    flow.destination = traffic.destination;
    flow.source_ip = traffic.source_ip.value_or(nic.ip.value_or(flow.source_ip));
    flow.destination_ip = traffic.peer_ip.value_or(flow.destination_ip);
    const auto ports = source_ports(queue, plan.queues, traffic.flows);
    flow.source_port = ports.first;
    const auto round = static_cast<std::uint32_t>(pattern.size());
    const auto count = packets_of(plan, round, lane.tx->slots());
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto bytes = traffic.sizes[pattern[i % round]].bytes - kFcsBytes;
      lane.outbox.add(*lane.tx, flow, {take(frame_room(plan)), bytes}, memory_->key());
    }
    lane.outbox.start(*lane.tx, ports);
  }
}

void Port::offer_buffers(const BenchPlan& plan) {
  const auto room = receive_room(plan);
  for (auto& lane : lanes_) {
    auto& ring = *lane.rx;
    for (std::uint32_t slot = 0; slot < ring.slots(); ++slot) {
      const auto address = reinterpret_cast<std::uintptr_t>(take(room));
      ring.at(slot) = {kOneSegment, 0, address, key_and_size(memory_->key(), room)};
    }
    if (plan.mode == Mode::fwd) {
      auto& exchange = lane.exchange;
      exchange.key = memory_->key();
      exchange.sending.resize(lane.tx->slots());
      exchange.count = lane.tx->slots();
      for (std::uint32_t i = 0; i < exchange.count; ++i) {
        exchange.free.push_back(reinterpret_cast<std::uintptr_t>(take(room)));
      }
      exchange.free.resize(std::size_t{lane.tx->slots()} + ring.slots());
    }
  }
  // When all queues of the port can take a packet.
  for (auto& lane : lanes_) lane.rx->post(lane.rx->room());
}

std::uint8_t* Port::take(std::size_t bytes) {
  auto* memory = memory_->data() + used_;
  used_ += bytes;
  return memory;
}

}  // namespace manactl::datapath::verbs
