// SPDX-License-Identifier: MIT

#include "device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "device/message_channel.h"
#include "wire/hardware_channel.h"

namespace manactl::device {

Device::Device(Guest& guest, const Options& options, Trace& trace)
    : guest_(guest),
      options_(options),
      trace_(trace),
      hostile_(trace),
      queues_(guest, trace, hostile_),
      keys_(guest),
      control_(queues_, options, memory_),
      vports_(queues_, control_, options),
      packets_(keys_, queues_, vports_, options, trace),
      rdma_(queues_, control_, keys_, memory_) {
  keys_.add(kMemKey, {kPdId, true, 0, std::nullopt});
  for (const auto& fault : options.faults) faults_.add(fault);
  if (options.hostile) hostile_.start(*options.hostile);
}

void Device::store(std::uint32_t offset, std::uint64_t value) {
  if (offset == kSharedMemoryAt + wire::kSharedMemoryHeader) return handle_shared_memory();
  if (offset >= kDoorbellsAt && offset < kDoorbellsAt + kDoorbellPages * kDoorbellPageBytes) {
    const auto at = offset - kDoorbellsAt;
    return handle_doorbell(at / kDoorbellPageBytes, at % kDoorbellPageBytes, value);
  }
}

void Device::reset() {
  if (channel_.eq_id != 0) former_channel_ = channel_;
  channel_ = {};
  revoked_ = false;
  backlog_.clear();
  queues_.reset();
  control_.reset();
  vports_.reset();
  rdma_.reset();
}

void Device::deregister(wire::DeviceType type) {
  if (type == wire::DeviceType::mana) vports_.reset();
  if (type == wire::DeviceType::mana_ib) rdma_.reset();
}

// Ignores a header that is not a request, for example the device's own response.
void Device::handle_shared_memory() {
  std::array<std::uint8_t, wire::kSharedMemoryBytes> bytes{};
  guest_.read_shared(bytes);
  const auto header =
      wire::decode<wire::SharedMemoryHeader>(wire::Bytes(bytes).subspan(wire::kSharedMemoryHeader));
  if (!header) return trace_.violation(wire::describe(header.error()));
  if (header->response || header->type == wire::SharedMemoryType::none) return;

  const bool establishes = header->type == wire::SharedMemoryType::establish;
  const auto fault = faults_.find(establishes ? kFaultEstablish : kFaultDestroy);
  trace_.line(fmt::format("shared memory: {}{}", name_of(header->type), fault ? ", fault" : ""));
  if (fault && fault->kind == FaultKind::ignore) return;
  if (fault && fault->kind == FaultKind::refuse) {
    return respond_shared(header->type, static_cast<std::uint8_t>(fault->status));
  }
  reset();
  bool established = true;
  if (establishes) {
    const auto message = wire::decode<wire::SharedMemoryMessage>(bytes);
    established = message.has_value() && establish(*message);
    if (!message) trace_.violation(wire::describe(message.error()));
  }
  if (fault && fault->kind == FaultKind::no_response) return;
  const bool override_status = fault && fault->kind == FaultKind::status;
  respond_shared(header->type,
                 override_status ? static_cast<std::uint8_t>(fault->status)
                 : established   ? 0
                                 : 1);
  if (establishes && established) send_channel_data();
}

void Device::respond_shared(wire::SharedMemoryType type, std::uint8_t status) {
  const auto bytes = wire::encode(wire::SharedMemoryHeader{type, 0, true, status, false, false});
  if (bytes) guest_.write_shared_header(static_cast<std::uint32_t>(wire::load(*bytes, 0, 4)));
}

bool Device::establish(const wire::SharedMemoryMessage& message) {
  const auto page = [](std::uint64_t frame) {
    return Region{{frame << 12U}, 1, wire::kChannelQueueBytes, 0, 4096};
  };
  if (message.eq_msix >= kVectors) return false;
  const auto size = wire::kChannelQueueBytes;
  channel_.eq_id = queues_.add_eq(page(message.eq_frame), size, message.eq_msix).value_or(0);
  channel_.cq_id = queues_.add_cq(page(message.cq_frame), size, channel_.eq_id).value_or(0);
  channel_.rq_id = queues_.add_wq(page(message.rq_frame), size, false, channel_.cq_id).value_or(0);
  channel_.sq_id = queues_.add_wq(page(message.sq_frame), size, true, channel_.cq_id).value_or(0);
  return true;
}

// Sends the IDs and limits that the driver needs to use the channel.
void Device::send_channel_data() {
  using wire::ChannelDatum;
  const auto eq = wire::encode(
      wire::ChannelEqEvent{static_cast<std::uint16_t>(channel_.eq_id), kDoorbellPageId});
  if (eq) queues_.send_event(channel_.eq_id, wire::EventType::channel_init_eq, *eq);
  const std::pair<ChannelDatum, std::uint32_t> data[] = {
      {ChannelDatum::cq_id, channel_.cq_id},
      {ChannelDatum::rq_id, channel_.rq_id},
      {ChannelDatum::sq_id, channel_.sq_id},
      {ChannelDatum::queue_depth, wire::kChannelBootstrapDepth},
      {ChannelDatum::max_request, wire::kChannelMaxMessage},
      {ChannelDatum::max_response, wire::kChannelMaxMessage},
      {ChannelDatum::max_cqs, Queues::kMaxCqs},
      {ChannelDatum::pd_id, kPdId},
      {ChannelDatum::gpa_mkey, kMemKey},
  };
  for (const auto& [datum, value] : data) {
    const auto event = wire::encode(wire::ChannelDataEvent{value, datum});
    if (event) queues_.send_event(channel_.eq_id, wire::EventType::channel_init_data, *event);
  }
  send_event(wire::EventType::channel_init_done);
}

bool Device::send_event(wire::EventType type) {
  if (channel_.eq_id == 0) return false;
  queues_.send_event(channel_.eq_id, type, std::array<std::uint8_t, wire::kEqeDataBytes>{});
  return true;
}

void Device::set_link(bool up) {
  using wire::ReconfigurationDatum;
  packets_.set_link(up);
  const auto event = wire::encode(wire::ReconfigurationEvent{
      0, up ? ReconfigurationDatum::link_up : ReconfigurationDatum::link_down});
  if (event && channel_.eq_id != 0) {
    queues_.send_event(channel_.eq_id, wire::EventType::soc_reconfiguration, *event);
  }
}

void Device::handle_doorbell(std::uint32_t page, std::uint32_t offset, std::uint64_t value) {
  const auto target = wire::doorbell_target(offset);
  if (!target) return trace_.violation(wire::describe(target.error()));
  std::array<std::uint8_t, 8> bytes{};
  wire::store(bytes, 0, 8, value);
  const auto note = [this](const wire::Refusal& why) { trace_.violation(wire::describe(why)); };
  switch (*target) {
    case wire::DoorbellTarget::sq: {
      const auto bell = wire::decode<wire::SqDoorbell>(bytes);
      return bell ? handle_work_doorbell(page, bell->id, bell->tail, true) : note(bell.error());
    }
    case wire::DoorbellTarget::rq: {
      const auto bell = wire::decode<wire::RqDoorbell>(bytes);
      return bell ? handle_work_doorbell(page, bell->id, bell->tail, false) : note(bell.error());
    }
    case wire::DoorbellTarget::cq: {
      const auto bell = wire::decode<wire::CqDoorbell>(bytes);
      return bell ? arm(*bell, former_channel_.cq_id) : note(bell.error());
    }
    case wire::DoorbellTarget::eq: {
      const auto bell = wire::decode<wire::EqDoorbell>(bytes);
      return bell ? arm(*bell, former_channel_.eq_id) : note(bell.error());
    }
    default:
      return trace_.line(fmt::format("doorbell {} is ignored", name_of(*target)));
  }
}

// A late doorbell of the channel is not a violation. In Linux, mana_hwc_comp_event() and
// mana_gd_process_eq_events() wake the thread that waits for a response, and only then arm the CQ
// and the EQ. Meanwhile that thread may tear down the channel, because mana_hwc_destroy_channel()
// does not wait for these handlers first.
template <class Doorbell>
void Device::arm(const Doorbell& bell, std::uint32_t former_id) {
  const bool is_late = channel_.eq_id == 0 && bell.id == former_id && former_id != 0;
  if (is_late)
    return trace_.line(
        fmt::format("ignored a late doorbell for queue {} of the former channel", bell.id));
  queues_.ring(bell);
}

void Device::handle_work_doorbell(std::uint32_t page,
                                  std::uint32_t id,
                                  std::uint32_t tail,
                                  bool is_sq) {
  if (revoked_ && id != channel_.sq_id && id != channel_.rq_id) return;
  auto* queue = queues_.wqs().find(id);
  if (queue == nullptr || queue->is_sq != is_sq) {
    return trace_.violation(
        fmt::format("doorbell for {} {}, which does not exist", is_sq ? "SQ" : "RQ", id));
  }
  const auto owned = vports_.doorbell_page_of(id).value_or(kDoorbellPageId);
  if (page != owned) {
    return trace_.violation(fmt::format(
        "doorbell for WQ {} on page {}, which is not page {} of its vPort", id, page, owned));
  }
  if (!post(*queue, tail)) {
    return trace_.violation(fmt::format(
        "doorbell for WQ {}: tail {:#x} is not a multiple of {} bytes, or posts more than "
        "the ring of {} bytes",
        id,
        tail,
        wire::kBasicUnit,
        queue->ring.bytes()));
  }
  if (!is_sq) return;
  if (id == channel_.sq_id) return handle_requests();
  // The WQEs of an SQ in the backlog are sent by work().
  if (!backlog_.contains(id)) transmit(id);
}

void Device::transmit(std::uint32_t sq_id) {
  if (packets_.transmit(sq_id)) {
    backlog_.insert(sq_id);
  } else {
    backlog_.erase(sq_id);
  }
  packets_.notify();
}

// Attends to one SQ of the backlog after the other.
void Device::work() {
  auto next = backlog_.upper_bound(last_sent_);
  if (next == backlog_.end()) next = backlog_.begin();
  if (next == backlog_.end()) return;
  last_sent_ = *next;
  transmit(last_sent_);
}

void Device::handle_requests() {
  for (;;) {
    // Look up the queue in each round, because a message may destroy the channel.
    auto* queue = queues_.wqs().find(channel_.sq_id);
    if (queue == nullptr) return;
    std::string why;
    const auto wqe = take(*queue, why);
    if (!why.empty()) trace_.violation("hardware channel: " + why);
    if (!wqe) return;
    const auto oob = wire::decode<wire::ChannelTxOob>(wqe->oob);
    if (!oob) trace_.violation(wire::describe(oob.error()));
    const auto bytes = gather(keys_, *wqe, kPdId, wire::kChannelMaxMessage);
    if (!bytes) trace_.violation(fmt::format("hardware channel: {}", wire::name_of(bytes.error())));
    complete_channel(channel_.sq_id, true, *wqe, 0);
    if (oob && bytes) handle_message(*bytes);
    queues_.notify(channel_.cq_id);
  }
}

void Device::complete_channel(std::uint32_t wq_id, bool is_sq, const Wqe& wqe, std::size_t bytes) {
  wire::ChannelCompletion completion;
  completion.start_of_message = completion.end_of_message = true;
  completion.wqe_offset = wqe.offset;
  completion.data_bytes = static_cast<std::uint32_t>(bytes);
  const auto data = wire::encode(completion);
  if (data) queues_.complete(channel_.cq_id, *data, wq_id, is_sq);
}

void Device::handle_message(wire::Bytes bytes) {
  const auto header = wire::decode_request_header(bytes);
  if (!header) return trace_.violation(wire::describe(header.error()));
  ++messages_;
  const auto fault = faults_.find(header->request.code);
  Request request{static_cast<wire::Command>(header->request.code), *header, bytes};
  const auto reply = execute(request, fault);
  const bool ignored = fault && fault->kind == FaultKind::ignore;
  const auto name = name_of(request.command);
  // A planned fault can make requests with unknown codes succeed, of which a guest can send any.
  const bool executed = !ignored && !name.empty() && reply.status == wire::kStatusSuccess;
  if (executed) ++executed_[request.command];
  trace_.line(fmt::format("{:#x} {} request {} response {} status {:#x}{}{}{}",
                          header->request.code,
                          name.empty() ? "unknown" : name,
                          bytes.size(),
                          reply.body.size() + wire::ResponseHeader::kSize,
                          reply.status,
                          fault ? ", fault" : "",
                          reply.reason.empty() ? "" : ": ",
                          reply.reason));
  if (!reply.over_budget.empty()) {
    trace_.warn_once(reply.over_budget,
                     fmt::format("the guest can create no more {}: all its objects may use {} of "
                                 "memory; requests that need more fail",
                                 reply.over_budget,
                                 human_bytes(kGuestMemory)));
  }
  if (ignored) return;
  if (!fault || fault->kind != FaultKind::no_response) {
    respond(*header, reply);
    queues_.notify(channel_.cq_id);
  }
  if (reply.after) reply.after();
}

Reply Device::execute(const Request& request, const std::optional<Fault>& fault) {
  if (fault && fault->kind == FaultKind::ignore) return {};
  if (fault && fault->kind == FaultKind::refuse)
    return Reply::refuse(fault->status, "planned fault");
  Reply reply = Reply::refuse(wire::kStatusUnsupported, "unknown command");
  if (request.command == wire::Command::deregister_device) {
    deregister(request.header.device.type);
    reply = {};
  } else if (auto control = control_.handle(request)) {
    reply = std::move(*control);
  } else if (auto vports = vports_.handle(request)) {
    reply = std::move(*vports);
  } else if (auto rdma = rdma_.handle(request)) {
    reply = std::move(*rdma);
  }
  if (fault && fault->kind == FaultKind::status) reply.status = fault->status;
  if (fault && fault->kind == FaultKind::truncate) reply.body.clear();
  return reply;
}

// Truncates the response to the size that the driver expects.
void Device::respond(const wire::RequestHeader& request, const Reply& reply) {
  const std::size_t limit = std::min(request.response.size, wire::kChannelMaxMessage);
  if (limit < wire::ResponseHeader::kSize) {
    return trace_.violation(
        fmt::format("the driver expects a response of {} bytes, the minimum is {}",
                    limit,
                    wire::ResponseHeader::kSize));
  }
  const auto size = std::min(limit, wire::ResponseHeader::kSize + reply.body.size());
  wire::ResponseHeader header{request.response, request.device, request.activity_id, reply.status};
  header.response.hwc_msg_id = request.request.hwc_msg_id;
  header.response.size = static_cast<std::uint32_t>(size);
  const auto wrong = hostile_.pick(kResponseKinds, "response");
  if (wrong) corrupt(*wrong, header);
  const auto bytes = wire::encode(header);
  if (!bytes) return trace_.violation(wire::describe(bytes.error()));
  auto message = concatenated(*bytes, reply.body);
  message.resize(size);
  if (wrong && wrong->kind == HostileKind::unsolicited_event) {
    const auto event = unsolicited_event(wrong->random);
    queues_.send_event(channel_.eq_id, event.type, event.data);
  }
  send_response(message, wrong);
}

void Device::send_response(wire::Bytes bytes, std::optional<Misbehavior> wrong) {
  auto* queue = queues_.wqs().find(channel_.rq_id);
  if (queue == nullptr) return;
  std::string why;
  const auto wqe = take(*queue, why);
  if (!wqe)
    return trace_.violation(why.empty() ? "hardware channel: no buffer for the response"
                                        : "hardware channel: response buffer: " + why);
  const auto written = scatter(keys_, *wqe, kPdId, bytes);
  if (!written) {
    return trace_.violation(
        fmt::format("hardware channel: response buffer: {}", wire::name_of(written.error())));
  }
  if (*written != bytes.size()) {
    return trace_.violation(
        fmt::format("hardware channel: the {} bytes of a response do not fit into the buffer of {}",
                    bytes.size(),
                    *written));
  }
  const bool wrong_bytes = wrong && wrong->kind == HostileKind::response_completion_length;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  complete_channel(
      channel_.rq_id, false, *wqe, wrong_bytes ? wrong_length(wrong->random, size) : size);
}

}  // namespace manactl::device
