// SPDX-License-Identifier: MIT

#include "device/driver.h"

#include "wire/hardware_channel.h"
#include "wire/registers.h"

namespace manactl::device {
namespace {

constexpr std::uint32_t kQueueBytes = 4096;
constexpr std::uint32_t kBufferBytes = 2048;
constexpr std::size_t kBuffers = 8;
constexpr std::uint32_t kSharedMemoryHeaderAt = kSharedMemoryAt + 28;
constexpr std::uint32_t kPage = kDoorbellsAt + kDoorbellPageId * kDoorbellPageBytes;

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

std::vector<std::uint8_t> to_vector(std::span<const std::uint8_t> body) {
  return {body.begin(), body.end()};
}

wire::CqeInfo info_of(const Entry& entry) {
  std::array<std::uint8_t, 4> bytes{};
  wire::store(bytes, 0, 4, entry.info);
  return *wire::decode<wire::CqeInfo>(bytes);
}

}  // namespace

// --- the hardware channel

bool Driver::store_shared() {
  device_.store(kSharedMemoryHeaderAt, wire::load(guest_.shared, 28, 4));
  const auto header =
      wire::decode<wire::SharedMemoryHeader>(wire::Bytes(guest_.shared).subspan(28));
  require(header.has_value(), "shared memory header");
  return header->response && !header->device_owns && header->status == 0;
}

bool Driver::establish() {
  const auto queue = [this](std::uint32_t entry) {
    return ReadQueue{0, guest_.allocate(kQueueBytes), kQueueBytes, entry, kQueueBytes / entry};
  };
  channel_eq = queue(wire::kEqeBytes);
  channel_cq = queue(wire::kCqeBytes);
  channel_rq = {0, guest_.allocate(kQueueBytes), kQueueBytes, 0, false};
  channel_sq = {0, guest_.allocate(kQueueBytes), kQueueBytes, 0, true};
  request_buffer_ = guest_.allocate(kQueueBytes);
  response_buffer_ = guest_.allocate(kQueueBytes);
  wire::SharedMemoryMessage message;
  message.eq_frame = channel_eq.base >> 12U;
  message.cq_frame = channel_cq.base >> 12U;
  message.rq_frame = channel_rq.base >> 12U;
  message.sq_frame = channel_sq.base >> 12U;
  message.header = {wire::SharedMemoryType::establish, 0, false, 0, false, true};
  guest_.shared = *wire::encode(message);
  if (!store_shared()) return false;
  read_channel_data();
  return true;
}

void Driver::read_channel_data() {
  for (const auto& event : poll(channel_eq)) {
    const auto type = wire::EventType(event.info & 0xffU);
    if (type == wire::EventType::channel_init_eq) {
      channel_eq.id = wire::decode<wire::ChannelEqEvent>(event.data)->eq_id;
    } else if (type == wire::EventType::channel_init_data) {
      const auto datum = wire::decode<wire::ChannelDataEvent>(event.data);
      channel_data[datum->datum] = datum->value;
    }
  }
  channel_cq.id = channel_data.at(wire::ChannelDatum::cq_id);
  channel_rq.id = channel_data.at(wire::ChannelDatum::rq_id);
  channel_sq.id = channel_data.at(wire::ChannelDatum::sq_id);
  mem_key_ = channel_data.at(wire::ChannelDatum::gpa_mkey);
  arm(channel_eq);
  post_channel_buffer();
}

bool Driver::destroy() {
  const auto header = wire::encode(
      wire::SharedMemoryHeader{wire::SharedMemoryType::destroy, 0, false, 0, false, true});
  std::ranges::copy(*header, guest_.shared.begin() + 28);
  return store_shared();
}

void Driver::post_channel_buffer() {
  const wire::Sge sge{response_buffer_, mem_key_, kQueueBytes};
  post(channel_rq, wqe({}, std::array<std::uint8_t, 8>{}, {&sge, 1}));
}

std::optional<Response> Driver::request(wire::Command command,
                                        std::span<const std::uint8_t> body,
                                        std::uint32_t max_body,
                                        std::uint16_t response_version) {
  auto header =
      wire::standard_request(command,
                             static_cast<std::uint32_t>(wire::RequestHeader::kSize + body.size()),
                             wire::ResponseHeader::kSize + max_body);
  header.response.version = response_version;
  header.device = {device_type, 0};
  header.request.hwc_msg_id = 3;
  auto message = to_vector(*wire::encode(header));
  message.insert(message.end(), body.begin(), body.end());
  require(guest_.write(request_buffer_, message), "request buffer");

  wire::ChannelTxOob oob;
  oob.scq_id = channel_cq.id;
  oob.sq_id = channel_sq.id;
  wire::WqeHeader head;
  head.inline_oob = wire::OobSize::large;
  const wire::Sge sge{request_buffer_, mem_key_, static_cast<std::uint32_t>(message.size())};
  post(channel_sq, wqe(head, *wire::encode(oob), {&sge, 1}));

  std::optional<Response> response;
  unsigned sent = 0;
  for (const auto& entry : poll(channel_cq)) {
    const auto info = info_of(entry);
    const auto done = *wire::decode<wire::ChannelCompletion>(entry.data);
    if (info.is_sq) {
      ++sent;
      continue;
    }
    require(info.wq_id == channel_rq.id && done.data_bytes >= 32, "channel completion");
    require(done.data_bytes <= wire::ResponseHeader::kSize + max_body,
            "response longer than expected");
    std::vector<std::uint8_t> bytes(done.data_bytes);
    require(guest_.read(response_buffer_, bytes), "response buffer");
    response = Response{*wire::decode_front<wire::ResponseHeader>(bytes),
                        {bytes.begin() + 32, bytes.end()}};
    require(response->header.response.hwc_msg_id == 3, "message id");
    require(response->header.response.size == bytes.size(), "message size");
    post_channel_buffer();
  }
  require(sent == 1, "completion of the request");
  arm(channel_cq);
  poll(channel_eq);
  arm(channel_eq);
  return response;
}

// --- queues

std::vector<Entry> Driver::poll(ReadQueue& queue) {
  std::vector<Entry> entries;
  for (;;) {
    std::vector<std::uint8_t> bytes(queue.entry);
    require(guest_.read(queue.base + queue.head % queue.entries() * queue.entry, bytes),
            "read queue");
    const auto info = static_cast<std::uint32_t>(wire::load(bytes, queue.entry - 4, 4));
    const auto phase =
        wire::phase_of(static_cast<std::uint8_t>(info >> 29U), queue.head, queue.entries());
    require(phase != wire::Phase::overflow, "overflow");
    if (phase == wire::Phase::empty) return entries;
    bytes.resize(queue.entry - 4);
    entries.push_back({std::move(bytes), info});
    ++queue.head;
  }
}

void Driver::arm(const ReadQueue& queue) {
  const auto tail = wire::doorbell_tail(queue.head, queue.entries());
  const bool is_eq = queue.entry == wire::kEqeBytes;
  const auto bytes =
      is_eq ? *wire::encode(wire::EqDoorbell{static_cast<std::uint16_t>(queue.id), tail, true})
            : *wire::encode(wire::CqDoorbell{queue.id, tail, true});
  device_.store(kPage + (is_eq ? 0xff8 : 0x800), wire::load(bytes, 0, 8));
}

void Driver::post(WriteQueue& queue, std::span<const std::uint8_t> wqe) {
  for (std::size_t i = 0; i < wqe.size(); ++i) {
    const auto at = queue.base + (queue.head + i) % queue.bytes;
    require(guest_.write(at, wqe.subspan(i, 1)), "write queue");
  }
  queue.head += static_cast<std::uint32_t>(wqe.size());
  const auto bytes = queue.is_sq ? *wire::encode(wire::SqDoorbell{queue.id, queue.head})
                                 : *wire::encode(wire::RqDoorbell{queue.id, 0, queue.head});
  device_.store(kPage + (queue.is_sq ? 0 : 0x400), wire::load(bytes, 0, 8));
}

std::vector<std::uint8_t> Driver::wqe(wire::WqeHeader header,
                                      std::span<const std::uint8_t> oob,
                                      std::span<const wire::Sge> sges) {
  header.num_sge = static_cast<std::uint8_t>(sges.size());
  auto bytes = to_vector(*wire::encode(header));
  bytes.insert(bytes.end(), oob.begin(), oob.end());
  for (const auto& sge : sges) {
    const auto encoded = *wire::encode(sge);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  }
  bytes.resize(header.wqe_bytes());
  return bytes;
}

std::uint64_t Driver::region(std::uint64_t address, std::uint32_t bytes) {
  const auto pages = bytes / wire::kPageBytes;
  auto body = to_vector(*wire::encode(wire::CreateDmaRegionRequest{bytes, 0, 0, pages, pages}));
  body.resize(body.size() + pages * 8);
  for (std::uint32_t i = 0; i < pages; ++i) {
    wire::store(body, 24 + i * 8, 8, address + std::uint64_t{i} * wire::kPageBytes);
  }
  return call<wire::CreateDmaRegionResponse>(wire::Command::create_dma_region, body).value;
}

ReadQueue Driver::create_eq() {
  ReadQueue queue{0, guest_.allocate(kQueueBytes), kQueueBytes, wire::kEqeBytes, kQueueBytes / 16};
  wire::CreateQueueRequest create;
  create.pd_id = pd_id_;
  create.region = region(queue.base, kQueueBytes);
  create.queue_bytes = kQueueBytes;
  create.eq_msix = 1;
  queue.id =
      call<wire::CreateQueueResponse>(wire::Command::create_queue, *wire::encode(create)).value;
  request(wire::Command::generate_test_eqe, wire::GenerateTestEqeRequest{queue.id});
  require(poll(queue).size() == 1, "test event");
  arm(queue);
  return queue;
}

DriverQueue Driver::create_queue(std::size_t port, bool is_sq) {
  DriverQueue queue;
  queue.work = {0, guest_.allocate(kQueueBytes), kQueueBytes, 0, is_sq};
  queue.completions = {0, guest_.allocate(kQueueBytes), kQueueBytes, wire::kCqeBytes, 64};
  wire::CreateWqObjectRequest create;
  create.vport = ports.at(port).config.vport;
  create.type = is_sq ? wire::QueueType::sq : wire::QueueType::rq;
  create.wq_region = region(queue.work.base, kQueueBytes);
  create.cq_region = region(queue.completions.base, kQueueBytes);
  create.wq_bytes = create.cq_bytes = kQueueBytes;
  create.eq_id = eq.id;
  const auto created =
      call<wire::CreateWqObjectResponse>(wire::Command::create_wq_obj, *wire::encode(create));
  queue.work.id = created.wq_id;
  queue.completions.id = created.cq_id;
  queue.object = created.wq_object;
  return queue;
}

// --- bring-up and removal

void Driver::bring_up() {
  require(establish(), "establish");
  request(wire::Command::generate_test_eqe, wire::GenerateTestEqeRequest{channel_eq.id});
  wire::VerifyVersionRequest version;
  version.protocol_min = version.protocol_max = 1;
  call<wire::VerifyVersionResponse>(wire::Command::verify_version, *wire::encode(version));
  call<wire::MaxResourcesResponse>(wire::Command::query_max_resources, {});
  const auto devices = call<wire::ListDevicesResponse>(wire::Command::list_devices, {});
  require(devices.count == 3 && devices.devices[1].type == wire::DeviceType::mana, "devices");
  const auto registered = call<wire::RegisterDeviceResponse>(wire::Command::register_device, {});
  pd_id_ = registered.pd_id;
  mem_key_ = registered.gpa_mkey;
  eq = create_eq();
  const auto config = call<wire::QueryDeviceResponse>(
      wire::Command::query_dev_config, *wire::encode(wire::QueryDeviceRequest{{}, 0, 1, 1}), 2);
  ports.assign(config.max_vports, {});
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    ports[i].config = call<wire::QueryVportResponse>(wire::Command::query_vport_config,
                                                     *wire::encode(wire::QueryVportRequest{i}));
    link_up(i);
  }
}

void Driver::link_up(std::size_t index) {
  auto& port = ports.at(index);
  const auto vport = port.config.vport;
  port.tx_offset = call<wire::ConfigVportTxResponse>(
                       wire::Command::config_vport_tx,
                       *wire::encode(wire::ConfigVportTxRequest{vport, pd_id_, kDoorbellPageId}))
                       .tx_vport_offset;
  port.tx = create_queue(index, true);
  port.rx = create_queue(index, false);
  wire::ConfigVportRxRequest steer;
  steer.vport = vport;
  steer.entries = static_cast<std::uint16_t>(port.config.indirection_entries);
  steer.table_offset = 40 + 80;
  steer.rx_enable = 1;
  steer.update_default = steer.update_table = 1;
  steer.default_object = port.rx.object;
  auto body = to_vector(*wire::encode(steer));
  body.resize(80 + std::size_t{8} * steer.entries);
  for (std::size_t i = 0; i < steer.entries; ++i) wire::store(body, 80 + i * 8, 8, port.rx.object);
  require(request(wire::Command::config_vport_rx, body, 0)->header.status == 0, "steering");
  for (std::size_t i = 0; i < kBuffers; ++i) post_buffer(port, guest_.allocate(kBufferBytes));
}

void Driver::link_down(std::size_t index) {
  auto& port = ports.at(index);
  wire::ConfigVportRxRequest steer;
  steer.vport = port.config.vport;
  require(request(wire::Command::config_vport_rx, steer)->header.status == 0, "steering off");
  request(wire::Command::fence_rq, wire::FenceRqRequest{port.rx.object});
  receive(index);
  for (const auto* queue : {&port.tx, &port.rx}) {
    const auto type = queue->work.is_sq ? wire::QueueType::sq : wire::QueueType::rq;
    const auto destroyed =
        request(wire::Command::destroy_wq_obj, wire::DestroyWqObjectRequest{type, queue->object});
    require(destroyed && destroyed->header.status == 0, "destroy");
  }
  port.tx = port.rx = {};
  port.buffers.clear();
}

void Driver::tear_down() {
  for (std::size_t i = 0; i < ports.size(); ++i) link_down(i);
  request(wire::Command::disable_queue, wire::DisableQueueRequest{wire::QueueType::eq, eq.id, 0});
  request(wire::Command::deregister_device, std::span<const std::uint8_t>(), 0);
  require(destroy(), "destroy");
}

// --- packets

wire::TxShortOob Driver::oob(std::size_t index) const {
  const auto& port = ports.at(index);
  wire::TxShortOob oob;
  oob.cq_id = port.tx.completions.id;
  oob.sq_frame = static_cast<std::uint16_t>(port.tx.work.id >> 10U);
  oob.short_vport_offset = static_cast<std::uint8_t>(port.tx_offset);
  return oob;
}

void Driver::send(std::size_t port, std::span<const std::uint8_t> frame) {
  const auto buffer = guest_.allocate(frame.size());
  require(guest_.write(buffer, frame), "frame");
  const auto half = static_cast<std::uint32_t>(frame.size() / 2);
  const auto rest = static_cast<std::uint32_t>(frame.size()) - half;
  const wire::Sge sges[] = {{buffer, mem_key_, half}, {buffer + half, mem_key_, rest}};
  send(port, {}, oob(port), sges);
}

void Driver::send(std::size_t port,
                  const wire::WqeHeader& header,
                  const wire::TxShortOob& oob,
                  std::span<const wire::Sge> sges) {
  auto& queue = ports.at(port).tx;
  post(queue.work, wqe(header, *wire::encode(oob), sges));
  for (const auto& entry : poll(queue.completions)) {
    tx_results.push_back(wire::decode<wire::TxCompletion>(entry.data)->header.type);
  }
  arm(queue.completions);
}

void Driver::post_buffer(DriverPort& port, std::uint64_t address) {
  const wire::Sge sge{address, mem_key_, kBufferBytes};
  post(port.rx.work, wqe({}, std::array<std::uint8_t, 8>{}, {&sge, 1}));
  port.buffers.push_back(address);
}

std::vector<std::vector<std::uint8_t>> Driver::receive(std::size_t index) {
  auto& port = ports.at(index);
  std::vector<std::vector<std::uint8_t>> frames;
  for (const auto& entry : poll(port.rx.completions)) {
    const auto done = *wire::decode<wire::RxCompletion>(entry.data);
    if (done.header.type == wire::CqeType::rx_object_fence) {
      ++fences;
      continue;
    }
    const auto buffer = port.buffers.at(0);
    port.buffers.erase(port.buffers.begin());
    std::vector<std::uint8_t> frame(done.packets[0].length);
    require(guest_.read(buffer, frame), "received frame");
    frames.push_back(std::move(frame));
    post_buffer(port, buffer);
  }
  if (port.rx.completions.id != 0) arm(port.rx.completions);
  return frames;
}

}  // namespace manactl::device
