// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstdlib>

#include "fuzz/entry_points.h"
#include "fuzz/require.h"
#include "wire/dissect.h"
#include "wire/doorbell.h"
#include "wire/event.h"
#include "wire/hardware_channel.h"
#include "wire/mana_messages.h"
#include "wire/oob.h"
#include "wire/port_messages.h"
#include "wire/record_table.h"
#include "wire/registers.h"
#include "wire/shared_memory.h"
#include "wire/work_queue.h"

namespace manactl::fuzz {
namespace {

// Decoded records must encode to the same bytes. If decoding fails, read_fields() must report that
// error first.
template <class T>
void round_trip(wire::Bytes bytes) {
  const auto value = wire::decode_front<T>(bytes);
  if (bytes.size() >= T::kSize) {
    const auto reading = wire::read_fields(wire::kTable<T>, bytes);
    require(value.has_value() == reading.refusals.empty());
    require(value.has_value() || value.error() == reading.refusals.front());
  }
  if (!value) {
    require(!value.error().field.empty() && !wire::describe(value.error()).empty());
    return;
  }
  const auto again = wire::encode(*value);
  require(again.has_value() && std::ranges::equal(*again, bytes.first(T::kSize)));
  require(!wire::fields_of(*value).empty());
}

template <class... T>
void round_trips(wire::Bytes bytes) {
  (round_trip<T>(bytes), ...);
}

// Requires that the dissections of `bytes` are contiguous and cover all bytes.
void dissect_as(const wire::Kind& kind, wire::Bytes bytes) {
  if (kind.table == nullptr && kind.dissect == nullptr) return;
  const auto all = wire::dissect(kind, bytes);
  if (!all) {
    require(!all.error().field.empty() && !wire::describe(all.error()).empty());
    return;
  }
  std::size_t at = 0;
  for (const auto& dissection : *all) {
    require(dissection.at == at && dissection.size > 0);
    at += dissection.size;
    for (const auto& section : dissection.sections) {
      require(section.at >= dissection.at && section.at + section.bytes.size() <= at);
    }
  }
  require(at == bytes.size());
}

}  // namespace

void wire(std::string_view input) {
  namespace w = manactl::wire;
  const w::Bytes bytes(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  round_trips<w::SharedMemoryMessage, w::SharedMemoryHeader>(bytes);
  round_trips<w::SqDoorbell, w::RqDoorbell, w::CqDoorbell, w::EqDoorbell>(bytes);
  round_trips<w::ShortWorkDoorbell, w::ShortEventDoorbell>(bytes);
  round_trips<w::WqeHeader, w::Sge, w::TxShortOob, w::TxLongOob, w::ChannelTxOob>(bytes);
  round_trips<w::CqeInfo, w::RxCompletion, w::TxCompletion, w::ChannelCompletion>(bytes);
  round_trips<w::EqeInfo, w::CompletionEvent, w::ChannelEqEvent, w::ChannelDataEvent>(bytes);
  round_trips<w::RequestHeader, w::ResponseHeader, w::ListDevicesResponse>(bytes);
  round_trips<w::VerifyVersionRequest, w::CreateQueueRequest, w::DisableQueueRequest>(bytes);
  round_trips<w::CreateDmaRegionRequest, w::AddPagesRequest, w::HwcTimeoutBody>(bytes);
  round_trips<w::QueryDeviceRequest, w::QueryDeviceResponse, w::QueryVportResponse>(bytes);
  round_trips<w::ConfigVportTxRequest, w::ConfigVportTxResponse, w::ConfigVportRxRequest>(bytes);
  round_trips<w::CreateWqObjectRequest, w::DestroyWqObjectRequest, w::StatisticsResponse>(bytes);
  round_trips<w::ModerationDoorbell, w::RxCompletion8, w::RxPacketPair, w::QpFatalEvent>(bytes);
  round_trips<w::ReconfigurationEvent, w::ServiceEvent, w::VfRegisters, w::PfRegisters>(bytes);
  round_trips<w::CreateWqObjectRequest3, w::CreateWqObjectResponse2>(bytes);
  round_trips<w::ConfigVportRxRequest2, w::ConfigVportRxResponse, w::ChangeMsixRequest>(bytes);
  round_trips<w::QueryLinkResponse, w::SetBandwidthRequest, w::SetBandwidthResponse>(bytes);
  round_trips<w::PhysicalStatisticsResponse, w::RegisterHwPortRequest>(bytes);
  round_trips<w::RegisterFilterRequest, w::AssignSerialRequest, w::MoveFilterRequest>(bytes);

  for (const auto& kind : w::kinds()) dissect_as(kind, bytes);

  const auto oob = w::decode_tx_oob(bytes);
  require(!oob || oob->vport_offset() <= 0xfff);
  const auto header = w::decode_request_header(bytes);
  require(!header || header->request.size == bytes.size());
  if (bytes.size() >= w::kHashKeyBytes) {
    w::HashKey key{};
    std::ranges::copy(bytes.first(key.size()), key.begin());
    (void)w::toeplitz(key, bytes.subspan(key.size()));
  }
  if (bytes.size() < 8) return;
  const auto list = w::NumberList::at("fuzz", bytes.subspan(8), w::load(bytes, 0, 8));
  for (std::size_t i = 0; list && i < list->size(); ++i) require((*list)[i] >= (*list)[i] / 2);
}

}  // namespace manactl::fuzz
