// SPDX-License-Identifier: MIT
//
// libibverbs and libmana, loaded when a port is opened. A software adapter that was preloaded
// stands in front of both, and has a doorbell that is a call.

#pragma once

#include <infiniband/manadv.h>
#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace manactl::datapath::verbs {

using RingCall = void(const void* page, std::uint32_t offset, std::uint64_t value);

struct PortPlace;

// For a probe, which has to know in which call it crashed or hung.
class Watcher {
 public:
  virtual ~Watcher() = default;

  // `place` comes with the first call of a port.
  virtual void before(std::string_view call, const PortPlace* place) = 0;
};

// What is no operation of a context.
struct Library {
  // Before a call that may fail.
  void about_to(std::string_view call, const PortPlace* place = nullptr) const {
    if (watcher != nullptr) watcher->before(call, place);
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
  decltype(manadv_set_context_attr)* set_context_attr = nullptr;
  decltype(manadv_init_obj)* init_obj = nullptr;
  RingCall* ring = nullptr;    // of a software adapter; absent, doorbells are stores
  Watcher* watcher = nullptr;  // not owned
};

// Errc::not_found without one of the libraries.
Result<Library> load_library();

// Of rdma-core, by the name of its file: "44.0"; empty when that does not tell.
std::string version_of(const Library& library);

// A software adapter was preloaded into this process.
bool is_simulated();

// A C handle and the call that gives it back.
template <class T>
using Owned = std::unique_ptr<T, int (*)(T*)>;

}  // namespace manactl::datapath::verbs
