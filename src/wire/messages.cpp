// SPDX-License-Identifier: MIT

#include "wire/messages.h"

namespace manactl::wire {
namespace {

constexpr EnumWord<Command> kCommands[] = {
    {Command::verify_version, "VERIFY_VF_DRIVER_VERSION"},
    {Command::query_max_resources, "QUERY_MAX_RESOURCES"},
    {Command::list_devices, "LIST_DEVICES"},
    {Command::register_device, "REGISTER_DEVICE"},
    {Command::deregister_device, "DEREGISTER_DEVICE"},
    {Command::generate_test_eqe, "GENERATE_TEST_EQE"},
    {Command::generate_reset_eqe, "GENERATE_RESET_EQE"},
    {Command::create_queue, "CREATE_QUEUE"},
    {Command::disable_queue, "DISABLE_QUEUE"},
    {Command::allocate_resource_range, "ALLOCATE_RESOURCE_RANGE"},
    {Command::destroy_resource_range, "DESTROY_RESOURCE_RANGE"},
    {Command::create_dma_region, "CREATE_DMA_REGION"},
    {Command::add_pages, "DMA_REGION_ADD_PAGES"},
    {Command::destroy_dma_region, "DESTROY_DMA_REGION"},
    {Command::create_pd, "CREATE_PD"},
    {Command::destroy_pd, "DESTROY_PD"},
    {Command::create_mr, "CREATE_MR"},
    {Command::destroy_mr, "DESTROY_MR"},
    {Command::change_msix, "CHANGE_MSIX"},
    {Command::query_hwc_timeout, "QUERY_HWC_TIMEOUT"},
    {Command::alloc_dm, "ALLOC_DM"},
    {Command::destroy_dm, "DESTROY_DM"},
    {Command::query_dev_config, "QUERY_DEV_CONFIG"},
    {Command::query_gf_stat, "QUERY_GF_STAT"},
    {Command::config_vport_tx, "CONFIG_VPORT_TX"},
    {Command::create_wq_obj, "CREATE_WQ_OBJ"},
    {Command::destroy_wq_obj, "DESTROY_WQ_OBJ"},
    {Command::fence_rq, "FENCE_RQ"},
    {Command::config_vport_rx, "CONFIG_VPORT_RX"},
    {Command::query_vport_config, "QUERY_VPORT_CONFIG"},
    {Command::query_link_config, "QUERY_LINK_CONFIG"},
    {Command::set_bw_clamp, "SET_BW_CLAMP"},
    {Command::query_phy_stat, "QUERY_PHY_STAT"},
    {Command::assign_serial_number, "VTL2_ASSIGN_SERIAL_NUMBER"},
    {Command::move_filter, "VTL2_MOVE_FILTER"},
    {Command::query_filter_state, "VTL2_QUERY_FILTER_STATE"},
    {Command::register_filter, "REGISTER_FILTER"},
    {Command::deregister_filter, "DEREGISTER_FILTER"},
    {Command::register_hw_port, "REGISTER_HW_PORT"},
    {Command::deregister_hw_port, "DEREGISTER_HW_PORT"},
    {Command::rnic_get_adapter_cap, "GET_ADAPTER_CAP"},
    {Command::rnic_create_adapter, "CREATE_ADAPTER"},
    {Command::rnic_destroy_adapter, "DESTROY_ADAPTER"},
    {Command::rnic_config_ip_addr, "CONFIG_IP_ADDR"},
    {Command::rnic_config_mac_addr, "CONFIG_MAC_ADDR"},
    {Command::rnic_create_ud_qp, "CREATE_UD_QP"},
    {Command::rnic_destroy_ud_qp, "DESTROY_UD_QP"},
    {Command::rnic_create_cq, "CREATE_CQ"},
    {Command::rnic_destroy_cq, "DESTROY_CQ"},
    {Command::rnic_create_rc_qp, "CREATE_RC_QP"},
    {Command::rnic_destroy_qp, "DESTROY_RNIC_QP"},
    {Command::rnic_set_qp_state, "SET_QP_STATE"},
    {Command::rnic_create_uc_qp, "CREATE_UC_QP"},
    {Command::rnic_query_vf_counters, "QUERY_VF_COUNTERS"},
    {Command::rnic_query_device_counters, "QUERY_DEVICE_COUNTERS"},
};

}  // namespace

std::span<const EnumWord<Command>> members(Command) {
  return kCommands;
}

Checked<Command> command_of(std::uint32_t code) {
  const auto command = static_cast<Command>(code);
  if (name_of(command).empty()) {
    return tl::unexpected<Refusal>({"request header", "code", code, Rule::member, 0});
  }
  return command;
}

Checked<RequestHeader> decode_request_header(Bytes message) {
  auto header = decode_front<RequestHeader>(message);
  if (header && header->request.size != message.size()) {
    return tl::unexpected<Refusal>(
        {RequestHeader::kName, "size", message.size(), Rule::length, header->request.size});
  }
  return header;
}

}  // namespace manactl::wire
