// SPDX-License-Identifier: MIT

#include "wire/advice.h"

#include <algorithm>
#include <span>

#include "wire/completion.h"
#include "wire/event.h"
#include "wire/gdma_messages.h"
#include "wire/shared_memory.h"

namespace manactl::wire {
namespace {

struct Row {
  std::uint32_t code;
  Advice advice;
};

constexpr Row row(CqeType type, std::string_view meaning, std::string_view action = {}) {
  return {static_cast<std::uint32_t>(type), {meaning, action}};
}

constexpr Row row(VendorError error, std::string_view meaning, std::string_view action = {}) {
  return {static_cast<std::uint32_t>(error), {meaning, action}};
}

constexpr Row row(EventType type, std::string_view meaning, std::string_view action = {}) {
  return {static_cast<std::uint32_t>(type), {meaning, action}};
}

constexpr Row kCompletionAdvice[] = {
    row(CqeType::invalid,
        "no completion: the device has not written this entry",
        "compare its owner bits with the expected ones, (head / entries) & 7"),
    row(CqeType::rx_okay, "a packet was received"),
    row(CqeType::rx_coalesced_4,
        "up to four packets were received, one in each record with a nonzero length",
        "DPDK before 23.07 stops the queue here ('RX coalescing is not supported'): use 23.07 or "
        "later"),
    row(CqeType::rx_object_fence, "all packets that arrived before FENCE_RQ have been delivered"),
    row(CqeType::rx_truncated,
        "the packet was longer than its receive buffer",
        "post larger buffers (testpmd: --mbuf-size), or lower the MTU"),
    row(CqeType::rx_coalesced_8,
        "up to eight packets were received, two in each record",
        "only Linux 7.3 and later request this (CONFIG_VPORT_RX version 5); DPDK up to 26.07 does "
        "not support it"),
    row(CqeType::tx_okay,
        "the packet was sent, and so were earlier packets whose completion was suppressed"),
    row(CqeType::tx_sa_drop,
        "dropped: the source address is not the vPort's",
        "send from the MAC address of the interface; counter: hc_tx_err_sa_enforcement"),
    row(CqeType::tx_mtu_drop,
        "dropped: the frame is longer than the device accepts",
        "send at most adapter_mtu bytes, header included (see the response of "
        "QUERY_DEV_CONFIG); counter: hc_tx_err_mtu_violation"),
    row(CqeType::tx_invalid_oob,
        "the WQE's OOB does not match the queue, or is malformed",
        "decode the WQE as sq-wqe: format must match the OOB's size, cq_id must be the queue's CQ, "
        "and sq_frame must be bits 10-23 of the SQ's id; counter: hc_tx_err_inval_oob"),
    row(CqeType::tx_invalid_ethertype,
        "dropped: the vPort is not allowed to send this Ethertype",
        "check bytes 12-13 of the frame; counter: hc_tx_err_eth_type_enforcement"),
    row(CqeType::tx_header_error,
        "the device could not parse the packet's headers for the requested checksum or "
        "segmentation",
        "compare transport_offset and the checksum flags of the OOB with the packet"),
    row(CqeType::tx_vf_disabled,
        "the host has disabled the function",
        "the host is servicing or removing the function: 'manactl doctor --kernel-log' shows a "
        "reset; counter: hc_tx_err_gf_disabled"),
    row(CqeType::tx_vport_out_of_range,
        "the function has no vPort at the vPort offset of the OOB",
        "use tx_vport_offset from the response of CONFIG_VPORT_TX, in the long OOB if it is above "
        "255; counter: hc_tx_err_inval_vportoffset_pkt"),
    row(CqeType::tx_vport_disabled,
        "the vPort is not configured for sending",
        "send CONFIG_VPORT_TX first, and again after the owning driver unbinds or the device is "
        "reset; counter: hc_tx_err_vport_disabled"),
    row(CqeType::tx_vlan_violation,
        "dropped: the vPort is not allowed to send this VLAN tag",
        "send without a tag; counter: hc_tx_err_vlan_enforcement"),
    row(CqeType::tx_gdma_error,
        "the queue itself failed: vendor_error has the reason",
        "decode vendor_error; counter: hc_tx_err_gdma"),
};

constexpr std::string_view kCheckRegion =
    "compare mem_key, address and size of every SGE with the registered memory region";
constexpr std::string_view kCheckQueue =
    "the queue's memory region is wrong or was destroyed: compare its DMA region and size with the "
    "request that created it";

constexpr Row kVendorErrorAdvice[] = {
    row(VendorError::no_wqe,
        "the receive queue had no buffer posted",
        "post more receive WQEs, or use more descriptors; counter: hc_rx_discards_no_wqe"),
    row(VendorError::rx_sge_rights,
        "the device has no permission to write to a receive buffer",
        kCheckRegion),
    row(VendorError::rx_sge_range, "a receive buffer ends outside its memory region", kCheckRegion),
    row(VendorError::corrupted_wqe,
        "the WQE is malformed",
        "decode the WQE as sq-wqe or rq-wqe; a tail beyond the last WQE causes the same error"),
    row(VendorError::wqe_access,
        "the device has no permission to read the queue's memory",
        kCheckQueue),
    row(VendorError::wqe_range, "the WQE lies outside the queue's memory", kCheckQueue),
    row(VendorError::wqe_config, "the queue's memory is not set up", kCheckQueue),
    row(VendorError::wqe_pcie,
        "reading the WQE failed on PCIe",
        "the hardware or the IOMMU rejected the access: look for AER and IOMMU lines in the kernel "
        "log"),
    row(VendorError::message_access, "the device has no permission to read the data", kCheckRegion),
    row(VendorError::message_range, "the data ends outside its memory region", kCheckRegion),
    row(VendorError::message_config, "the data's memory region is not set up", kCheckRegion),
    row(VendorError::data_pcie,
        "reading the data failed on PCIe",
        "the hardware or the IOMMU rejected the access: look for AER and IOMMU lines in the kernel "
        "log"),
    row(VendorError::invalid_state,
        "the queue is in the wrong state for this operation",
        "the queue was disabled or had already failed: an earlier completion has the first error"),
    row(VendorError::misbehaving_client,
        "the device has stopped serving this client (driver)",
        "an earlier completion or the host's log has the reason; destroy and recreate the queue"),
};

constexpr Row kEventAdvice[] = {
    row(EventType::completion, "an armed completion queue has entries"),
    row(EventType::test, "the response to GENERATE_TEST_EQE: the event queue works"),
    row(EventType::channel_init_eq,
        "setup of the hardware channel: its event queue and doorbell page"),
    row(EventType::channel_init_data, "setup of the hardware channel: one of its properties"),
    row(EventType::channel_init_done, "the hardware channel is ready"),
    row(EventType::fpga_reconfiguration,
        "the device is being reconfigured",
        "Linux 6.17 and later remove it and rescan the bus after 10 s; earlier kernels do nothing"),
    row(EventType::soc_reconfiguration, "the device reports a new property or a link change"),
    row(EventType::soc_service,
        "RDMA is suspended or resumed for servicing",
        "wait: RDMA devices disappear and return, possibly with other numbers"),
    row(EventType::reset_request,
        "the host asks the driver to reset the device",
        "Linux 6.17 and later suspend the device for 10 s; restart applications with a "
        "DPDK older than 26.07"),
    row(EventType::rnic_qp_fatal,
        "an RDMA queue pair has failed",
        "its application receives IBV_EVENT_QP_FATAL and must destroy the queue pair"),
};

constexpr Advice kUnknown{
    "no known driver defines this code: the device is newer, or the bytes are of another kind",
    "check that the right bytes were decoded"};

Advice find(std::span<const Row> rows, std::uint64_t code) {
  const auto found = std::find_if(
      rows.begin(), rows.end(), [&](const Row& candidate) { return candidate.code == code; });
  return found == rows.end() ? kUnknown : found->advice;
}

Advice vendor_error_advice(std::uint64_t code) {
  if (code == 0) return {"no error", {}};
  return find(kVendorErrorAdvice, code);
}

Advice status_advice(std::uint64_t code) {
  switch (code) {
    case kStatusSuccess:
      return {"the command succeeded", {}};
    case kStatusMoreEntries:
      return {"the command succeeded; the device expects the remaining page addresses next",
              "send them with DMA_REGION_ADD_PAGES; drivers treat this status as success"};
    case kStatusUnsupported:
      return {"the device does not support the command",
              "no action is needed if the driver works without the command; drivers return "
              "EOPNOTSUPP (95) since Linux 6.17, EPROTO (71) before"};
    default:
      return {
          "rejected for a device-specific reason: only 0, 0x105 and 0xffffffff are documented. "
          "Drivers return EPROTO (71)",
          "decode the request with the same hwc_msg_id: a wrong handle, size or state is the "
          "usual cause; Azure support can look up the status and the activity id"};
  }
}

Advice shared_memory_advice(std::uint64_t code) {
  if (code == 0) return {"no error", {}};
  return {"the device rejected the setup or teardown of the hardware channel",
          "decode the request: each frame must be the number of its queue's first page; the "
          "driver's probe fails with EPROTO (71)"};
}

}  // namespace

CodeSpace code_space(std::string_view record, std::string_view field) {
  // Kinds of dumps that are a single number; the kind "status" is handled below.
  if (record == "cqe-type") return CodeSpace::cqe_type;
  if (record == "vendor-error") return CodeSpace::vendor_error;
  if (record == "event") return CodeSpace::event;
  const bool completion = record == CqeHeader::kName || record == RxCompletion::kName ||
                          record == RxCompletion8::kName || record == TxCompletion::kName;
  if (completion && field == "type") return CodeSpace::cqe_type;
  if (completion && field == "vendor_error") return CodeSpace::vendor_error;
  if (record == EqeInfo::kName && field == "type") return CodeSpace::event;
  if (field != "status") return CodeSpace::none;
  if (record == SharedMemoryMessage::kName || record == SharedMemoryHeader::kName) {
    return CodeSpace::shared_memory;
  }
  return CodeSpace::status;
}

Advice advice_for(CodeSpace space, std::uint64_t code) {
  switch (space) {
    case CodeSpace::none:
      break;
    case CodeSpace::cqe_type:
      return find(kCompletionAdvice, code);
    case CodeSpace::vendor_error:
      return vendor_error_advice(code);
    case CodeSpace::event:
      return find(kEventAdvice, code);
    case CodeSpace::status:
      return status_advice(code);
    case CodeSpace::shared_memory:
      return shared_memory_advice(code);
  }
  return {};
}

}  // namespace manactl::wire
