// SPDX-License-Identifier: MIT
//
// The functions that DPDK's net_mana imports from libibverbs and libmana. They call the libraries
// that load_library() finds, so that the program starts on machines without these libraries.
//
// The symbols are weak, because test programs link the software adapter, which defines them too.
// CMakeLists.txt makes them hidden, so that SharedLibrary::loaded() does not find them.

#include <cerrno>
#include <cstdint>

#include "datapath/verbs/library.h"

#undef ibv_reg_mr  // the header also defines a macro of this name

namespace manactl::datapath::verbs {
namespace {

// The loaded libraries; null if they are not installed. Safe in any thread.
const Library* find() {
  static const auto library = load_library();
  return library ? &*library : nullptr;
}

// For functions that take an object, which net_mana can have only if find() succeeded.
const Library& libraries() {
  return *find();
}

}  // namespace
}  // namespace manactl::datapath::verbs

using manactl::datapath::verbs::find;
using manactl::datapath::verbs::libraries;

extern "C" {

[[gnu::weak]] ibv_device** ibv_get_device_list(int* num_devices) {
  if (find() != nullptr) return find()->get_device_list(num_devices);
  if (num_devices != nullptr) *num_devices = 0;
  errno = ENOSYS;
  return nullptr;
}

[[gnu::weak]] void ibv_free_device_list(ibv_device** list) {
  libraries().free_device_list(list);
}

[[gnu::weak]] ibv_context* ibv_open_device(ibv_device* device) {
  return libraries().open_device(device);
}

[[gnu::weak]] int ibv_close_device(ibv_context* context) {
  return libraries().close_device(context);
}

[[gnu::weak]] int ibv_query_device(ibv_context* context, ibv_device_attr* device_attr) {
  return libraries().query_device(context, device_attr);
}

[[gnu::weak]] int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  return libraries().get_async_event(context, event);
}

[[gnu::weak]] void ibv_ack_async_event(ibv_async_event* event) {
  libraries().ack_async_event(event);
}

[[gnu::weak]] ibv_pd* ibv_alloc_pd(ibv_context* context) {
  return libraries().alloc_pd(context);
}

[[gnu::weak]] int ibv_dealloc_pd(ibv_pd* pd) {
  return libraries().dealloc_pd(pd);
}

[[gnu::weak]] ibv_mr* ibv_reg_mr(ibv_pd* pd, void* address, std::size_t length, int access) {
  return libraries().reg_mr(pd, address, length, access);
}

[[gnu::weak]] int ibv_dereg_mr(ibv_mr* mr) {
  return libraries().dereg_mr(mr);
}

[[gnu::weak]] ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  return libraries().create_comp_channel(context);
}

[[gnu::weak]] int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  return libraries().destroy_comp_channel(channel);
}

[[gnu::weak]] ibv_cq* ibv_create_cq(
    ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel, int comp_vector) {
  return libraries().create_cq(context, cqe, cq_context, channel, comp_vector);
}

[[gnu::weak]] int ibv_destroy_cq(ibv_cq* cq) {
  return libraries().destroy_cq(cq);
}

[[gnu::weak]] int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) {
  return libraries().get_cq_event(channel, cq, cq_context);
}

[[gnu::weak]] void ibv_ack_cq_events(ibv_cq* cq, unsigned nevents) {
  libraries().ack_cq_events(cq, nevents);
}

[[gnu::weak]] ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* qp_init_attr) {
  return libraries().create_qp(pd, qp_init_attr);
}

[[gnu::weak]] int ibv_destroy_qp(ibv_qp* qp) {
  return libraries().destroy_qp(qp);
}

[[gnu::weak]] int manadv_set_context_attr(ibv_context* ibv_ctx,
                                          manadv_set_ctx_attr_type type,
                                          void* attr) {
  return libraries().set_context_attr(ibv_ctx, type, attr);
}

[[gnu::weak]] int manadv_init_obj(manadv_obj* object, std::uint64_t type) {
  return libraries().init_obj(object, type);
}

}  // extern "C"
