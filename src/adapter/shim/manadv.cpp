// SPDX-License-Identifier: MIT
//
// The direct verbs of libmana (manadv(7)): external allocators and the memory of queues. Also
// manactl_sim_ring(), which only this library has.

#include "adapter/shim/objects.h"

namespace adapter = manactl::adapter;
using adapter::Cq;
using adapter::Qp;
using adapter::Simulator;
using adapter::Verb;
using adapter::Wq;

extern "C" {

int manadv_set_context_attr(ibv_context* ibv_ctx, manadv_set_ctx_attr_type type, void* attr) {
  const int number = Simulator::get().verb_faults().inject(Verb::set_context_attr);
  if (number != 0) return number;
  if (type != MANADV_CTX_ATTR_BUF_ALLOCATORS) return EOPNOTSUPP;
  adapter::context_of(ibv_ctx).allocators = *static_cast<const manadv_ctx_allocators*>(attr);
  return 0;
}

int manadv_init_obj(manadv_obj* obj, std::uint64_t obj_type) {
  constexpr std::uint64_t kKnown = MANADV_OBJ_QP | MANADV_OBJ_CQ | MANADV_OBJ_RWQ;
  const int number = Simulator::get().verb_faults().inject(Verb::init_obj);
  if (number != 0) return number;
  if ((obj_type & ~kKnown) != 0) return EINVAL;
  if ((obj_type & MANADV_OBJ_QP) != 0) {
    const auto& qp = *static_cast<const Qp*>(obj->qp.in);
    if (qp.table != nullptr) return EINVAL;
    const auto& context = adapter::context_of(qp.context);
    const auto& port = Simulator::get().adapter().port(static_cast<std::size_t>(qp.port));
    *obj->qp.out = {qp.ring,
                    qp.entries,
                    qp.ring_bytes,
                    qp.ids.wq,
                    port.vport_offset(),
                    context.page->address()};
  }
  if ((obj_type & MANADV_OBJ_CQ) != 0) {
    const auto& cq = *static_cast<const Cq*>(obj->cq.in);
    *obj->cq.out = {cq.memory, cq.entries, cq.id};
  }
  if ((obj_type & MANADV_OBJ_RWQ) != 0) {
    const auto& wq = *static_cast<const Wq*>(obj->rwq.in);
    const auto& context = adapter::context_of(wq.context);
    *obj->rwq.out = {wq.ring, wq.entries, wq.ring_bytes, wq.ids.wq, context.page->address()};
  }
  return 0;
}

// Rings a doorbell, at about a thousandth of the cost of a trapped store.
void manactl_sim_ring(const void* page, std::uint32_t offset, std::uint64_t value) {
  Simulator::get().ring(page, offset, value);
}

}  // extern "C"
