// SPDX-License-Identifier: MIT

#include "device/rdma.h"

#include <fmt/format.h>

#include <algorithm>

namespace manactl::device {
namespace {

constexpr std::uint32_t kMaxPds = 64, kMaxMrs = 4096;
constexpr std::uint32_t kLocalWrite = 1U << 1U;  // GDMA_ACCESS_FLAG_LOCAL_WRITE of Linux
constexpr std::uint32_t kQueueBytes = 1U << 20U;

}  // namespace

template <std::size_t bytes>
Reply Rdma::change(Addresses<bytes>& known,
                   wire::AddressOperation operation,
                   const std::array<std::uint8_t, bytes>& address) {
  if (operation == wire::AddressOperation::add) {
    auto memory = memory_.take(kObjectBytes);
    if (!memory) return Reply::exceeds_budget("addresses");
    known.emplace(address, std::move(*memory));
    return {};
  }
  const auto found = known.find(address);
  if (found == known.end()) return Reply::refuse(kNoSuchObject, "the address was not added");
  known.erase(found);
  return {};
}

std::optional<Reply> Rdma::handle(const Request& request) {
  using wire::Command;
  switch (request.command) {
    case Command::allocate_resource_range:
      return allocate_pages(request);
    case Command::destroy_resource_range:
      return free_pages(request);
    case Command::create_pd:
      return create_pd();
    case Command::destroy_pd:
      return destroy_pd(request);
    case Command::create_mr:
      return create_mr(request);
    case Command::destroy_mr:
      return destroy_mr(request);
    case Command::rnic_get_adapter_cap:
      return capabilities();
    case Command::rnic_create_adapter:
      return create_adapter(request);
    case Command::rnic_destroy_adapter:
      return destroy_adapter(request);
    case Command::rnic_config_ip_addr:
      return config_ip(request);
    case Command::rnic_config_mac_addr:
      return config_mac(request);
    default:
      return std::nullopt;
  }
}

void Rdma::reset() {
  pages_.clear();
  pds_.clear();
  for (const auto& [handle, mr] : mrs_) keys_.remove(mr.key);
  mrs_.clear();
  adapters_.clear();
}

Reply Rdma::allocate_pages(const Request& request) {
  const auto body = wire::decode_front<wire::AllocateResourcesRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (body->count != 1)
    return Reply::refuse(kTooMany, "only one doorbell page per request is supported");
  // A process gets a page of the CPU, which contains several doorbell pages if it has 16 or 64 KiB.
  // The first of them must be the allocated one: see mana_ib_mmap() of Linux 6.14.
  const auto alignment = std::max(body->alignment, 1U);
  for (auto page = kFirstPage; page < kPagesEnd; ++page) {
    if (page % alignment == 0 && pages_.insert(page).second)
      return Reply::with(wire::AllocateResourcesResponse{page});
  }
  return Reply::refuse(kTooMany, "no doorbell page is free");
}

Reply Rdma::free_pages(const Request& request) {
  const auto body = wire::decode_front<wire::DestroyResourcesRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (body->count != 1 || pages_.erase(body->first) == 0) {
    return Reply::no_such("doorbell page", body->first);
  }
  return {};
}

Reply Rdma::create_pd() {
  if (pds_.size() >= kMaxPds)
    return Reply::refuse(kTooMany, fmt::format("the device has only {} PDs", kMaxPds));
  const auto handle = next_handle_++;
  // Use IDs above kPdId, which is the PD of the kernel's drivers.
  std::uint32_t id = kPdId + 1;
  while (std::ranges::any_of(pds_, [&](const auto& pd) { return pd.second == id; })) ++id;
  pds_.emplace(handle, id);
  return Reply::with(wire::CreatePdResponse{handle, id});
}

Reply Rdma::destroy_pd(const Request& request) {
  const auto body = wire::decode_front<wire::DestroyPdRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  const auto used =
      std::ranges::any_of(mrs_, [&](const auto& mr) { return mr.second.pd == body->value; });
  if (used) return Reply::refuse(kInUse, "the PD has memory regions");
  return pds_.erase(body->value) > 0 ? Reply{} : Reply::no_such("PD", body->value);
}

Reply Rdma::create_mr(const Request& request) {
  const auto body = wire::decode_front<wire::CreateMrRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  const auto pd = pds_.find(body->pd);
  if (pd == pds_.end()) return Reply::no_such("PD", body->pd);
  if (mrs_.size() >= kMaxMrs)
    return Reply::refuse(kTooMany, fmt::format("the device has only {} MRs", kMaxMrs));
  auto memory = memory_.take(kObjectBytes);
  if (!memory) return Reply::exceeds_budget("memory keys");
  std::optional<Region> region;
  if (body->type == wire::MrType::gva) {
    region = control_.take_region(body->region);
    if (!region) return Reply::no_such("region", body->region);
    if (!region->complete()) {
      control_.put_region(body->region, std::move(*region));
      return Reply::refuse(kBadMemory, "ADD_PAGES has not completed the region");
    }
  }
  const auto handle = next_handle_++;
  const auto key = static_cast<std::uint32_t>(handle) << 8U;
  const bool writable = !region || (body->access & kLocalWrite) != 0;
  keys_.add(key, {pd->second, writable, body->address, std::move(region)});
  mrs_.emplace(handle, Mr{body->pd, key, std::move(*memory)});
  return Reply::with(wire::CreateMrResponse{handle, key, key});
}

Reply Rdma::destroy_mr(const Request& request) {
  const auto body = wire::decode_front<wire::DestroyMrRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  const auto mr = mrs_.find(body->value);
  if (mr == mrs_.end()) return Reply::no_such("MR", body->value);
  keys_.remove(mr->second.key);
  mrs_.erase(mr);
  return {};
}

Reply Rdma::capabilities() {
  wire::AdapterCapabilities response;
  response.max_sq_id = response.max_rq_id = response.max_cq_id = 0xffff;
  response.max_qps = 64;
  response.max_cqs = 128;
  response.max_mrs = kMaxMrs;
  response.max_pds = kMaxPds;
  response.max_inbound_reads = response.max_outbound_reads = 16;
  response.requester_sq_bytes = response.responder_sq_bytes = kQueueBytes;
  response.requester_rq_bytes = response.responder_rq_bytes = kQueueBytes;
  response.max_send_sges = 30;
  response.max_recv_sges = 15;
  return Reply::with(response);
}

Reply Rdma::create_adapter(const Request& request) {
  const auto body = wire::decode_front<wire::CreateAdapterRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (!adapters_.empty()) return Reply::refuse(kInUse, "an RNIC adapter exists already");
  if (queues_.eqs().find(body->notify_eq_id) == nullptr)
    return Reply::no_such("EQ", body->notify_eq_id);
  const auto handle = next_handle_++;
  adapters_.emplace(handle, Adapter{});
  return Reply::with(wire::CreateAdapterResponse{handle});
}

Reply Rdma::destroy_adapter(const Request& request) {
  const auto body = wire::decode_front<wire::DestroyAdapterRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  return adapters_.erase(body->value) > 0 ? Reply{} : Reply::no_such("RNIC adapter", body->value);
}

Reply Rdma::config_ip(const Request& request) {
  const auto body = wire::decode_front<wire::ConfigIpRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  const auto adapter = adapters_.find(body->adapter);
  if (adapter == adapters_.end()) return Reply::no_such("RNIC adapter", body->adapter);
  return change(adapter->second.addresses, body->operation, body->address);
}

Reply Rdma::config_mac(const Request& request) {
  const auto body = wire::decode_front<wire::ConfigMacRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  const auto adapter = adapters_.find(body->adapter);
  if (adapter == adapters_.end()) return Reply::no_such("RNIC adapter", body->adapter);
  return change(adapter->second.macs, body->operation, body->mac);
}

}  // namespace manactl::device
