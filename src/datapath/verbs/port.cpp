// SPDX-License-Identifier: MIT
#include "datapath/verbs/port.h"

#include <algorithm>

#include "datapath/plan/plan.h"

namespace manactl::datapath::verbs {

namespace {

constexpr std::uint32_t kCacheLine = 64;
constexpr std::uint32_t kMinReceiveCapacity = 2048;  // other senders may use larger frames

constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint32_t frame_capacity(const BenchPlan& plan) {
  return round_up(plan.traffic.largest(), kCacheLine);
}

std::uint32_t receive_capacity(const BenchPlan& plan) {
  return std::max(kMinReceiveCapacity, frame_capacity(plan));
}

// The number of frames of a queue. Constant packets need one frame per entry of the pattern.
// Packets that change need one per slot of the ring, because frames in flight must not change.
std::uint32_t packets_of(const BenchPlan& plan, std::uint32_t pattern, std::uint32_t slots) {
  const bool constant = plan.traffic.flows == 1 && !measures_latency(plan.mode);
  return constant ? pattern : round_up(slots, pattern);
}

std::size_t bytes_needed(const BenchPlan& plan, const Lane& lane) {
  std::size_t bytes = 0;
  if (generates_packets(plan.mode)) {
    const auto pattern = static_cast<std::uint32_t>(size_pattern(plan.traffic.sizes).size());
    bytes += std::size_t{packets_of(plan, pattern, lane.tx->slots())} * frame_capacity(plan);
  }
  if (receives(plan.mode)) {
    const auto buffers = lane.rx->slots() + (forwards(plan.mode) ? lane.tx->slots() : 0U);
    bytes += std::size_t{buffers} * receive_capacity(plan);
  }
  return bytes;
}

Result<> check_limits(const BenchPlan& plan, const Context& context) {
  const auto& limits = context.limits();
  if (plan.descriptors > limits.entries) {
    return fail(Errc::invalid,
                fmt::format("{} {}: {} supports at most {}",
                            name_of(PlanField::descriptors),
                            plan.descriptors,
                            context.port_info().device,
                            limits.entries));
  }
  if (plan.queues > limits.queues) {
    return fail(Errc::invalid,
                fmt::format("{} {}: {} supports at most {}",
                            name_of(PlanField::queues),
                            plan.queues,
                            context.port_info().device,
                            limits.queues));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Port>> Port::open(const OpenPort& open,
                                         const BenchPlan& plan,
                                         const Nic& nic) {
  std::unique_ptr<Port> port(new Port);
  port->lanes_ = std::vector<Lane>(plan.queues);
  if (auto ok = port->open_device(open, plan, nic); !ok) return tl::unexpected<Error>(ok.error());
  return port;
}

Result<> Port::open_device(const OpenPort& open, const BenchPlan& plan, const Nic& nic) {
  auto context = open(nic);
  if (!context) return tl::unexpected<Error>(context.error());
  context_ = std::move(*context);
  if (auto ok = check_limits(plan, *context_); !ok) return ok;
  if (auto ok = make_queues(plan); !ok) return ok;
  std::size_t bytes = 0;
  for (const auto& lane : lanes_) bytes += bytes_needed(plan, lane);
  auto memory = Region::make(*context_, bytes);
  if (!memory) return tl::unexpected<Error>(memory.error());
  memory_.emplace(std::move(*memory));
  if (generates_packets(plan.mode)) fill_send_patterns(plan, nic);
  if (receives(plan.mode)) post_buffers(plan);
  return {};
}

void Port::close() {
  for (auto& lane : lanes_) {
    if (lane.tx != nullptr) {
      // The device may have sent packets after the worker stopped.
      lane.tx->reclaim();
      lane.counters.tx_errors.set(lane.tx->errors());
      lane.abandoned += lane.tx->head() - lane.tx->completed();
    }
    lane.tx = nullptr;
    lane.rx = nullptr;
    lane.send_pattern = {};
    lane.forward_buffers = {};
  }
  receivers_.reset();
  senders_.clear();
  memory_.reset();
  context_.reset();
  used_ = 0;
}

Result<> Port::reopen(const OpenPort& open, const BenchPlan& plan, const Nic& nic) {
  if (auto ok = open_device(open, plan, nic); !ok) {
    close();
    return ok;
  }
  for (auto& lane : lanes_) {
    lane.tx->add_errors(lane.counters.tx_errors.get());
    if (lane.rx != nullptr) lane.rx->add_errors(lane.counters.rx_errors.get());
  }
  return {};
}

Result<> Port::make_queues(const BenchPlan& plan) {
  senders_.reserve(plan.queues);
  for (auto& lane : lanes_) {
    auto queue = SendQueue::make(*context_, plan.descriptors);
    if (!queue) return tl::unexpected<Error>(queue.error());
    senders_.push_back(std::move(*queue));
    lane.tx = &senders_.back().ring();
    lane.burst =
        static_cast<std::uint16_t>(std::min<std::uint32_t>(plan.burst, lane.tx->free_entries()));
    // Allows at most one burst of each queue in flight.
    if (measures_latency(plan.mode) && !lane.requests) {
      lane.requests = std::make_unique<Requests>(lane.burst);
    }
  }
  if (!receives(plan.mode)) return {};
  auto queues = ReceiveQueues::make(*context_, plan.queues, plan.descriptors);
  if (!queues) return tl::unexpected<Error>(queues.error());
  receivers_.emplace(std::move(*queues));
  for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i].rx = &receivers_->rings()[i];
  return {};
}

void Port::fill_send_patterns(const BenchPlan& plan, const Nic& nic) {
  const auto& traffic = plan.traffic;
  const auto pattern = size_pattern(traffic.sizes);
  for (unsigned queue = 0; queue < plan.queues; ++queue) {
    auto& lane = lanes_[queue];
    const auto flow = flow_of(plan, nic.mac, nic.ip, queue);
    const auto ports = source_ports(queue, plan.queues, traffic.flows);
    const auto round = static_cast<std::uint32_t>(pattern.size());
    const auto count = packets_of(plan, round, lane.tx->slots());
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto bytes = traffic.sizes[pattern[i % round]].bytes - kFcsBytes;
      lane.send_pattern.add(
          *lane.tx, flow, {allocate(frame_capacity(plan)), bytes}, memory_->key());
    }
    lane.send_pattern.start(*lane.tx, ports);
  }
}

void Port::add_forward_buffers(Lane& lane, std::size_t capacity) {
  auto& buffers = lane.forward_buffers;
  buffers.key = memory_->key();
  buffers.sending.resize(lane.tx->slots());
  buffers.count = lane.tx->slots();
  for (std::uint32_t i = 0; i < buffers.count; ++i) {
    buffers.free.push_back(reinterpret_cast<std::uintptr_t>(allocate(capacity)));
  }
  buffers.free.resize(std::size_t{lane.tx->slots()} + lane.rx->slots());
}

void Port::post_buffers(const BenchPlan& plan) {
  const auto capacity = receive_capacity(plan);
  for (auto& lane : lanes_) {
    auto& ring = *lane.rx;
    for (std::uint32_t slot = 0; slot < ring.slots(); ++slot) {
      const auto address = reinterpret_cast<std::uintptr_t>(allocate(capacity));
      ring.at(slot) = {kOneSegment, 0, address, key_and_size(memory_->key(), capacity)};
    }
    if (forwards(plan.mode)) add_forward_buffers(lane, capacity);
  }
  // Post only after all queues are set up: packets may arrive on any of them.
  for (auto& lane : lanes_) lane.rx->post(lane.rx->free_entries());
}

std::uint8_t* Port::allocate(std::size_t bytes) {
  auto* memory = memory_->data() + used_;
  used_ += bytes;
  return memory;
}

}  // namespace manactl::datapath::verbs
