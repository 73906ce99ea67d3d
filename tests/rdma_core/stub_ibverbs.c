// SPDX-License-Identifier: MIT
//
// A stub of libibverbs that lists no devices. CMakeLists.txt builds it with the symbol versions of
// several releases of rdma-core.

#define STUB(name)   \
  void* name(void);  \
  void* name(void) { \
    return 0;        \
  }

STUB(ibv_get_device_list)
STUB(ibv_free_device_list)
STUB(ibv_get_device_name)
STUB(ibv_open_device)
STUB(ibv_close_device)
STUB(ibv_query_device)
STUB(ibv_get_async_event)
STUB(ibv_ack_async_event)
STUB(ibv_alloc_pd)
STUB(ibv_dealloc_pd)
STUB(ibv_reg_mr)
STUB(ibv_dereg_mr)
STUB(ibv_create_comp_channel)
STUB(ibv_destroy_comp_channel)
STUB(ibv_create_cq)
STUB(ibv_destroy_cq)
STUB(ibv_get_cq_event)
STUB(ibv_ack_cq_events)
STUB(ibv_create_qp)
STUB(ibv_destroy_qp)
STUB(REGISTER_DRIVER)
