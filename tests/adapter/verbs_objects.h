// SPDX-License-Identifier: MIT
//
// Objects of a program that uses direct verbs: a client with its protection domains, and queues.

#pragma once

#include <gtest/gtest.h>
#include <infiniband/manadv.h>
#include <infiniband/verbs.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "wire/completion.h"
#include "wire/doorbell.h"
#include "wire/oob.h"
#include "wire/work_queue.h"

namespace manactl::adapter {

inline constexpr std::uint32_t kEntries = 64;

inline void* allocate(std::size_t bytes, void* count) {
  ++*static_cast<int*>(count);
  auto* memory = std::aligned_alloc(4096, bytes);
  std::memset(memory, 0, bytes);
  return memory;
}

inline void release(void* memory, void* count) {
  --*static_cast<int*>(count);
  std::free(memory);
}

template <class T>
std::uint64_t number(const T& record) {
  return wire::load(*wire::encode(record), 0, 8);
}

// Stores a doorbell as drivers do.
inline void store(void* page, std::size_t offset, std::uint64_t value) {
  auto& word = *reinterpret_cast<std::uint64_t*>(static_cast<std::uint8_t*>(page) + offset);
  std::atomic_ref(word).store(value, std::memory_order_release);
}

// The device, both protection domains and a registered buffer, on one port.
class Client {
 public:
  explicit Client(std::uintptr_t port = 1) {
    auto** list = ibv_get_device_list(nullptr);
    context = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    pd = ibv_alloc_pd(context);
    ibv_parent_domain_init_attr attr{};
    attr.pd = pd;
    attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
    attr.pd_context = reinterpret_cast<void*>(port);
    parent = ibv_alloc_parent_domain(context, &attr);
    manadv_ctx_allocators allocators{allocate, release, &allocations};
    EXPECT_EQ(manadv_set_context_attr(context, MANADV_CTX_ATTR_BUF_ALLOCATORS, &allocators), 0);
    mr = ibv_reg_mr(pd, buffer.data(), buffer.size(), int{IBV_ACCESS_LOCAL_WRITE});
  }

  ~Client() {
    EXPECT_EQ(ibv_dereg_mr(mr), 0);
    EXPECT_EQ(ibv_dealloc_pd(parent), 0);
    EXPECT_EQ(ibv_dealloc_pd(pd), 0);
    EXPECT_EQ(ibv_close_device(context), 0);
    EXPECT_EQ(allocations, 0);
  }

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  ibv_qp* create_qp(ibv_cq* cq, ibv_qp_type type = IBV_QPT_RAW_PACKET) const {
    ibv_qp_init_attr attr{};
    attr.send_cq = attr.recv_cq = cq;
    attr.cap.max_send_wr = kEntries;
    attr.cap.max_send_sge = 15;
    attr.qp_type = type;
    return ibv_create_qp(parent, &attr);
  }

  wire::Sge piece(std::size_t at, std::size_t size) const {
    return {reinterpret_cast<std::uint64_t>(buffer.data() + at),
            mr->lkey,
            static_cast<std::uint32_t>(size)};
  }

  int allocations = 0;
  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_pd* parent = nullptr;
  ibv_mr* mr = nullptr;
  std::vector<std::uint8_t> buffer = std::vector<std::uint8_t>(1U << 16U);
};

// Reads the completions of a CQ.
struct Reader {
  explicit Reader(ibv_cq* cq) {
    manadv_obj object{};
    object.cq = {cq, &queue};
    EXPECT_EQ(manadv_init_obj(&object, MANADV_OBJ_CQ), 0);
    head = queue.count;
  }

  const std::uint8_t* poll() {
    auto* entry = static_cast<std::uint8_t*>(queue.buf) + std::size_t{head % queue.count} * 64;
    auto& info = *reinterpret_cast<std::uint32_t*>(entry + 60);
    const auto owner = std::atomic_ref(info).load(std::memory_order_acquire) >> 29U;
    if (wire::phase_of(static_cast<std::uint8_t>(owner), head, queue.count) != wire::Phase::fresh) {
      return nullptr;
    }
    ++head;
    return entry;
  }

  manadv_cq queue{};
  std::uint32_t head = 0;
};

class Sender {
 public:
  explicit Sender(Client& client)
      : cq(ibv_create_cq(client.context, kEntries, nullptr, nullptr, 0)), qp(client.create_qp(cq)) {
    manadv_obj object{};
    object.qp = {qp, &queue};
    EXPECT_EQ(manadv_init_obj(&object, MANADV_OBJ_QP), 0);
    done = std::make_unique<Reader>(cq);
  }

  ~Sender() {
    EXPECT_EQ(ibv_destroy_qp(qp), 0);
    EXPECT_EQ(ibv_destroy_cq(cq), 0);
  }

  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  void send(const wire::Sge& sge) {
    wire::TxShortOob oob;
    oob.cq_id = done->queue.cq_id;
    oob.sq_frame = static_cast<std::uint16_t>(queue.sq_id >> 10U);
    oob.short_vport_offset = static_cast<std::uint8_t>(queue.tx_vp_offset);
    put(0, wire::WqeHeader{.num_sge = 1});
    put(8, oob);
    put(16, sge);
    tail += 32;
    store(queue.db_page, 0, number(wire::SqDoorbell{queue.sq_id, tail}));
  }

  template <class T>
  void put(std::size_t at, const T& record) {
    const auto bytes = *wire::encode(record);
    auto* ring = static_cast<std::uint8_t*>(queue.sq_buf);
    std::memcpy(ring + (tail & (queue.sq_size - 1)) + at, bytes.data(), bytes.size());
  }

  ibv_cq* cq;
  ibv_qp* qp;
  manadv_qp queue{};
  std::unique_ptr<Reader> done;
  std::uint32_t tail = 0;
};

// RQs behind an indirection table.
class Receivers {
 public:
  Receivers(Client& client, unsigned log_count, ibv_comp_channel* channel = nullptr)
      : client_(client) {
    for (unsigned i = 0; i < 1U << log_count; ++i) {
      cqs.push_back(ibv_create_cq(client.context, kEntries, this, channel, 0));
      ibv_wq_init_attr attr{};
      attr.wq_type = IBV_WQT_RQ;
      attr.max_wr = kEntries;
      attr.max_sge = 1;
      attr.pd = client.parent;
      attr.cq = cqs.back();
      wqs.push_back(ibv_create_wq(client.context, &attr));
    }
    ibv_rwq_ind_table_init_attr table_attr{log_count, wqs.data(), 0};
    table = ibv_create_rwq_ind_table(client.context, &table_attr);
    create_qp();
    for (std::size_t i = 0; i < wqs.size(); ++i) open(i);
  }

  ~Receivers() {
    EXPECT_EQ(ibv_destroy_qp(qp), 0);
    EXPECT_EQ(ibv_destroy_rwq_ind_table(table), 0);
    for (auto* wq : wqs) EXPECT_EQ(ibv_destroy_wq(wq), 0);
    for (auto* cq : cqs) EXPECT_EQ(ibv_destroy_cq(cq), 0);
  }

  Receivers(const Receivers&) = delete;
  Receivers& operator=(const Receivers&) = delete;

  void post(std::size_t i, const wire::Sge& sge) {
    auto& queue = queues[i];
    auto* ring = static_cast<std::uint8_t*>(queue.buf) + (tails[i] & (queue.size - 1));
    const auto header = *wire::encode(wire::WqeHeader{.num_sge = 1});
    const auto list = *wire::encode(sge);
    std::memcpy(ring, header.data(), header.size());
    std::memcpy(ring + 16, list.data(), list.size());
    tails[i] += 32;
    store(queue.db_page, 0x400, number(wire::RqDoorbell{queue.wq_id, 0, tails[i]}));
  }

  void arm(std::size_t i) {
    auto& reader = *readers[i];
    const auto tail = wire::doorbell_tail(reader.head, reader.queue.count);
    store(queues[i].db_page, 0x800, number(wire::CqDoorbell{reader.queue.cq_id, tail, true}));
  }

  std::vector<ibv_cq*> cqs;
  std::vector<ibv_wq*> wqs;
  std::vector<manadv_rwq> queues;
  std::vector<std::unique_ptr<Reader>> readers;
  ibv_rwq_ind_table* table = nullptr;
  ibv_qp* qp = nullptr;

 private:
  void create_qp() {
    std::vector<std::uint8_t> key(40, 0x5a);
    ibv_qp_init_attr_ex attr{};
    attr.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_RX_HASH | IBV_QP_INIT_ATTR_IND_TABLE;
    attr.qp_type = IBV_QPT_RAW_PACKET;
    attr.pd = client_.parent;
    attr.rwq_ind_tbl = table;
    attr.rx_hash_conf = {
        IBV_RX_HASH_FUNC_TOEPLITZ, 40, key.data(), IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4};
    qp = ibv_create_qp_ex(client_.context, &attr);
    EXPECT_NE(qp, nullptr);
  }

  void open(std::size_t i) {
    queues.emplace_back();
    tails.push_back(0);
    manadv_obj object{};
    object.rwq = {wqs[i], &queues.back()};
    EXPECT_EQ(manadv_init_obj(&object, MANADV_OBJ_RWQ), 0);
    readers.push_back(std::make_unique<Reader>(cqs[i]));
  }

  Client& client_;
  std::vector<std::uint32_t> tails;
};

}  // namespace manactl::adapter
