// SPDX-License-Identifier: MIT
//
// Operations of a context: device limits, parent domains, receive queues, indirection tables, RSS
// QPs.

#include <algorithm>
#include <bit>

#include "adapter/shim/objects.h"

namespace manactl::adapter {
namespace {

constexpr std::uint32_t kReceiveSges = wire::kMaxRqSges;

int query_device_ex(ibv_context*,
                    const ibv_query_device_ex_input*,
                    ibv_device_attr_ex* attr,
                    std::size_t size) {
  const int number = Simulator::get().verb_faults().inject(Verb::query_device_ex);
  if (number != 0) return number;
  ibv_device_attr_ex full{};
  fill_attributes(full.orig_attr);
  full.comp_mask = 0;
  full.raw_packet_caps = IBV_RAW_PACKET_CAP_IP_CSUM;
  full.rss_caps.supported_qpts = 1U << IBV_QPT_RAW_PACKET;
  full.rss_caps.max_rwq_indirection_tables = static_cast<std::uint32_t>(kMaxPorts);
  full.rss_caps.max_rwq_indirection_table_size = static_cast<std::uint32_t>(kIndirectionEntries);
  full.rss_caps.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ;
  std::memcpy(attr, &full, std::min(size, sizeof full));
  return 0;
}

ibv_pd* alloc_parent_domain(ibv_context* context, ibv_parent_domain_init_attr* attr) {
  if (fault_injected(Verb::alloc_parent_domain, context)) return nullptr;
  constexpr std::uint32_t kKnown = IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
  if ((attr->comp_mask & ~kKnown) != 0) return fail_with(EOPNOTSUPP);
  if (attr->pd == nullptr) return fail_with(EINVAL);
  auto* pd = new Pd{};
  pd->context = context;
  pd->parent = &pd_of(attr->pd);
  // net_mana passes the port number in pd_context (DPDK drivers/net/mana/mana.c).
  if (attr->comp_mask != 0) {
    pd->port_number =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(attr->pd_context));
  }
  ++pd->parent->users;
  ++context_of(context).objects;
  return pd;
}

ibv_wq* create_wq(ibv_context* ibv_ctx, ibv_wq_init_attr* attr) {
  if (fault_injected(Verb::create_wq, ibv_ctx)) return nullptr;
  auto& context = context_of(ibv_ctx);
  const bool valid = attr->wq_type == IBV_WQT_RQ && attr->max_wr != 0 &&
                     attr->max_wr <= kMaxEntries && attr->max_sge != 0 &&
                     attr->max_sge <= kReceiveSges && attr->cq != nullptr && attr->pd != nullptr;
  if (!valid || pd_of(attr->pd).parent == nullptr || context.allocators.alloc == nullptr) {
    return fail_with(EINVAL);
  }
  auto wq = std::make_unique<Wq>();
  wq->ring_bytes = ring_bytes_of(attr->max_wr, attr->max_sge);
  wq->ring = allocate(context, wq->ring_bytes);
  if (wq->ring == nullptr) return nullptr;
  wq->context = ibv_ctx;
  wq->wq_context = attr->wq_context;
  wq->pd = attr->pd;
  wq->cq = attr->cq;
  wq->wq_type = attr->wq_type;
  wq->entries = attr->max_wr;
  wq->completions = static_cast<Cq*>(attr->cq);
  ++pd_of(attr->pd).users;
  ++context.objects;
  return wq.release();
}

int destroy_wq(ibv_wq* destroyed) {
  auto* wq = static_cast<Wq*>(destroyed);
  if (wq->users != 0) {
    Simulator::get().adapter().checker().note(Violation::destroy_order, [] {
      return std::string("a receive queue is destroyed before its indirection table");
    });
    return EBUSY;
  }
  auto& context = context_of(wq->context);
  release(context, wq->ring);
  --pd_of(wq->pd).users;
  --context.objects;
  delete wq;
  return 0;
}

ibv_rwq_ind_table* create_table(ibv_context* context, ibv_rwq_ind_table_init_attr* attr) {
  if (fault_injected(Verb::create_rwq_ind_table, context)) return nullptr;
  const auto size = std::size_t{1} << std::min(attr->log_ind_tbl_size, 31U);
  if (size > kIndirectionEntries) return fail_with(EINVAL);
  auto* table = new Table{};
  table->context = context;
  for (std::size_t i = 0; i < size; ++i) {
    table->queues.push_back(static_cast<Wq*>(attr->ind_tbl[i]));
    ++table->queues.back()->users;
  }
  ++context_of(context).objects;
  return table;
}

int destroy_table(ibv_rwq_ind_table* destroyed) {
  auto* table = static_cast<Table*>(destroyed);
  if (table->users != 0) {
    Simulator::get().adapter().checker().note(Violation::destroy_order, [] {
      return std::string("an indirection table is destroyed before its QP");
    });
    return EBUSY;
  }
  for (auto* wq : table->queues) --wq->users;
  --context_of(table->context).objects;
  delete table;
  return 0;
}

bool is_valid(const ibv_qp_init_attr_ex& attr) {
  constexpr std::uint32_t kNeeded =
      IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_RX_HASH | IBV_QP_INIT_ATTR_IND_TABLE;
  const auto& hash = attr.rx_hash_conf;
  return attr.qp_type == IBV_QPT_RAW_PACKET && (attr.comp_mask & kNeeded) == kNeeded &&
         attr.pd != nullptr && attr.rwq_ind_tbl != nullptr && hash.rx_hash_key != nullptr &&
         hash.rx_hash_key_len == kHashKeyBytes &&
         hash.rx_hash_function == IBV_RX_HASH_FUNC_TOEPLITZ;
}

Result<> create_queue(Wq& wq, Context& context) {
  const auto index = static_cast<std::size_t>(context.port);
  const auto ids = Simulator::get().adapter().port(index).create(Direction::receive,
                                                                 {wq.ring,
                                                                  wq.ring_bytes,
                                                                  wq.completions->memory,
                                                                  wq.completions->entries,
                                                                  event_of(*wq.completions)});
  if (!ids) return tl::unexpected<Error>(ids.error());
  wq.ids = *ids;
  wq.wq_num = ids->wq;
  wq.completions->id = ids->cq;
  return Simulator::get().watch_doorbells(*context.page, index, Direction::receive);
}

ibv_qp* create_rss_qp(ibv_context* ibv_ctx, ibv_qp_init_attr_ex* attr) {
  if (fault_injected(Verb::create_qp_ex, ibv_ctx)) return nullptr;
  auto& context = context_of(ibv_ctx);
  if (!is_valid(*attr)) return fail_with(EINVAL);
  auto& domain = pd_of(attr->pd);
  const std::scoped_lock lock(Simulator::get().control());
  if (const int error = claim_port(context, domain); error != 0) return fail_with(error);
  auto qp = std::make_unique<Qp>();
  qp->context = ibv_ctx;
  qp->pd = attr->pd;
  qp->qp_type = attr->qp_type;
  qp->state = IBV_QPS_RTS;
  qp->port = context.port;
  qp->table = static_cast<Table*>(attr->rwq_ind_tbl);
  ++qp->table->users;
  std::vector<std::uint32_t> ids;
  for (auto* wq : qp->table->queues) {
    const bool created =
        wq->ids.wq != 0 || (wq->completions->id == 0 && create_queue(*wq, context));
    if (!created) {
      remove_receivers(*qp);
      release_port(domain);
      return fail_with(ENOSPC);
    }
    ids.push_back(wq->ids.wq);
  }
  HashKey key{};
  std::copy_n(attr->rx_hash_conf.rx_hash_key, key.size(), key.begin());
  Simulator::get()
      .adapter()
      .port(static_cast<std::size_t>(qp->port))
      .receiver()
      .set_rss(Rss(key, std::move(ids)));
  ++domain.users;
  ++context.objects;
  return qp.release();
}

}  // namespace

void remove_receivers(Qp& qp) {
  auto& port = Simulator::get().adapter().port(static_cast<std::size_t>(qp.port));
  port.receiver().set_rss(std::nullopt);
  for (auto* wq : qp.table->queues) {
    if (wq->ids.wq == 0) continue;
    port.remove(wq->ids.wq);
    wq->ids = {};
    wq->completions->id = 0;
  }
  --qp.table->users;
}

void set_operations(Context& context) {
  const auto& faults = Simulator::get().verb_faults();
  const auto set = [&](auto& operation, Verb verb, auto* function) {
    if (!faults.is_missing(verb)) operation = function;
  };
  set(context.query_device_ex, Verb::query_device_ex, query_device_ex);
  set(context.alloc_parent_domain, Verb::alloc_parent_domain, alloc_parent_domain);
  set(context.create_wq, Verb::create_wq, create_wq);
  context.destroy_wq = destroy_wq;
  set(context.create_rwq_ind_table, Verb::create_rwq_ind_table, create_table);
  context.destroy_rwq_ind_table = destroy_table;
  set(context.create_qp_ex, Verb::create_qp_ex, create_rss_qp);
}

}  // namespace manactl::adapter
