// SPDX-License-Identifier: MIT
//
// Verbs of completion queues and QPs for sending, and functions that all queues use.

#include <bit>
#include <cstring>

#include "adapter/shim/objects.h"

namespace manactl::adapter {
namespace {

constexpr std::uint32_t kPage = 4096;

std::array<Pd*, kMaxPorts> port_owners;  // protected by Simulator::control()

constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

// The bytes of a WQE with a short OOB.
constexpr std::uint32_t wqe_bytes(std::uint32_t sges) {
  return round_up(16 * sges + 16, wire::kBasicUnit);
}

// The errno for an error of the adapter.
int errno_of(const Error& error) {
  return error.code == Errc::busy ? ENOSPC : EINVAL;
}

bool is_valid(const ibv_qp_init_attr& attr) {
  const auto& cap = attr.cap;
  return attr.qp_type == IBV_QPT_RAW_PACKET && attr.send_cq != nullptr && cap.max_send_wr != 0 &&
         cap.max_send_wr <= kMaxEntries && cap.max_send_sge != 0 &&
         cap.max_send_sge <= wire::kMaxSqSges && cap.max_inline_data == 0 &&
         wqe_bytes(cap.max_send_sge) <= wire::kMaxSqWqe;
}

Result<QueueIds> create_queue(Qp& qp, Context& context) {
  auto& port = Simulator::get().adapter().port(static_cast<std::size_t>(qp.port));
  auto ids = port.create(Direction::send,
                         {qp.ring,
                          qp.ring_bytes,
                          qp.completions->memory,
                          qp.completions->entries,
                          event_of(*qp.completions),
                          qp.entries});
  if (!ids) return ids;
  const auto watched = Simulator::get().watch_doorbells(
      *context.page, static_cast<std::size_t>(qp.port), Direction::send);
  if (watched) return ids;
  port.remove(ids->wq);
  return tl::unexpected<Error>(watched.error());
}

}  // namespace

std::uint32_t ring_bytes_of(std::uint32_t entries, std::uint32_t sges) {
  return std::bit_ceil(round_up(entries * wqe_bytes(sges), kPage));
}

std::uint8_t* allocate(const Context& context, std::size_t bytes) {
  auto* memory = context.allocators.alloc(bytes, context.allocators.data);
  if (memory == nullptr) errno = ENOMEM;
  return static_cast<std::uint8_t*>(memory);
}

void release(const Context& context, std::uint8_t* memory) {
  context.allocators.free(memory, context.allocators.data);
}

std::function<void()> event_of(Cq& cq) {
  auto* channel = static_cast<Channel*>(cq.channel);
  if (channel == nullptr) return {};
  return [channel, &cq] {
    {
      const std::scoped_lock lock(channel->mutex);
      channel->ready.push_back(&cq);
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(channel->fd, &one, sizeof one);
  };
}

int claim_port(Context& context, Pd& pd) {
  const auto port = pd.port_number - 1;
  if (pd.parent == nullptr || port >= Simulator::get().adapter().ports()) return EINVAL;
  if (context.port >= 0 && context.port != static_cast<int>(port)) return EINVAL;
  auto*& owner = port_owners[port];
  if (owner != nullptr && owner != &pd) return EBUSY;
  owner = &pd;
  ++pd.queues;
  context.port = static_cast<int>(port);
  return 0;
}

void release_port(Pd& pd) {
  if (--pd.queues == 0) port_owners[pd.port_number - 1] = nullptr;
}

}  // namespace manactl::adapter

namespace adapter = manactl::adapter;
using adapter::Cq;
using adapter::fail_with;
using adapter::Qp;
using adapter::Simulator;
using adapter::Verb;

extern "C" {

ibv_cq* ibv_create_cq(
    ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel, int comp_vector) {
  if (adapter::fault_injected(Verb::create_cq, context)) return nullptr;
  auto& owner = adapter::context_of(context);
  if (cqe < 1 || cqe > static_cast<int>(adapter::kMaxEntries)) return fail_with(EINVAL);
  if (comp_vector < 0 || owner.allocators.alloc == nullptr) return fail_with(EINVAL);
  const auto entries = static_cast<std::uint32_t>(cqe);
  const auto bytes =
      adapter::round_up(std::bit_ceil(entries * manactl::wire::kCqeBytes), adapter::kPage);
  auto* memory = adapter::allocate(owner, bytes);
  if (memory == nullptr) return nullptr;
  auto* cq = new Cq{};
  cq->context = context;
  cq->channel = channel;
  cq->cq_context = cq_context;
  cq->cqe = cqe;
  cq->memory = memory;
  cq->entries = entries;
  const std::scoped_lock lock(Simulator::get().control());
  if (channel != nullptr) ++channel->refcnt;
  ++owner.objects;
  return cq;
}

int ibv_destroy_cq(ibv_cq* cq) {
  auto* destroyed = static_cast<Cq*>(cq);
  const std::scoped_lock lock(Simulator::get().control());
  if (destroyed->id != 0) {
    Simulator::get().adapter().checker().note(adapter::Violation::destroy_order, [&] {
      return fmt::format("CQ {:#x} is destroyed before its queue", destroyed->id);
    });
    return EBUSY;
  }
  auto& context = adapter::context_of(cq->context);
  if (auto* channel = static_cast<adapter::Channel*>(cq->channel)) {
    const std::scoped_lock channel_lock(channel->mutex);
    std::erase(channel->ready, destroyed);
    --channel->refcnt;
  }
  adapter::release(context, destroyed->memory);
  --context.objects;
  delete destroyed;
  return 0;
}

ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* attr) {
  if (adapter::fault_injected(Verb::create_qp, pd->context)) return nullptr;
  auto& context = adapter::context_of(pd->context);
  auto& domain = adapter::pd_of(pd);
  auto* cq = static_cast<Cq*>(attr->send_cq);
  if (!adapter::is_valid(*attr) || cq->id != 0 || context.allocators.alloc == nullptr) {
    return fail_with(EINVAL);
  }
  const std::scoped_lock lock(Simulator::get().control());
  if (const int error = adapter::claim_port(context, domain); error != 0) return fail_with(error);
  auto qp = std::make_unique<Qp>();
  qp->context = pd->context;
  qp->pd = pd;
  qp->send_cq = attr->send_cq;
  qp->recv_cq = attr->recv_cq;
  qp->qp_context = attr->qp_context;
  qp->qp_type = attr->qp_type;
  qp->state = IBV_QPS_RTS;
  qp->completions = cq;
  qp->entries = attr->cap.max_send_wr;
  qp->ring_bytes = adapter::ring_bytes_of(qp->entries, attr->cap.max_send_sge);
  qp->port = context.port;
  qp->ring = adapter::allocate(context, qp->ring_bytes);
  const auto ids = qp->ring == nullptr ? manactl::Result<adapter::QueueIds>()
                                       : adapter::create_queue(*qp, context);
  if (qp->ring == nullptr || !ids) {
    adapter::release_port(domain);
    if (qp->ring == nullptr) return fail_with(ENOMEM);
    adapter::release(context, qp->ring);
    return fail_with(adapter::errno_of(ids.error()));
  }
  qp->ids = *ids;
  qp->qp_num = ids->wq;
  cq->id = ids->cq;
  ++domain.users;
  ++context.objects;
  return qp.release();
}

int ibv_destroy_qp(ibv_qp* qp) {
  const std::unique_ptr<Qp> destroyed(static_cast<Qp*>(qp));
  auto& context = adapter::context_of(qp->context);
  auto& port = Simulator::get().adapter().port(static_cast<std::size_t>(destroyed->port));
  const std::scoped_lock lock(Simulator::get().control());
  Simulator::get().ring_pending(*context.page);
  if (destroyed->table != nullptr) {
    adapter::remove_receivers(*destroyed);
  } else {
    port.remove(destroyed->ids.wq);
    adapter::release(context, destroyed->ring);
    destroyed->completions->id = 0;
  }
  auto& domain = adapter::pd_of(qp->pd);
  adapter::release_port(domain);
  --domain.users;
  --context.objects;
  return 0;
}

}  // extern "C"
