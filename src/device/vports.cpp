// SPDX-License-Identifier: MIT

#include "device/vports.h"

#include <fmt/format.h>

#include <algorithm>

namespace manactl::device {
namespace {

constexpr std::uint64_t kFirstVport = 100;
constexpr std::uint32_t kIndirectionEntries = 64;

// All options can be used: one SQ and one RQ with their CQs per queue, and the hardware channel.
static_assert(2 * kMaxPorts * kMaxQueues + 1 < Queues::kMaxCqs);
static_assert(2 * kMaxPorts * kMaxQueues + 2 < Queues::kMaxWqs);

void add(wire::TrafficCounters& sum, const wire::TrafficCounters& one) {
  sum.bytes += one.bytes;
  sum.unicast_packets += one.unicast_packets;
  sum.unicast_bytes += one.unicast_bytes;
  sum.broadcast_packets += one.broadcast_packets;
  sum.broadcast_bytes += one.broadcast_bytes;
  sum.multicast_packets += one.multicast_packets;
  sum.multicast_bytes += one.multicast_bytes;
}

}  // namespace

Vports::Vports(Queues& queues, Control& control, const Options& options)
    : queues_(queues), control_(control), options_(options) {
  reset();
}

// Discards what the driver created, but keeps the counters.
void Vports::reset() {
  for (const auto& [handle, object] : objects_) {
    queues_.wqs().remove(object.wq_id);
    queues_.cqs().remove(object.cq_id);
  }
  objects_.clear();
  const auto old = std::move(vports_);
  vports_.clear();
  for (std::size_t i = 0; i < options_.macs.size(); ++i) {
    Vport vport;
    vport.handle = kFirstVport + i;
    vport.mac = options_.macs[i];
    if (i < old.size()) vport.counters = old[i].counters;
    vports_.push_back(std::move(vport));
  }
}

std::optional<Reply> Vports::handle(const Request& request) {
  using wire::Command;
  switch (request.command) {
    case Command::query_dev_config:
      return device_config();
    case Command::query_vport_config:
      return vport_config(request);
    case Command::config_vport_tx:
      return config_tx(request);
    case Command::config_vport_rx:
      return config_rx(request);
    case Command::create_wq_obj:
      return create_object(request);
    case Command::destroy_wq_obj:
      return destroy_object(request);
    case Command::fence_rq:
      return fence(request);
    case Command::query_gf_stat:
      return statistics();
    case Command::query_link_config:
      if (options_.link_speed_mbps == 0) return std::nullopt;
      return link_config(request);
    default:
      return std::nullopt;
  }
}

const WqObject* Vports::object_of(std::uint32_t wq_id) const {
  for (const auto& [handle, object] : objects_) {
    if (object.wq_id == wq_id) return &object;
  }
  return nullptr;
}

std::optional<std::uint32_t> Vports::doorbell_page_of(std::uint32_t wq_id) const {
  const auto* object = object_of(wq_id);
  return object == nullptr ? std::nullopt : vports_[object->vport].doorbell_page;
}

std::optional<std::uint32_t> Vports::receiver(const Vport& vport, std::uint32_t hash) const {
  if (!vport.rx_enabled) return std::nullopt;
  if (vport.rss && !vport.table.empty()) {
    const auto it = objects_.find(vport.table[hash % vport.table.size()]);
    if (it != objects_.end() && !it->second.is_sq) return it->second.wq_id;
  }
  if (vport.default_rq) return vport.default_rq;
  if (vport.rqs.empty()) return std::nullopt;
  return vport.rqs.front();
}

Reply Vports::device_config() const {
  wire::QueryDeviceResponse response;
  response.max_vports = static_cast<std::uint16_t>(vports_.size());
  response.max_eqs = 32;
  response.adapter_mtu = static_cast<std::uint16_t>(options_.mtu + kEthernetHeader);
  response.link_speed_mbps = options_.link_speed_mbps;
  return Reply::with(response);
}

Reply Vports::vport_config(const Request& request) const {
  const auto body = wire::decode_front<wire::QueryVportRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (body->value >= vports_.size()) return Reply::no_such("vPort of index", body->value);
  const auto& vport = vports_[body->value];
  return Reply::with(wire::QueryVportResponse{
      options_.queues, options_.queues, kIndirectionEntries, vport.mac.bytes, vport.handle});
}

Vport* Vports::find(std::uint64_t handle) {
  const auto it = std::ranges::find(vports_, handle, &Vport::handle);
  return it == vports_.end() ? nullptr : &*it;
}

Reply Vports::config_tx(const Request& request) {
  const auto body = wire::decode_front<wire::ConfigVportTxRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  auto* vport = find(body->vport);
  if (vport == nullptr) return Reply::no_such("vPort", body->vport);
  vport->tx_configured = true;
  vport->pd = body->pd_id;
  vport->doorbell_page = body->doorbell;
  return Reply::with(
      wire::ConfigVportTxResponse{static_cast<std::uint16_t>(vport - vports_.data()), 1});
}

Reply Vports::config_rx(const Request& request) {
  const auto body = wire::decode_front<wire::ConfigVportRxRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  auto* vport = find(body->vport);
  if (vport == nullptr) return Reply::no_such("vPort", body->vport);

  std::vector<std::uint64_t> table;
  if (body->update_table != 0) {
    const auto start = std::min<std::size_t>(body->table_offset, request.message.size());
    const auto list =
        wire::NumberList::at(body->kName, request.message.subspan(start), body->entries);
    if (!list) return Reply::refuse(list.error());
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto it = objects_.find((*list)[i]);
      if (it == objects_.end() || it->second.is_sq) return Reply::no_such("RQ object", (*list)[i]);
      table.push_back((*list)[i]);
    }
  }
  if (body->update_default != 0) {
    const auto it = objects_.find(body->default_object);
    const bool is_rq = it != objects_.end() && !it->second.is_sq;
    if (!is_rq && body->default_object != wire::kInvalidHandle) {
      return Reply::no_such("RQ object", body->default_object);
    }
    vport->default_rq = is_rq ? std::optional(it->second.wq_id) : std::nullopt;
  }
  if (body->update_key != 0) vport->hasher.emplace(body->key, std::vector<std::uint32_t>{});
  if (body->update_table != 0) vport->table = std::move(table);
  if (body->rx_enable != body->kUnchanged) vport->rx_enabled = body->rx_enable != 0;
  if (body->rss_enable != body->kUnchanged) vport->rss = body->rss_enable != 0;
  // This device never puts several packets into one completion.
  if (request.header.response.version >= 2) return Reply::with(wire::ConfigVportRxResponse{});
  return {};
}

// Takes both regions from `control_`, or neither.
Result<> Vports::take_regions(const wire::CreateWqObjectRequest& body, Region& wq, Region& cq) {
  auto first = control_.take_region(body.wq_region);
  if (!first)
    return fail(Errc::not_found, fmt::format("region {:#x} does not exist", body.wq_region));
  auto second = control_.take_region(body.cq_region);
  const bool sound =
      second && Ring::fits(*first, body.wq_bytes) && Ring::fits(*second, body.cq_bytes);
  if (!sound) {
    control_.put_region(body.wq_region, std::move(*first));
    if (second) control_.put_region(body.cq_region, std::move(*second));
    return fail(
        Errc::invalid,
        fmt::format("WQ of {} and CQ of {} bytes: {}", body.wq_bytes, body.cq_bytes, Ring::kRule));
  }
  wq = std::move(*first);
  cq = std::move(*second);
  return {};
}

Reply Vports::create_object(const Request& request) {
  const auto body = wire::decode_front<wire::CreateWqObjectRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  auto* vport = find(body->vport);
  if (vport == nullptr) return Reply::no_such("vPort", body->vport);
  if (body->eq_id != wire::kNoEq && queues_.eqs().find(body->eq_id) == nullptr) {
    return Reply::no_such("EQ", body->eq_id);
  }
  const auto index = static_cast<std::size_t>(vport - vports_.data());
  const bool is_sq = body->type == wire::QueueType::sq;
  const auto same = std::ranges::count_if(objects_, [&](const auto& entry) {
    return entry.second.vport == index && entry.second.is_sq == is_sq;
  });
  if (static_cast<std::uint64_t>(same) >= options_.queues) {
    return Reply::refuse(
        kTooMany, fmt::format("the vPort has only {} {}s", options_.queues, is_sq ? "SQ" : "RQ"));
  }

  if (queues_.cqs().is_full() || queues_.wqs().is_full()) {
    return Reply::refuse(
        kTooMany,
        fmt::format(
            "the device has only {} CQs and {} WQs", Queues::kMaxCqs - 1, Queues::kMaxWqs - 1));
  }
  Region wq, cq;
  const auto taken = take_regions(*body, wq, cq);
  if (!taken) return Reply::refuse(kBadMemory, taken.error().message);
  const auto eq_id = body->eq_id == wire::kNoEq ? 0 : body->eq_id;
  const auto cq_id = queues_.add_cq(std::move(cq), body->cq_bytes, eq_id).value_or(0);
  const auto wq_id = queues_.add_wq(std::move(wq), body->wq_bytes, is_sq, cq_id).value_or(0);
  const auto handle = next_object_++;
  objects_[handle] = {index, is_sq, wq_id, cq_id};
  if (!is_sq) vport->rqs.push_back(wq_id);
  const wire::CreateWqObjectResponse response{wq_id, cq_id, handle};
  // This device does not implement interrupt moderation, so the response does not grant it.
  if (request.header.response.version >= 2) {
    return Reply::with(wire::CreateWqObjectResponse2{.base = response});
  }
  return Reply::with(response);
}

Reply Vports::destroy_object(const Request& request) {
  const auto body = wire::decode_front<wire::DestroyWqObjectRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  const auto it = objects_.find(body->wq_object);
  const bool is_sq = body->type == wire::QueueType::sq;
  if (it == objects_.end() || it->second.is_sq != is_sq) {
    return Reply::no_such("WQ object", body->wq_object);
  }
  auto& vport = vports_[it->second.vport];
  std::erase(vport.rqs, it->second.wq_id);
  std::erase(vport.table, body->wq_object);
  if (vport.default_rq == it->second.wq_id && !is_sq) vport.default_rq.reset();
  queues_.wqs().remove(it->second.wq_id);
  queues_.cqs().remove(it->second.cq_id);
  objects_.erase(it);
  return {};
}

// The response precedes the fence completion of the RQ.
Reply Vports::fence(const Request& request) {
  const auto body = wire::decode_front<wire::FenceRqRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  const auto it = objects_.find(body->value);
  if (it == objects_.end() || it->second.is_sq) return Reply::no_such("RQ object", body->value);
  Reply reply;
  reply.after = [this, object = it->second] {
    wire::RxCompletion fence;
    fence.header.type = wire::CqeType::rx_object_fence;
    const auto data = wire::encode(fence);
    if (!data) return;
    queues_.complete(object.cq_id, *data, object.wq_id, false);
    queues_.notify(object.cq_id);
  };
  return reply;
}

// Linux queries the speed since 6.17. It ignores the response if QoS is not configured, so the
// response contains the link speed as the limit.
Reply Vports::link_config(const Request& request) {
  const auto body = wire::decode_front<wire::QueryLinkRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (find(body->value) == nullptr) return Reply::no_such("vPort", body->value);
  return Reply::with(
      wire::QueryLinkResponse{options_.link_speed_mbps, 0, options_.link_speed_mbps});
}

// Returns the sums over all vPorts, because the request does not select a vPort.
Reply Vports::statistics() const {
  wire::StatisticsResponse sum;
  for (const auto& vport : vports_) {
    const auto& one = vport.counters;
    sum.rx_no_wqe += one.rx_no_wqe;
    sum.rx_vport_disabled += one.rx_vport_disabled;
    sum.tx_gdma_errors += one.tx_gdma_errors;
    add(sum.rx, one.rx);
    add(sum.tx, one.tx);
    for (std::size_t i = 0; i < sum.tx_errors.size(); ++i) sum.tx_errors[i] += one.tx_errors[i];
  }
  sum.reported = (1U << 27U) - 1;
  return Reply::with(sum);
}

}  // namespace manactl::device
