// SPDX-License-Identifier: MIT

#include "wire/dissection_builder.h"
#include "wire/mana_messages.h"
#include "wire/port_messages.h"
#include "wire/rdma_messages.h"

namespace manactl::wire {
namespace {

enum class Direction : std::uint8_t { request, response };

// The variable part of a body, which follows its record.
enum class Tail : std::uint8_t {
  none,
  pages,  // `listed` page addresses
  table,  // `entries` handles, `table_offset` bytes after the start of the message
};

// The layout of a command's body from version `from_version` on. It has at least `min_size` bytes.
struct Body {
  Command command;
  Direction direction;
  std::uint16_t from_version;
  const RecordTable* table;
  std::size_t min_size;
  Tail tail = Tail::none;
};

template <class T>
constexpr Body request(Command command, std::size_t min_size = T::kSize, Tail tail = Tail::none) {
  return {command, Direction::request, 1, &kTable<T>, min_size, tail};
}

template <class T>
constexpr Body response(Command command, std::size_t min_size = T::kSize) {
  return {command, Direction::response, 1, &kTable<T>, min_size};
}

// Unlisted commands have no body or an undocumented one. Rows of a command are sorted by version.
constexpr Body kBodies[] = {
    request<VerifyVersionRequest>(Command::verify_version),
    response<VerifyVersionResponse>(Command::verify_version),
    response<MaxResourcesResponse>(Command::query_max_resources),
    response<ListDevicesResponse>(Command::list_devices),
    response<RegisterDeviceResponse>(Command::register_device),
    request<GenerateTestEqeRequest>(Command::generate_test_eqe),
    request<CreateQueueRequest>(Command::create_queue),
    response<CreateQueueResponse>(Command::create_queue),
    request<DisableQueueRequest>(Command::disable_queue),
    request<CreateDmaRegionRequest>(
        Command::create_dma_region, CreateDmaRegionRequest::kSize, Tail::pages),
    response<CreateDmaRegionResponse>(Command::create_dma_region),
    request<AddPagesRequest>(Command::add_pages, AddPagesRequest::kSize, Tail::pages),
    request<DestroyDmaRegionRequest>(Command::destroy_dma_region),
    request<ChangeMsixRequest>(Command::change_msix),
    request<HwcTimeoutBody>(Command::query_hwc_timeout),
    response<HwcTimeoutBody>(Command::query_hwc_timeout),
    request<AllocateDeviceMemoryRequest>(Command::alloc_dm),
    response<AllocateDeviceMemoryResponse>(Command::alloc_dm),
    request<DestroyDeviceMemoryRequest>(Command::destroy_dm),
    request<QueryDeviceRequest>(Command::query_dev_config),
    response<QueryDeviceResponse>(Command::query_dev_config, 40),
    request<StatisticsRequest>(Command::query_gf_stat),
    response<StatisticsResponse>(Command::query_gf_stat),
    request<ConfigVportTxRequest>(Command::config_vport_tx),
    response<ConfigVportTxResponse>(Command::config_vport_tx),
    request<CreateWqObjectRequest3>(Command::create_wq_obj, CreateWqObjectRequest::kSize),
    response<CreateWqObjectResponse2>(Command::create_wq_obj, CreateWqObjectResponse::kSize),
    request<DestroyWqObjectRequest>(Command::destroy_wq_obj),
    request<FenceRqRequest>(Command::fence_rq),
    request<ConfigVportRxRequest>(
        Command::config_vport_rx, ConfigVportRxRequest::kSize, Tail::table),
    {Command::config_vport_rx,
     Direction::request,
     2,
     &kTable<ConfigVportRxRequest2>,
     ConfigVportRxRequest2::kSize,
     Tail::table},
    response<ConfigVportRxResponse>(Command::config_vport_rx, 0),
    request<QueryVportRequest>(Command::query_vport_config),
    response<QueryVportResponse>(Command::query_vport_config),
    request<QueryLinkRequest>(Command::query_link_config),
    response<QueryLinkResponse>(Command::query_link_config, 8),
    request<SetBandwidthRequest>(Command::set_bw_clamp),
    response<SetBandwidthResponse>(Command::set_bw_clamp),
    request<PhysicalStatisticsRequest>(Command::query_phy_stat),
    response<PhysicalStatisticsResponse>(Command::query_phy_stat),
    request<AssignSerialRequest>(Command::assign_serial_number),
    request<MoveFilterRequest>(Command::move_filter),
    request<QueryFilterStateRequest>(Command::query_filter_state),
    response<FilterStateResponse>(Command::query_filter_state),
    request<RegisterFilterRequest>(Command::register_filter),
    response<RegisterFilterResponse>(Command::register_filter),
    request<DeregisterFilterRequest>(Command::deregister_filter),
    request<RegisterHwPortRequest>(Command::register_hw_port),
    response<RegisterHwPortResponse>(Command::register_hw_port),
    request<DeregisterHwPortRequest>(Command::deregister_hw_port),
    request<AllocateResourcesRequest>(Command::allocate_resource_range),
    response<AllocateResourcesResponse>(Command::allocate_resource_range),
    request<DestroyResourcesRequest>(Command::destroy_resource_range),
    request<CreatePdRequest>(Command::create_pd),
    response<CreatePdResponse>(Command::create_pd),
    request<DestroyPdRequest>(Command::destroy_pd),
    request<CreateMrRequest>(Command::create_mr),
    response<CreateMrResponse>(Command::create_mr),
    request<DestroyMrRequest>(Command::destroy_mr),
    response<AdapterCapabilities>(Command::rnic_get_adapter_cap),
    request<CreateAdapterRequest>(Command::rnic_create_adapter),
    response<CreateAdapterResponse>(Command::rnic_create_adapter),
    request<DestroyAdapterRequest>(Command::rnic_destroy_adapter),
    request<ConfigIpRequest>(Command::rnic_config_ip_addr),
    request<ConfigMacRequest>(Command::rnic_config_mac_addr),
};

const Body* find_body(const MessageHeader& header, Direction direction) {
  const Body* found = nullptr;
  for (const auto& body : kBodies) {
    const bool fits = static_cast<std::uint32_t>(body.command) == header.code &&
                      body.direction == direction && body.from_version <= header.version;
    if (fits) found = &body;
  }
  return found;
}

std::size_t value_of(const std::vector<Field>& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? 0 : static_cast<std::size_t>(found->value);
}

Checked<std::size_t> add_tail(DissectionBuilder& builder,
                              Bytes message,
                              const Body& body,
                              const std::vector<Field>& fields) {
  const bool pages = body.tail == Tail::pages;
  const std::size_t count = value_of(fields, pages ? "listed" : "entries");
  const std::size_t at = pages ? builder.at() : value_of(fields, "table_offset");
  if (count == 0) return 0;
  if (at < builder.at()) {
    return tl::unexpected<Refusal>({body.table->name, "table_offset", at, Rule::min, builder.at()});
  }
  const auto list =
      NumberList::at(body.table->name, message.subspan(std::min(at, message.size())), count);
  if (!list) return tl::unexpected<Refusal>(list.error());
  builder.list(pages ? "page addresses" : "indirection table", at, count);
  return count;
}

// `failed` is true if the response reports an error. Such a response may have no body.
Checked<Dissection> dissect_body(DissectionBuilder& builder,
                                 Bytes message,
                                 const MessageHeader& header,
                                 Direction direction,
                                 bool failed) {
  const auto left = message.size() - builder.at();
  const auto* body = find_body(header, direction);
  if (body != nullptr && left < body->min_size && !failed) {
    return wrong_length(body->table->name, left, body->min_size);
  }
  if (body != nullptr && left >= body->min_size) {
    const auto& section = builder.record(*body->table, std::min(left, body->table->size));
    if (body->tail != Tail::none) {
      const auto fields = section.fields;
      const auto added = add_tail(builder, message, *body, fields);
      if (!added) return tl::unexpected<Refusal>(added.error());
    }
  }
  if (builder.at() < message.size()) {
    builder.data(body != nullptr ? "more" : "body", message.size() - builder.at());
  }
  return builder.finish(message.size());
}

// Returns the bytes of the message according to its header. `rest` may be padded with zeros.
Checked<Bytes> message_of(const RecordTable& table, const MessageHeader& header, Bytes rest) {
  if (header.size < table.size) {
    return tl::unexpected<Refusal>({table.name, "size", header.size, Rule::min, table.size});
  }
  const bool is_whole = header.size <= rest.size() && is_zero(rest.subspan(header.size));
  if (!is_whole) return wrong_length(table.name, rest.size(), header.size);
  return rest.first(header.size);
}

template <class Header>
Checked<Dissection> dissect_message(Bytes rest, Direction direction) {
  if (rest.size() < Header::kSize) {
    return wrong_length(Header::kName, rest.size(), Header::kSize);
  }
  // Both headers start with MessageHeader. decode() is not used, because it rejects malformed ones.
  const auto number = [&](std::size_t at, unsigned size) { return load(rest, at, size); };
  MessageHeader header;
  header.code = static_cast<std::uint32_t>(number(4, 4));
  header.version = static_cast<std::uint16_t>(number(8, 2));
  header.size = static_cast<std::uint32_t>(number(12, 4));
  const auto message = message_of(kTable<Header>, header, rest);
  if (!message) return tl::unexpected<Refusal>(message.error());
  constexpr std::size_t kStatus = 24;
  const auto status = direction == Direction::response ? number(kStatus, 4) : kStatusSuccess;
  const bool failed = status != kStatusSuccess && status != kStatusMoreEntries;
  DissectionBuilder builder(*message);
  builder.record(kTable<Header>);
  auto dissection = dissect_body(builder, *message, header, direction, failed);
  if (dissection) dissection->size = rest.size();
  return dissection;
}

}  // namespace

Checked<Dissection> dissect_request(Bytes rest) {
  return dissect_message<RequestHeader>(rest, Direction::request);
}

Checked<Dissection> dissect_response(Bytes rest) {
  return dissect_message<ResponseHeader>(rest, Direction::response);
}

}  // namespace manactl::wire
