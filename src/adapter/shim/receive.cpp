// SPDX-License-Identifier: MIT
//
// The operations of a context: limits, parent domains, receive queues, tables and RSS QPs.

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
  const int number = Simulator::get().verb_faults().strike(Verb::query_device_ex);
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
  if (struck(Verb::alloc_parent_domain, context)) return nullptr;
  constexpr std::uint32_t kKnown = IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
  if ((attr->comp_mask & ~kKnown) != 0) return refuse(EOPNOTSUPP);
  if (attr->pd == nullptr) return refuse(EINVAL);
  auto* pd = new Pd{};
  pd->context = context;
  pd->parent = &pd_of(attr->pd);
  // The number of the port travels in the pointer.
  if (attr->comp_mask != 0) {
    pd->port_number =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(attr->pd_context));
  }
  ++pd->parent->users;
  ++context_of(context).objects;
  return pd;
}

ibv_wq* create_wq(ibv_context* made_in, ibv_wq_init_attr* attr) {
  if (struck(Verb::create_wq, made_in)) return nullptr;
  auto& context = context_of(made_in);
  const bool sound = attr->wq_type == IBV_WQT_RQ && attr->max_wr != 0 &&
                     attr->max_wr <= kMaxEntries && attr->max_sge != 0 &&
                     attr->max_sge <= kReceiveSges && attr->cq != nullptr && attr->pd != nullptr;
  if (!sound || pd_of(attr->pd).parent == nullptr || context.allocators.alloc == nullptr) {
    return refuse(EINVAL);
  }
  auto wq = std::make_unique<Wq>();
  wq->ring_bytes = ring_bytes_of(attr->max_wr, attr->max_sge);
  wq->ring = allocate(context, wq->ring_bytes);
  if (wq->ring == nullptr) return nullptr;
  wq->context = made_in;
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
  if (struck(Verb::create_rwq_ind_table, context)) return nullptr;
  const auto size = std::size_t{1} << std::min(attr->log_ind_tbl_size, 31U);
  if (size > kIndirectionEntries) return refuse(EINVAL);
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

bool sound(const ibv_qp_init_attr_ex& attr) {
  constexpr std::uint32_t kNeeded =
      IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_RX_HASH | IBV_QP_INIT_ATTR_IND_TABLE;
  const auto& hash = attr.rx_hash_conf;
  return attr.qp_type == IBV_QPT_RAW_PACKET && (attr.comp_mask & kNeeded) == kNeeded &&
         attr.pd != nullptr && attr.rwq_ind_tbl != nullptr && hash.rx_hash_key != nullptr &&
         hash.rx_hash_key_len == kHashKeyBytes &&
         hash.rx_hash_function == IBV_RX_HASH_FUNC_TOEPLITZ;
}

HashFields fields_of(std::uint64_t mask) {
  const auto has = [mask](std::uint64_t bits) { return (mask & bits) != 0; };
  return {has(IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4),
          has(IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6),
          has(IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP),
          has(IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP)};
}

Result<> make_queue(Wq& wq, Context& context) {
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
  return Simulator::get().watch(*context.page, index, Direction::receive);
}

ibv_qp* create_rss_qp(ibv_context* made_in, ibv_qp_init_attr_ex* attr) {
  if (struck(Verb::create_qp_ex, made_in)) return nullptr;
  auto& context = context_of(made_in);
  if (!sound(*attr)) return refuse(EINVAL);
  auto& domain = pd_of(attr->pd);
  const std::scoped_lock lock(Simulator::get().control());
  if (const int wrong = claim_port(context, domain); wrong != 0) return refuse(wrong);
  auto qp = std::make_unique<Qp>();
  qp->context = made_in;
  qp->pd = attr->pd;
  qp->qp_type = attr->qp_type;
  qp->state = IBV_QPS_RTS;
  qp->port = context.port;
  qp->table = static_cast<Table*>(attr->rwq_ind_tbl);
  ++qp->table->users;
  std::vector<std::uint32_t> ids;
  for (auto* wq : qp->table->queues) {
    const bool made = wq->ids.wq != 0 || (wq->completions->id == 0 && make_queue(*wq, context));
    if (!made) {
      remove_receivers(*qp);
      release_port(domain);
      return refuse(ENOSPC);
    }
    ids.push_back(wq->ids.wq);
  }
  HashKey key{};
  std::copy_n(attr->rx_hash_conf.rx_hash_key, key.size(), key.begin());
  Simulator::get()
      .adapter()
      .port(static_cast<std::size_t>(qp->port))
      .receiver()
      .set_rss(Rss(key, fields_of(attr->rx_hash_conf.rx_hash_fields_mask), std::move(ids)));
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
  const auto set = [&](auto& place, Verb verb, auto* function) {
    if (!faults.missing(verb)) place = function;
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
