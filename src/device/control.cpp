// SPDX-License-Identifier: MIT

#include "device/control.h"

#include <fmt/format.h>

#include "wire/hardware_channel.h"

namespace manactl::device {
namespace {

constexpr std::size_t kMaxRegions = 4096;
constexpr std::uint32_t kMaxPages = 1U << 16U;
constexpr std::uint32_t kMaxPageType = 9;  // pages of 2 MB

// True if the pages of the request contain its bytes.
bool is_covered(const wire::CreateDmaRegionRequest& request, std::uint32_t page_bytes) {
  const auto total = std::uint64_t{request.pages} * page_bytes;
  return request.offset_in_page < page_bytes && request.offset_in_page <= total &&
         request.length <= total - request.offset_in_page;
}

// Appends a list of page addresses to the region. Refuses addresses that are not aligned, and more
// of them than announced.
Reply append(Region& region, const wire::NumberList& list) {
  if (list.size() > region.announced_pages - region.pages.size()) {
    return Reply::refuse(kBadMessage, "more pages than CREATE_DMA_REGION announced");
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] % region.page_bytes != 0) {
      return Reply::refuse(kBadMemory, fmt::format("page {:#x} is not aligned", list[i]));
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) region.pages.push_back(list[i]);
  return {};
}

}  // namespace

std::optional<Reply> Control::handle(const Request& request) {
  using wire::Command;
  switch (request.command) {
    case Command::generate_test_eqe:
      return test_eqe(request);
    case Command::verify_version:
      return verify_version(request);
    case Command::query_max_resources:
      return max_resources();
    case Command::list_devices:
      return list_devices();
    case Command::register_device:
      return register_device(request);
    case Command::create_dma_region:
      return create_region(request);
    case Command::add_pages:
      return add_pages(request);
    case Command::destroy_dma_region:
      return destroy_region(request);
    case Command::create_queue:
      return create_queue(request);
    case Command::disable_queue:
      return disable_queue(request);
    case Command::query_hwc_timeout:
      return Reply::with(wire::HwcTimeoutBody{
          options_.hwc_timeout_ms == 0 ? wire::kChannelTimeoutMs : options_.hwc_timeout_ms});
    default:
      return std::nullopt;
  }
}

std::optional<Region> Control::take_region(std::uint64_t handle) {
  auto node = regions_.extract(handle);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

void Control::put_region(std::uint64_t handle, Region region) {
  regions_.insert_or_assign(handle, std::move(region));
}

void Control::reset() {
  regions_.clear();
}

Reply Control::test_eqe(const Request& request) {
  const auto body = wire::decode_front<wire::GenerateTestEqeRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (queues_.eqs().find(body->value) == nullptr) {
    return Reply::refuse(kNoSuchObject, fmt::format("EQ {} does not exist", body->value));
  }
  queues_.send_event(body->value, wire::EventType::test, std::array<std::uint8_t, 12>{});
  return {};
}

Reply Control::verify_version(const Request& request) const {
  const auto body = wire::decode_front<wire::VerifyVersionRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (body->protocol_min > wire::kProtocolVersion || body->protocol_max < wire::kProtocolVersion) {
    return Reply::refuse(
        kBadVersion,
        fmt::format("the driver supports the versions {} to {}, the device only {}",
                    body->protocol_min,
                    body->protocol_max,
                    wire::kProtocolVersion));
  }
  wire::VerifyVersionResponse response;
  if (options_.hwc_timeout_ms != 0) response.capabilities[0] = wire::kCapHwcTimeout;
  return Reply::with(response);
}

Reply Control::max_resources() const {
  wire::MaxResourcesResponse response;
  response.max_sq = response.max_rq = response.max_eq = 32;
  response.max_cq = 64;
  response.max_doorbells = kDoorbellPages;
  response.max_mst = 64;
  response.max_msix = kVectors;
  return Reply::with(response);
}

Reply Control::list_devices() const {
  wire::ListDevicesResponse response;
  response.count = 3;
  response.devices[0] = {wire::DeviceType::hwc, 0};
  response.devices[1] = {wire::DeviceType::mana, 0};
  response.devices[2] = {wire::DeviceType::mana_ib, 0};
  return Reply::with(response);
}

Reply Control::register_device(const Request& request) {
  const auto type = request.header.device.type;
  if (type != wire::DeviceType::mana && type != wire::DeviceType::mana_ib) {
    return Reply::refuse(
        kNoSuchObject,
        fmt::format("device type {} cannot be registered", static_cast<unsigned>(type)));
  }
  return Reply::with(wire::RegisterDeviceResponse{kPdId, kMemKey, kDoorbellPageId});
}

Reply Control::create_region(const Request& request) {
  const auto body = wire::decode_front<wire::CreateDmaRegionRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (regions_.size() >= kMaxRegions || body->pages > kMaxPages) {
    return Reply::refuse(kTooMany,
                         fmt::format("region {} of {} pages, the maximum is {} regions of {} pages",
                                     regions_.size() + 1,
                                     body->pages,
                                     kMaxRegions,
                                     kMaxPages));
  }
  if (body->page_type > kMaxPageType) {
    return Reply::refuse(
        kBadMessage,
        fmt::format(
            "page type {} is not supported: the maximum is {}", body->page_type, kMaxPageType));
  }
  const auto list = wire::NumberList::at(
      body->kName, request.body().subspan(wire::CreateDmaRegionRequest::kSize), body->listed);
  if (!list) return Reply::refuse(list.error());
  const std::uint32_t page_bytes = 4096U << body->page_type;
  if (!is_covered(*body, page_bytes)) {
    return Reply::refuse(kBadMemory,
                         fmt::format("{} bytes from offset {} are not inside {} pages of {} bytes",
                                     body->length,
                                     body->offset_in_page,
                                     body->pages,
                                     page_bytes));
  }
  const auto pages_bytes = body->pages * sizeof(std::uint64_t);
  auto memory = memory_.take(kObjectBytes + pages_bytes);
  if (!memory) return Reply::exceeds_budget("memory regions");
  Region region{
      {}, body->pages, body->length, body->offset_in_page, page_bytes, std::move(*memory)};
  region.pages.reserve(body->pages);
  auto reply = append(region, *list);
  if (reply.status != wire::kStatusSuccess) return reply;
  const auto handle = next_region_++;
  regions_.emplace(handle, std::move(region));
  reply = Reply::with(wire::CreateDmaRegionResponse{handle});
  const bool complete = body->listed == body->pages;
  if (!complete) reply.status = wire::kStatusMoreEntries;
  return reply;
}

Reply Control::add_pages(const Request& request) {
  const auto body = wire::decode_front<wire::AddPagesRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  const auto list = wire::NumberList::at(
      body->kName, request.body().subspan(wire::AddPagesRequest::kSize), body->listed);
  if (!list) return Reply::refuse(list.error());
  const auto it = regions_.find(body->region);
  if (it == regions_.end()) {
    return Reply::refuse(kNoSuchObject, fmt::format("region {:#x} does not exist", body->region));
  }
  auto reply = append(it->second, *list);
  if (reply.status == wire::kStatusSuccess && !it->second.complete()) {
    reply.status = wire::kStatusMoreEntries;
  }
  return reply;
}

Reply Control::destroy_region(const Request& request) {
  const auto body = wire::decode_front<wire::DestroyDmaRegionRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (!take_region(body->value)) {
    return Reply::refuse(kNoSuchObject, fmt::format("region {:#x} does not exist", body->value));
  }
  return {};
}

// Only event queues are created this way; work queues are created as objects of a vPort.
Reply Control::create_queue(const Request& request) {
  const auto body = wire::decode_front<wire::CreateQueueRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (body->type != wire::QueueType::eq) {
    return Reply::refuse(kNoSuchObject, "CREATE_QUEUE only creates event queues");
  }
  if (body->eq_msix >= kVectors) {
    return Reply::refuse(
        kNoSuchObject,
        fmt::format(
            "MSI-X vector {} does not exist: the last one is {}", body->eq_msix, kVectors - 1));
  }
  const auto region = regions_.find(body->region);
  if (region == regions_.end()) {
    return Reply::refuse(kNoSuchObject, fmt::format("region {:#x} does not exist", body->region));
  }
  if (!Ring::fits(region->second, body->queue_bytes)) {
    return Reply::refuse(kBadMemory,
                         fmt::format("EQ of {} bytes: {}", body->queue_bytes, Ring::kRule));
  }
  if (queues_.eqs().is_full())
    return Reply::refuse(kTooMany, fmt::format("the device has only {} EQs", Queues::kMaxEqs - 1));
  const auto id =
      queues_.add_eq(std::move(region->second), body->queue_bytes, body->eq_msix).value_or(0);
  regions_.erase(region);
  return Reply::with(wire::CreateQueueResponse{id});
}

Reply Control::disable_queue(const Request& request) {
  const auto body = wire::decode_front<wire::DisableQueueRequest>(request.body());
  if (!body) return Reply::refuse(body.error());
  if (body->type != wire::QueueType::eq || !queues_.eqs().remove(body->queue_id)) {
    return Reply::refuse(kNoSuchObject, fmt::format("EQ {} does not exist", body->queue_id));
  }
  return {};
}

}  // namespace manactl::device
