// SPDX-License-Identifier: MIT

#include "cli/wire_advice.h"

#include <algorithm>
#include <span>

#include "wire/completion.h"
#include "wire/event.h"
#include "wire/gdma_messages.h"
#include "wire/shared_memory.h"

namespace manactl::cli {
namespace {

using wire::CqeType;
using wire::EventType;
using wire::VendorError;

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

constexpr Row kCqeTypes[] = {
    row(CqeType::invalid,
        "no completion: the device has not written this entry",
        "compare its owner bits with those that are expected, (head / entries) & 7"),
    row(CqeType::rx_okay, "a packet was received"),
    row(CqeType::rx_coalesced_4,
        "up to four packets were received, one in each record that has a length",
        "DPDK before 23.07 stops the queue here ('RX coalescing is not supported'): use a later "
        "one"),
    row(CqeType::rx_object_fence,
        "everything that came before the command FENCE_RQ has been delivered"),
    row(CqeType::rx_truncated,
        "the packet was longer than the receive buffer that was posted for it",
        "post larger buffers, or lower the MTU; in testpmd --mbuf-size"),
    row(CqeType::rx_coalesced_8,
        "up to eight packets were received, two in each record",
        "only Linux 7.3 and later ask for it (message version 5); DPDK up to 26.07 does not "
        "understand it"),
    row(CqeType::tx_okay, "the packet was sent, and those before it whose entry was suppressed"),
    row(CqeType::tx_sa_drop,
        "dropped: the source address is not that of the vPort",
        "send with the MAC address of the interface; hc_tx_err_sa_enforcement counts these"),
    row(CqeType::tx_mtu_drop,
        "dropped: the frame is longer than the device takes",
        "send at most adapter_mtu bytes (decode the response of QUERY_DEV_CONFIG), header "
        "included; hc_tx_err_mtu_violation counts these"),
    row(CqeType::tx_invalid_oob,
        "the WQE's OOB contradicts the queue, or cannot be read",
        "decode the WQE as sq-wqe: format must fit the OOB's size, cq_id must be the queue's CQ "
        "and "
        "sq_frame bits 10-23 of its id; hc_tx_err_inval_oob counts these"),
    row(CqeType::tx_invalid_ethertype,
        "dropped: the vPort may not send this Ethertype",
        "look at bytes 12-13 of the frame; hc_tx_err_eth_type_enforcement counts these"),
    row(CqeType::tx_header_error,
        "the device could not follow the packet's headers to the checksum or segment it was to "
        "make",
        "compare transport_offset and the checksum flags of the OOB with the packet"),
    row(CqeType::tx_vf_disabled,
        "the host has disabled the function",
        "the host services it or has taken it away: 'manactl doctor --kernel-log' shows a reset; "
        "hc_tx_err_gf_disabled counts these"),
    row(CqeType::tx_vport_out_of_range,
        "the OOB names a vPort that the function does not have",
        "use tx_vport_offset of the response of CONFIG_VPORT_TX, in the long form when it is over "
        "255; hc_tx_err_inval_vportoffset_pkt counts these"),
    row(CqeType::tx_vport_disabled,
        "the vPort is not configured for sending",
        "CONFIG_VPORT_TX comes first; a port is lost when its owner goes away or the device is "
        "reset; hc_tx_err_vport_disabled counts these"),
    row(CqeType::tx_vlan_violation,
        "dropped: the vPort may not send this VLAN tag",
        "send without a tag; hc_tx_err_vlan_enforcement counts these"),
    row(CqeType::tx_gdma_error,
        "the queue itself failed: vendor_error says why",
        "decode vendor_error; hc_tx_err_gdma counts these"),
};

constexpr std::string_view kCheckRegion =
    "compare mem_key, address and size of every SGE with the memory region that was registered";
constexpr std::string_view kCheckQueue =
    "the queue's memory region is wrong or gone: compare its DMA region and size with those of "
    "its creation";

constexpr Row kVendorErrors[] = {
    row(VendorError::no_wqe,
        "the receive queue had no buffer",
        "post more receive WQEs, or use more descriptors; hc_rx_discards_no_wqe counts these"),
    row(VendorError::rx_sge_rights, "a receive buffer may not be written", kCheckRegion),
    row(VendorError::rx_sge_range, "a receive buffer ends outside its memory region", kCheckRegion),
    row(VendorError::corrupted_wqe,
        "the WQE makes no sense",
        "decode it as sq-wqe or rq-wqe; a doorbell ahead of the last WQE does the same"),
    row(VendorError::wqe_access, "the device may not read the queue's memory", kCheckQueue),
    row(VendorError::wqe_range, "the WQE lies outside the queue's memory", kCheckQueue),
    row(VendorError::wqe_config, "the queue's memory is not set up", kCheckQueue),
    row(VendorError::wqe_pcie,
        "reading the WQE failed on PCIe",
        "the hardware or its IOMMU refused: look for AER and IOMMU lines in the kernel's log"),
    row(VendorError::message_access, "the device may not read the data", kCheckRegion),
    row(VendorError::message_range, "the data ends outside its memory region", kCheckRegion),
    row(VendorError::message_config, "the data's memory region is not set up", kCheckRegion),
    row(VendorError::data_pcie,
        "reading the data failed on PCIe",
        "the hardware or its IOMMU refused: look for AER and IOMMU lines in the kernel's log"),
    row(VendorError::invalid_state,
        "the queue is in no state to do this",
        "it was disabled, or failed before: an earlier completion has the first error"),
    row(VendorError::misbehaving_client,
        "the device has stopped serving this client",
        "an earlier completion or the host's log has the reason; the queue must be made anew"),
};

constexpr Row kEvents[] = {
    row(EventType::completion, "a completion queue that was armed has entries"),
    row(EventType::test, "the answer to GENERATE_TEST_EQE: the event queue works"),
    row(EventType::channel_init_eq,
        "the hardware channel starts: its event queue and doorbell page"),
    row(EventType::channel_init_data, "the hardware channel starts: one of its properties"),
    row(EventType::channel_init_done, "the hardware channel is ready"),
    row(EventType::fpga_reconfiguration,
        "the device is being reconfigured",
        "Linux 7.x removes the function and rescans the bus after 10 s; earlier ones do nothing"),
    row(EventType::soc_reconfiguration, "the device tells a new property, or a change of the link"),
    row(EventType::soc_service,
        "RDMA is suspended or resumed for servicing",
        "wait: RDMA devices go away and come back with new numbers"),
    row(EventType::reset_request,
        "the host asks the driver to reset the device",
        "Linux 7.x suspends, waits 10 s and resumes; DPDK before 26.07 has to be restarted"),
    row(EventType::rnic_qp_fatal,
        "an RDMA queue pair has failed",
        "its owner gets a fatal event and has to destroy it"),
};

constexpr Advice kUnknown{
    "not known to any driver that was read: the device is newer, or these are not such bytes",
    "check that the right bytes were decoded"};

Advice find(std::span<const Row> rows, std::uint64_t code) {
  const auto found = std::find_if(
      rows.begin(), rows.end(), [&](const Row& candidate) { return candidate.code == code; });
  return found == rows.end() ? kUnknown : found->advice;
}

Advice of_vendor_error(std::uint64_t code) {
  if (code == 0) return {"no error", {}};
  return find(kVendorErrors, code);
}

Advice of_status(std::uint64_t code) {
  switch (code) {
    case wire::kStatusSuccess:
      return {"the command was carried out", {}};
    case wire::kStatusMoreEntries:
      return {"carried out; the answer goes on, and drivers take this for success", {}};
    case wire::kStatusUnsupported:
      return {"the device does not know the command",
              "nothing, when the driver lives without it: Linux from about 7.x on makes EOPNOTSUPP "
              "(95) of it, earlier ones EPROTO (71)"};
    default:
      return {
          "refused, for a reason of the device's own: only 0, 0x105 and 0xffffffff have names. "
          "Drivers make EPROTO (71) of it",
          "decode the request with the same hwc_msg_id: a wrong handle, size or state is the "
          "usual cause; the host's support can look the status and the activity id up"};
  }
}

Advice of_shared_memory(std::uint64_t code) {
  if (code == 0) return {"no error", {}};
  return {"the device refused to set up or tear down the hardware channel",
          "decode the request: frames must be pages of the four queues; the driver's probe fails "
          "with EPROTO (71)"};
}

}  // namespace

CodeSpace code_space(std::string_view record, std::string_view field) {
  const bool completion = record == wire::CqeHeader::kName || record == wire::RxCompletion::kName ||
                          record == wire::RxCompletion8::kName ||
                          record == wire::TxCompletion::kName;
  if (completion && field == "type") return CodeSpace::cqe_type;
  if (completion && field == "vendor_error") return CodeSpace::vendor_error;
  if (record == wire::EqeInfo::kName && field == "type") return CodeSpace::event;
  if (field != "status") return CodeSpace::none;
  if (record == wire::SharedMemoryMessage::kName || record == wire::SharedMemoryHeader::kName) {
    return CodeSpace::shared_memory;
  }
  return CodeSpace::status;
}

Advice advice_for(CodeSpace space, std::uint64_t code) {
  switch (space) {
    case CodeSpace::none:
      break;
    case CodeSpace::cqe_type:
      return find(kCqeTypes, code);
    case CodeSpace::vendor_error:
      return of_vendor_error(code);
    case CodeSpace::event:
      return find(kEvents, code);
    case CodeSpace::status:
      return of_status(code);
    case CodeSpace::shared_memory:
      return of_shared_memory(code);
  }
  return {};
}

}  // namespace manactl::cli
