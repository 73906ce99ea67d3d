// SPDX-License-Identifier: MIT
#include "datapath/verbs/receive_queue.h"

#include <algorithm>
#include <bit>
#include <cerrno>

#include "wire/toeplitz.h"

namespace manactl::datapath::verbs {

namespace {

// The key from the NDIS documentation ("Verifying the RSS Hash Calculation"), with test hashes.
constexpr wire::HashKey kKey = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                                0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                                0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                                0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

constexpr std::uint64_t kHashFields = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 |
                                      IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP |
                                      IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP;

}  // namespace

ReceiveRing::ReceiveRing(const manadv_rwq& queue,
                         const manadv_cq& completions,
                         DoorbellFunction* call)
    : ring_(static_cast<Wqe*>(queue.buf)),
      mask_(queue.size / wire::kBasicUnit - 1),
      count_(std::min(queue.count, mask_ + 1)),
      id_(queue.wq_id),
      doorbell_(queue.db_page, wire::DoorbellTarget::rq, call),
      reader_(completions.buf, completions.count) {}

Result<ReceiveQueues> ReceiveQueues::make(const Context& context,
                                          std::uint32_t count,
                                          std::uint32_t entries) {
  ReceiveQueues made({nullptr, ibv_destroy_rwq_ind_table}, {nullptr, context.library().destroy_qp});
  if (auto good = made.make_queues(context, count, entries); !good) {
    return tl::unexpected<Error>(good.error());
  }
  if (auto good = made.make_qp(context); !good) return tl::unexpected<Error>(good.error());
  if (auto good = made.open_rings(context); !good) return tl::unexpected<Error>(good.error());
  return made;
}

Result<> ReceiveQueues::make_queues(const Context& context,
                                    std::uint32_t count,
                                    std::uint32_t entries) {
  for (std::uint32_t i = 0; i < count; ++i) {
    auto cq = context.make_cq(entries);
    if (!cq) return tl::unexpected<Error>(cq.error());
    cqs_.push_back(std::move(*cq));
    ibv_wq_init_attr attr{};
    attr.wq_type = IBV_WQT_RQ;
    attr.max_wr = entries;
    attr.max_sge = 1;
    attr.pd = context.parent_domain();
    attr.cq = cqs_.back().get();
    context.library().before_call("create_wq");
    errno = 0;
    Owned<ibv_wq> wq(ibv_create_wq(context.handle(), &attr), ibv_destroy_wq);
    if (!wq) return context.fail_call("create_wq");
    wqs_.push_back(std::move(wq));
  }
  return {};
}

Result<> ReceiveQueues::make_qp(const Context& context) {
  std::vector<ibv_wq*> queues;
  queues.reserve(wqs_.size());
  for (const auto& wq : wqs_) queues.push_back(wq.get());
  ibv_rwq_ind_table_init_attr table{};
  table.log_ind_tbl_size = static_cast<std::uint32_t>(std::countr_zero(queues.size()));
  table.ind_tbl = queues.data();
  context.library().before_call("create_rwq_ind_table");
  errno = 0;
  table_.reset(ibv_create_rwq_ind_table(context.handle(), &table));
  if (!table_) return context.fail_call("create_rwq_ind_table");

  auto key = kKey;
  ibv_qp_init_attr_ex attr{};
  attr.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_RX_HASH | IBV_QP_INIT_ATTR_IND_TABLE;
  attr.qp_type = IBV_QPT_RAW_PACKET;
  attr.pd = context.parent_domain();
  attr.rwq_ind_tbl = table_.get();
  attr.rx_hash_conf = {
      IBV_RX_HASH_FUNC_TOEPLITZ, static_cast<std::uint8_t>(key.size()), key.data(), kHashFields};
  context.library().before_call("create_qp_ex");
  // ibv_create_qp_ex() is inline, but its fallback ibv_create_qp() needs libibverbs linked.
  auto* extended = verbs_get_ctx(context.handle());
  if (extended == nullptr || extended->create_qp_ex == nullptr) {
    return context.fail_call("create_qp_ex", EOPNOTSUPP);
  }
  errno = 0;
  qp_.reset(extended->create_qp_ex(context.handle(), &attr));
  if (!qp_) return context.fail_call("create_qp_ex");
  return {};
}

// Must follow make_qp(), which assigns the queue ids.
Result<> ReceiveQueues::open_rings(const Context& context) {
  const auto& library = context.library();
  for (std::size_t i = 0; i < wqs_.size(); ++i) {
    manadv_rwq queue{};
    manadv_cq completions{};
    manadv_obj object{};
    object.rwq = {wqs_[i].get(), &queue};
    object.cq = {cqs_[i].get(), &completions};
    library.before_call("manadv_init_obj");
    const int number = library.init_obj(&object, MANADV_OBJ_RWQ | MANADV_OBJ_CQ);
    if (number != 0) return context.fail_call("manadv_init_obj", number);
    rings_.emplace_back(queue, completions, library.doorbell);
  }
  return {};
}

}  // namespace manactl::datapath::verbs
