// SPDX-License-Identifier: MIT

#include "wire/doorbell.h"
#include "wire/event.h"
#include "wire/hardware_channel.h"
#include "wire/oob.h"
#include "wire/pieces.h"
#include "wire/registers.h"
#include "wire/work_queue.h"

namespace manactl::wire {
namespace {

const Table* event_table(EventType type) {
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

// nullptr: the type does not say what the data is.
const Table* completion_table(CqeType type) {
  if (type == CqeType::invalid || name_of(type).empty()) return nullptr;
  if (type == CqeType::rx_coalesced_8) return &kTable<RxCompletion8>;
  return type < CqeType::tx_okay ? &kTable<RxCompletion> : &kTable<TxCompletion>;
}

// One who posts WQEs; what the inline OOB means is theirs.
enum class Client : std::uint8_t { sq, rq, channel };

const Table* oob_table(Client client, std::size_t size) {
  if (client == Client::sq && size == kSmallOob) return &kTable<TxShortOob>;
  if (client == Client::sq && size == kLargeOob) return &kTable<TxLongOob>;
  if (client == Client::channel && size == kLargeOob) return &kTable<ChannelTxOob>;
  return nullptr;  // drivers announce one for a receive WQE, and do not write it
}

Checked<Dissection> dissect_wqe(Bytes rest, Client client) {
  if (rest.size() >= kBasicUnit && is_zero(rest.first(kBasicUnit))) return nothing(kBasicUnit);
  const auto header = decode_front<WqeHeader>(rest);
  // Where everything else is depends on it.
  if (!header) return tl::unexpected<Refusal>(header.error());
  const auto used = header->sge_offset() + header->num_sge * Sge::kSize;
  if (rest.size() < used) return wrong_length("WQE", rest.size(), header->wqe_bytes());
  Pieces pieces(rest);
  pieces.record(kTable<WqeHeader>);
  const auto* oob = oob_table(client, header->oob_bytes());
  oob != nullptr ? pieces.record(*oob) : pieces.data("OOB", header->oob_bytes());
  for (unsigned i = 0; i < header->num_sge; ++i) pieces.record(kTable<Sge>);
  return pieces.finish(std::min<std::size_t>(rest.size(), header->wqe_bytes()));
}

}  // namespace

Checked<Dissection> dissect_cqe(Bytes rest) {
  if (rest.size() < kCqeBytes) return wrong_length("CQE", rest.size(), kCqeBytes);
  if (is_zero(rest.first(kCqeBytes))) return nothing(kCqeBytes);
  Pieces pieces(rest);
  const auto* table = completion_table(static_cast<CqeType>(rest[0] & mask_of(6)));
  if (table != nullptr) {
    pieces.record(*table);
  } else {
    pieces.record(kTable<CqeHeader>);
    pieces.data("data", kCqeDataBytes - CqeHeader::kSize);
  }
  pieces.record(kTable<CqeInfo>);
  return pieces.finish(kCqeBytes);
}

Checked<Dissection> dissect_channel_cqe(Bytes rest) {
  if (rest.size() < kCqeBytes) return wrong_length("CQE", rest.size(), kCqeBytes);
  if (is_zero(rest.first(kCqeBytes))) return nothing(kCqeBytes);
  Pieces pieces(rest);
  pieces.record(kTable<ChannelCompletion>);
  pieces.record(kTable<CqeInfo>);
  return pieces.finish(kCqeBytes);
}

Checked<Dissection> dissect_eqe(Bytes rest) {
  if (rest.size() < kEqeBytes) return wrong_length("EQE", rest.size(), kEqeBytes);
  if (is_zero(rest.first(kEqeBytes))) return nothing(kEqeBytes);
  Pieces pieces(rest);
  const auto* table = event_table(static_cast<EventType>(rest[kEqeDataBytes]));
  table != nullptr ? pieces.record(*table) : pieces.data("data", kEqeDataBytes);
  pieces.record(kTable<EqeInfo>);
  return pieces.finish(kEqeBytes);
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
  Pieces pieces(rest);
  pieces.record(table);
  return pieces.finish(table.size);
}

Checked<Dissection> dissect_vf_registers(Bytes rest) {
  if (rest.size() < VfRegisters::kSize) {
    return wrong_length(VfRegisters::kName, rest.size(), VfRegisters::kSize);
  }
  Pieces pieces(rest);
  pieces.record(kTable<VfRegisters>);
  return pieces.finish(rest.size());
}

Checked<Dissection> dissect_pf_registers(Bytes rest) {
  constexpr auto kEnd = kPfDoorbellPageOffset + PfRegisters::kSize;
  if (rest.size() < kEnd) return wrong_length(PfRegisters::kName, rest.size(), kEnd);
  Pieces pieces(rest);
  pieces.skip(kPfDoorbellPageOffset);
  pieces.record(kTable<PfRegisters>);
  return pieces.finish(rest.size());
}

}  // namespace manactl::wire
