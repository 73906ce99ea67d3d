// SPDX-License-Identifier: MIT

#include "wire/dissection_builder.h"
#include "wire/doorbell.h"
#include "wire/event.h"
#include "wire/hardware_channel.h"
#include "wire/oob.h"
#include "wire/registers.h"
#include "wire/work_queue.h"

namespace manactl::wire {
namespace {

const RecordTable* event_table(EventType type) {
  switch (type) {
    case EventType::completion:
      return &kTable<CompletionEvent>;
    case EventType::channel_init_eq:
      return &kTable<ChannelEqEvent>;
    case EventType::channel_init_data:
      return &kTable<ChannelDataEvent>;
    case EventType::soc_reconfiguration:
      return &kTable<ReconfigurationEvent>;
    case EventType::soc_service:
      return &kTable<ServiceEvent>;
    case EventType::rnic_qp_fatal:
      return &kTable<QpFatalEvent>;
    default:
      return nullptr;
  }
}

// Returns nullptr if the type does not determine the layout of the data.
const RecordTable* completion_table(CqeType type) {
  if (type == CqeType::invalid || name_of(type).empty()) return nullptr;
  if (type == CqeType::rx_coalesced_8) return &kTable<RxCompletion8>;
  return type < CqeType::tx_okay ? &kTable<RxCompletion> : &kTable<TxCompletion>;
}

// The type of queue, which determines the meaning of the inline OOB.
enum class Client : std::uint8_t { sq, rq, channel };

const RecordTable* oob_table(Client client, std::size_t size) {
  if (client == Client::sq && size == kSmallOob) return &kTable<TxShortOob>;
  if (client == Client::sq && size == kLargeOob) return &kTable<TxLongOob>;
  if (client == Client::channel && size == kLargeOob) return &kTable<ChannelTxOob>;
  return nullptr;  // receive WQEs contain an OOB but do not use it
}

Checked<Dissection> dissect_wqe(Bytes rest, Client client) {
  if (rest.size() >= kBasicUnit && is_zero(rest.first(kBasicUnit)))
    return empty_dissection(kBasicUnit);
  const auto header = decode_front<WqeHeader>(rest);
  if (!header) return tl::unexpected<Refusal>(header.error());
  const auto used = header->sge_offset() + header->num_sge * Sge::kSize;
  if (rest.size() < used) return wrong_length("WQE", rest.size(), header->wqe_bytes());
  DissectionBuilder builder(rest);
  builder.record(kTable<WqeHeader>);
  const auto* oob = oob_table(client, header->oob_bytes());
  oob != nullptr ? builder.record(*oob) : builder.data("OOB", header->oob_bytes());
  for (unsigned i = 0; i < header->num_sge; ++i) builder.record(kTable<Sge>);
  return builder.finish(std::min<std::size_t>(rest.size(), header->wqe_bytes()));
}

}  // namespace

Checked<Dissection> dissect_cqe(Bytes rest) {
  if (rest.size() < kCqeBytes) return wrong_length("CQE", rest.size(), kCqeBytes);
  if (is_zero(rest.first(kCqeBytes))) return empty_dissection(kCqeBytes);
  DissectionBuilder builder(rest);
  const auto* table = completion_table(static_cast<CqeType>(rest[0] & mask_of(6)));
  if (table != nullptr) {
    builder.record(*table);
  } else {
    builder.record(kTable<CqeHeader>);
    builder.data("data", kCqeDataBytes - CqeHeader::kSize);
  }
  builder.record(kTable<CqeInfo>);
  return builder.finish(kCqeBytes);
}

Checked<Dissection> dissect_channel_cqe(Bytes rest) {
  if (rest.size() < kCqeBytes) return wrong_length("CQE", rest.size(), kCqeBytes);
  if (is_zero(rest.first(kCqeBytes))) return empty_dissection(kCqeBytes);
  DissectionBuilder builder(rest);
  builder.record(kTable<ChannelCompletion>);
  builder.record(kTable<CqeInfo>);
  return builder.finish(kCqeBytes);
}

Checked<Dissection> dissect_eqe(Bytes rest) {
  if (rest.size() < kEqeBytes) return wrong_length("EQE", rest.size(), kEqeBytes);
  if (is_zero(rest.first(kEqeBytes))) return empty_dissection(kEqeBytes);
  DissectionBuilder builder(rest);
  const auto* table = event_table(static_cast<EventType>(rest[kEqeDataBytes]));
  table != nullptr ? builder.record(*table) : builder.data("data", kEqeDataBytes);
  builder.record(kTable<EqeInfo>);
  return builder.finish(kEqeBytes);
}

Checked<Dissection> dissect_sq_wqe(Bytes rest) {
  return dissect_wqe(rest, Client::sq);
}

Checked<Dissection> dissect_rq_wqe(Bytes rest) {
  return dissect_wqe(rest, Client::rq);
}

Checked<Dissection> dissect_channel_wqe(Bytes rest) {
  return dissect_wqe(rest, Client::channel);
}

Checked<Dissection> dissect_tx_oob(Bytes rest) {
  const bool is_long = !rest.empty() && (rest[0] & mask_of(2)) ==
                                            static_cast<std::uint64_t>(PacketFormat::long_form);
  const auto& table = is_long ? kTable<TxLongOob> : kTable<TxShortOob>;
  if (rest.size() < table.size) return wrong_length(table.name, rest.size(), table.size);
  DissectionBuilder builder(rest);
  builder.record(table);
  return builder.finish(table.size);
}

Checked<Dissection> dissect_vf_registers(Bytes rest) {
  if (rest.size() < VfRegisters::kSize) {
    return wrong_length(VfRegisters::kName, rest.size(), VfRegisters::kSize);
  }
  DissectionBuilder builder(rest);
  builder.record(kTable<VfRegisters>);
  return builder.finish(rest.size());
}

Checked<Dissection> dissect_pf_registers(Bytes rest) {
  constexpr auto kEnd = kPfDoorbellPageOffset + PfRegisters::kSize;
  if (rest.size() < kEnd) return wrong_length(PfRegisters::kName, rest.size(), kEnd);
  DissectionBuilder builder(rest);
  builder.skip(kPfDoorbellPageOffset);
  builder.record(kTable<PfRegisters>);
  return builder.finish(rest.size());
}

}  // namespace manactl::wire
