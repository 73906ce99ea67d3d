// SPDX-License-Identifier: MIT
//
// The functions of libibverbs and libmana, loaded at run time, that ports and DPDK's net_mana need.
// A preloaded software adapter replaces both libraries; its doorbell is a function, not a register.

#pragma once

#include <infiniband/manadv.h>
#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace manactl::datapath::verbs {

using DoorbellFunction = void(const void* page, std::uint32_t offset, std::uint64_t value);

struct PortInfo;

// Lets a probe report the call in which it crashed or hung.
class CallObserver {
 public:
  virtual ~CallObserver() = default;

  // `port` is set for the first call on a port, else null.
  virtual void before_call(std::string_view call, const PortInfo* port) = 0;
};

// The loaded functions. Operations of an ibv_context are called through that context.
struct Library {
  // Must be called before each library call that may fail.
  void before_call(std::string_view call, const PortInfo* port = nullptr) const {
    if (observer != nullptr) observer->before_call(call, port);
  }

  decltype(ibv_get_device_list)* get_device_list = nullptr;
  decltype(ibv_free_device_list)* free_device_list = nullptr;
  decltype(ibv_open_device)* open_device = nullptr;
  decltype(ibv_close_device)* close_device = nullptr;
  decltype(ibv_alloc_pd)* alloc_pd = nullptr;
  decltype(ibv_dealloc_pd)* dealloc_pd = nullptr;
  ibv_mr* (*reg_mr)(ibv_pd* pd, void* address, std::size_t length, int access) = nullptr;
  decltype(ibv_dereg_mr)* dereg_mr = nullptr;
  decltype(ibv_create_cq)* create_cq = nullptr;
  decltype(ibv_destroy_cq)* destroy_cq = nullptr;
  decltype(ibv_create_qp)* create_qp = nullptr;
  decltype(ibv_destroy_qp)* destroy_qp = nullptr;
  decltype(ibv_get_async_event)* get_async_event = nullptr;
  decltype(ibv_ack_async_event)* ack_async_event = nullptr;
  decltype(ibv_query_device)* query_device = nullptr;
  decltype(ibv_create_comp_channel)* create_comp_channel = nullptr;
  decltype(ibv_destroy_comp_channel)* destroy_comp_channel = nullptr;
  decltype(ibv_get_cq_event)* get_cq_event = nullptr;
  decltype(ibv_ack_cq_events)* ack_cq_events = nullptr;
  decltype(manadv_set_context_attr)* set_context_attr = nullptr;
  decltype(manadv_init_obj)* init_obj = nullptr;
  DoorbellFunction* doorbell = nullptr;  // of a software adapter; null if doorbells are stores
  CallObserver* observer = nullptr;      // not owned
};

// Fails with Errc::not_found if a library is missing.
Result<Library> load_library();

// The version of rdma-core from the file name of libibverbs: "44.0"; empty if unknown.
std::string version_of(const Library& library);

// True if a software adapter was preloaded into this process.
bool is_simulated();

// A C handle and the function that releases it.
template <class T>
using Owned = std::unique_ptr<T, int (*)(T*)>;

}  // namespace manactl::datapath::verbs
