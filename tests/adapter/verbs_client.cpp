// SPDX-License-Identifier: MIT
//
// A small program on libibverbs and libmana for `manactl sim`: sends packets, and fails or
// waits on request. Exit status: 0 on success, 3 if there is no device, 4 if a call fails.
//
// usage: verbs_client PACKETS [wrong-key|crash|raise|wait|recover]
//
// With "recover", the program waits until the device fails and returns, opens it again, and sends.

#include <infiniband/manadv.h>
#include <infiniband/verbs.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "wire/doorbell.h"
#include "wire/oob.h"
#include "wire/work_queue.h"

namespace {

namespace wire = manactl::wire;

constexpr std::uint32_t kEntries = 64;

void* allocate(std::size_t bytes, void*) {
  auto* memory = std::aligned_alloc(4096, bytes);
  std::memset(memory, 0, bytes);
  return memory;
}

void release(void* memory, void*) {
  std::free(memory);
}

template <class T>
T* require(T* object, const char* call) {
  if (object != nullptr) return object;
  std::perror(call);
  std::exit(4);
}

struct Objects {
  ibv_context* context;
  ibv_pd* pd;
  ibv_pd* parent;
  ibv_cq* cq;
  ibv_qp* qp;
};

Objects open_first_port(ibv_device* device) {
  Objects all{};
  all.context = require(ibv_open_device(device), "open_device");
  all.pd = require(ibv_alloc_pd(all.context), "alloc_pd");
  ibv_parent_domain_init_attr domain{};
  domain.pd = all.pd;
  domain.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
  domain.pd_context = reinterpret_cast<void*>(std::uintptr_t{1});
  all.parent = require(ibv_alloc_parent_domain(all.context, &domain), "alloc_parent_domain");
  manadv_ctx_allocators allocators{allocate, release, nullptr};
  if (manadv_set_context_attr(all.context, MANADV_CTX_ATTR_BUF_ALLOCATORS, &allocators) != 0) {
    std::exit(4);
  }
  all.cq = require(ibv_create_cq(all.context, kEntries, nullptr, nullptr, 0), "create_cq");
  ibv_qp_init_attr attr{};
  attr.send_cq = attr.recv_cq = all.cq;
  attr.cap.max_send_wr = kEntries;
  attr.cap.max_send_sge = 1;
  attr.qp_type = IBV_QPT_RAW_PACKET;
  all.qp = require(ibv_create_qp(all.parent, &attr), "create_qp");
  return all;
}

template <class T>
void put(void* ring, std::size_t at, const T& record) {
  const auto bytes = *wire::encode(record);
  std::memcpy(static_cast<std::uint8_t*>(ring) + at, bytes.data(), bytes.size());
}

// Rings the doorbell for each packet. With engine=inline, each doorbell empties the ring.
void send(const Objects& all, const wire::Sge& sge, unsigned packets) {
  manadv_qp queue{};
  manadv_cq completions{};
  manadv_obj object{};
  object.qp = {all.qp, &queue};
  object.cq = {all.cq, &completions};
  if (manadv_init_obj(&object, MANADV_OBJ_QP | MANADV_OBJ_CQ) != 0) std::exit(4);
  wire::TxShortOob oob;
  oob.cq_id = completions.cq_id;
  oob.sq_frame = static_cast<std::uint16_t>(queue.sq_id >> 10U);
  oob.short_vport_offset = static_cast<std::uint8_t>(queue.tx_vp_offset);
  const std::atomic_ref<std::uint64_t> doorbell(*static_cast<std::uint64_t*>(queue.db_page));
  for (std::uint32_t i = 0; i < packets; ++i) {
    const auto at = (i * wire::kBasicUnit) & (queue.sq_size - 1);
    put(queue.sq_buf, at, wire::WqeHeader{.num_sge = 1});
    put(queue.sq_buf, at + 8, oob);
    put(queue.sq_buf, at + 16, sge);
    const wire::SqDoorbell ring{queue.sq_id, (i + 1) * wire::kBasicUnit};
    doorbell.store(wire::load(*wire::encode(ring), 0, 8), std::memory_order_release);
  }
}

// Destroys all objects; also works after the device has failed. The memory region outlives the QP,
// because the device may handle a doorbell late and then still read its packets.
int close_all(const Objects& all, ibv_mr* mr) {
  ibv_destroy_qp(all.qp);
  ibv_destroy_cq(all.cq);
  ibv_dereg_mr(mr);
  ibv_dealloc_pd(all.parent);
  ibv_dealloc_pd(all.pd);
  return ibv_close_device(all.context);
}

ibv_device** wait_for_device() {
  for (;;) {
    auto** list = ibv_get_device_list(nullptr);
    if (list == nullptr || list[0] != nullptr) return list;
    ibv_free_device_list(list);
    sched_yield();
  }
}

int use(ibv_device** list, unsigned packets, std::string_view behavior) {
  const auto all = open_first_port(list[0]);
  ibv_free_device_list(list);
  std::array<std::uint8_t, 64> frame{};
  auto* mr = require(ibv_reg_mr(all.pd, frame.data(), frame.size(), int{IBV_ACCESS_LOCAL_WRITE}),
                     "reg_mr");
  const auto key = mr->lkey ^ (behavior == "wrong-key" ? 1U : 0U);
  send(all, {reinterpret_cast<std::uint64_t>(frame.data()), key, 64}, packets);
  if (behavior == "crash") *reinterpret_cast<volatile int*>(behavior.size() - 1) = 1;
  if (behavior == "raise") std::raise(SIGSEGV);
  if (behavior == "wait" || behavior == "recover") {
    ibv_async_event event{};
    if (ibv_get_async_event(all.context, &event) != 0) return 5;
    std::printf("event %d\n", static_cast<int>(event.event_type));
    ibv_ack_async_event(&event);
    send(all, {reinterpret_cast<std::uint64_t>(frame.data()), key, 64}, packets);
    if (ibv_alloc_pd(all.context) != nullptr || errno != EIO) return 6;
  }
  const int closed = close_all(all, mr);
  return behavior == "recover" && closed == 0 ? use(wait_for_device(), packets, "") : closed;
}

}  // namespace

int main(int argc, char** argv) {
  unsigned packets = 0;
  const std::string_view count = argc > 1 ? argv[1] : "", behavior = argc > 2 ? argv[2] : "";
  std::from_chars(count.data(), count.data() + count.size(), packets);
  auto** list = ibv_get_device_list(nullptr);
  if (list == nullptr || list[0] == nullptr) return 3;
  std::puts(list[0]->name);
  return use(list, packets, behavior);
}
