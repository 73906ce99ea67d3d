// SPDX-License-Identifier: MIT

#include "wire/dissect.h"

#include "wire/dissection_builder.h"
#include "wire/doorbell.h"
#include "wire/event.h"
#include "wire/hardware_channel.h"
#include "wire/messages.h"
#include "wire/oob.h"
#include "wire/shared_memory.h"
#include "wire/work_queue.h"

namespace manactl::wire {
namespace {

template <class T>
constexpr Kind record(std::string_view name, std::string_view summary) {
  return {name, summary, &kTable<T>, nullptr, nullptr};
}

constexpr Kind parts(std::string_view name, std::string_view summary, DissectFunction dissect) {
  return {name, summary, nullptr, dissect, nullptr};
}

constexpr Kind number(std::string_view name, std::string_view summary, NameFunction name_of) {
  return {name, summary, nullptr, nullptr, name_of};
}

constexpr Kind kKinds[] = {
    parts("cqe", "completion queue entries, 64 bytes each", dissect_cqe),
    parts("eqe", "event queue entries, 16 bytes each", dissect_eqe),
    parts("sq-wqe", "send work queue entries", dissect_sq_wqe),
    parts("rq-wqe", "receive work queue entries", dissect_rq_wqe),
    parts("request", "a request on the hardware channel, with its body", dissect_request),
    parts("response", "a response on the hardware channel, with its body", dissect_response),
    record<SharedMemoryMessage>("shared-memory", "the shared-memory channel, 32 bytes"),
    parts("vf-registers", "BAR 0 of a VF, 32 bytes or more", dissect_vf_registers),
    parts("pf-registers", "BAR 0 of a PF, 272 bytes or more", dissect_pf_registers),
    {"doorbell", "any doorbell, selected by its --offset in the page"},
    record<SqDoorbell>("sq-doorbell", "doorbell of a send queue"),
    record<RqDoorbell>("rq-doorbell", "doorbell of a receive queue"),
    record<CqDoorbell>("cq-doorbell", "doorbell of a completion queue"),
    record<EqDoorbell>("eq-doorbell", "doorbell of an event queue"),
    record<ModerationDoorbell>("moderation-doorbell", "interrupt moderation of a CQ"),
    record<ShortWorkDoorbell>("short-wq-doorbell", "32-bit doorbell of a send or receive queue"),
    record<ShortEventDoorbell>("short-cq-doorbell", "32-bit doorbell of a CQ or an event queue"),
    record<WqeHeader>("wqe-header", "the first 8 bytes of a WQE"),
    record<Sge>("sge", "scatter-gather entries, 16 bytes each"),
    parts("tx-oob", "inline OOB of a packet, short or long", dissect_tx_oob),
    record<RxCompletion>("rx-completion", "the first 60 bytes of a receive CQE, up to 4 packets"),
    record<RxCompletion8>("rx-completion-8",
                          "the first 60 bytes of a receive CQE, up to 8 packets"),
    record<TxCompletion>("tx-completion", "the first 60 bytes of a transmit CQE"),
    record<CqeHeader>("cqe-header", "the first 4 bytes of an Ethernet CQE"),
    record<CqeInfo>("cqe-info", "the last dword of a CQE"),
    record<EqeInfo>("eqe-info", "the last dword of an EQE"),
    parts("hwc-cqe", "CQEs of the hardware channel", dissect_channel_cqe),
    parts("hwc-wqe", "send WQEs of the hardware channel", dissect_channel_wqe),
    record<ChannelTxOob>("hwc-oob", "inline OOB of a message on the hardware channel"),
    record<MessageHeader>("message-header", "the first 16 bytes of a request or response"),
    record<DeviceId>("device-id", "type and instance of a device, 4 bytes"),
    record<RequestHeader>("request-header", "the first 40 bytes of a request"),
    record<ResponseHeader>("response-header", "the first 32 bytes of a response"),
    record<SharedMemoryHeader>("shared-memory-header",
                               "the last dword of the shared-memory channel"),
    number("command", "code of a request", name_of_number<Command>),
    number("status", "status of a response", status_name),
    number("cqe-type", "type of a completion", name_of_number<CqeType>),
    number("vendor-error", "vendor error of a completion", name_of_number<VendorError>),
    number("event", "type of an event", name_of_number<EventType>),
};

Checked<Dissection> one(const Kind& kind, Bytes rest) {
  if (kind.dissect != nullptr) return kind.dissect(rest);
  if (rest.size() < kind.table->size) {
    return wrong_length(kind.table->name, rest.size(), kind.table->size);
  }
  DissectionBuilder builder(rest);
  builder.record(*kind.table);
  return builder.finish(kind.table->size);
}

}  // namespace

const Section& DissectionBuilder::record(const RecordTable& table, std::size_t size) {
  const auto bytes = bytes_.subspan(at_, size);
  auto reading = read_fields(table, bytes);
  auto& refusals = out_.refusals;
  refusals.insert(refusals.end(), reading.refusals.begin(), reading.refusals.end());
  out_.sections.push_back({table.name, at_, bytes, std::move(reading.fields), {}});
  // With data(), the caller can add the bytes that follow the last complete field.
  at_ += reading.bits / 8;
  return out_.sections.back();
}

void DissectionBuilder::data(std::string_view title, std::size_t size) {
  if (size > 0) out_.sections.push_back({title, at_, bytes_.subspan(at_, size), {}, {}});
  at_ += size;
}

void DissectionBuilder::list(std::string_view title, std::size_t at, std::size_t count) {
  const auto bytes = bytes_.subspan(at, count * 8);
  std::vector<std::uint64_t> numbers;
  numbers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(load(bytes, i * 8, 8));
  out_.sections.push_back({title, at, bytes, {}, std::move(numbers)});
  at_ = std::max(at_, at + bytes.size());
}

Dissection DissectionBuilder::finish(std::size_t size) {
  out_.size = size;
  return std::move(out_);
}

Dissection empty_dissection(std::size_t size) {
  Dissection empty;
  empty.size = size;
  empty.is_empty = true;
  return empty;
}

std::span<const Kind> kinds() {
  return kKinds;
}

const Kind* find_kind(std::string_view name) {
  const auto* found = std::ranges::find(kKinds, name, &Kind::name);
  return found == std::end(kKinds) ? nullptr : found;
}

const Kind* doorbell_kind(std::uint64_t offset) {
  // The layout of rq_client is unknown, as is that of an offset without a doorbell.
  switch (doorbell_target(offset).value_or(DoorbellTarget::rq_client)) {
    case DoorbellTarget::sq:
      return find_kind("sq-doorbell");
    case DoorbellTarget::rq:
      return find_kind("rq-doorbell");
    case DoorbellTarget::cq:
      return find_kind("cq-doorbell");
    case DoorbellTarget::eq:
      return find_kind("eq-doorbell");
    case DoorbellTarget::moderation:
      return find_kind("moderation-doorbell");
    case DoorbellTarget::sq_short:
    case DoorbellTarget::rq_short:
      return find_kind("short-wq-doorbell");
    case DoorbellTarget::cq_short:
    case DoorbellTarget::eq_short:
      return find_kind("short-cq-doorbell");
    case DoorbellTarget::rq_client:
      break;
  }
  return nullptr;
}

Checked<std::vector<Dissection>> dissect(const Kind& kind, Bytes input) {
  std::vector<Dissection> all;
  std::size_t at = 0;
  do {
    auto next = one(kind, input.subspan(at));
    if (!next) return tl::unexpected<Refusal>(next.error());
    next->at = at;
    for (auto& section : next->sections) section.at += at;
    at += next->size;
    all.push_back(std::move(*next));
  } while (at < input.size());
  return all;
}

}  // namespace manactl::wire
