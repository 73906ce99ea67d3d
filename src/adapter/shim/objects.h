// SPDX-License-Identifier: MIT
//
// What verbs hand out. The driver sees the first part of each object, the library the rest.

#pragma once

#include <infiniband/manadv.h>
#include <infiniband/verbs.h>

#include <atomic>
#include <deque>
#include <memory>

#include "adapter/shim/simulator.h"

// Macros of verbs.h, for callers.
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port
#undef ibv_get_device_list

namespace manactl::adapter {

// The limits that the provider has.
inline constexpr std::uint32_t kMaxEntries = 256;
inline constexpr std::uint32_t kMaxSges = 15;  // the smaller of both directions

struct Context : verbs_context {
  std::unique_ptr<DoorbellPage> page;
  manadv_ctx_allocators allocators{};
  int async_write = -1;
  int port = -1;                  // that the page rings for; -1: none yet
  std::atomic<bool> dead{false};  // the device went away after it was opened
  std::atomic<unsigned> objects{0};
};

// A protection domain, or a parent domain on top of one.
struct Pd : ibv_pd {
  Pd* parent = nullptr;
  std::uint32_t port_number = 0;  // of a parent domain, from 1
  unsigned queues = 0;            // QPs that hold the port
  std::atomic<unsigned> users{0};
};

struct Channel : ibv_comp_channel {
  std::mutex mutex;
  std::deque<struct Cq*> ready;
};

struct Cq : ibv_cq {
  std::uint8_t* memory = nullptr;
  std::uint32_t entries = 0;
  std::uint32_t id = 0;  // 0: no queue uses it yet
};

struct Qp : ibv_qp {
  Cq* completions = nullptr;  // of the SQ; none for an RSS QP
  std::uint8_t* ring = nullptr;
  std::uint32_t ring_bytes = 0, entries = 0;
  QueueIds ids;
  struct Table* table = nullptr;
  int port = 0;
};

struct Wq : ibv_wq {
  Cq* completions = nullptr;
  std::uint8_t* ring = nullptr;
  std::uint32_t ring_bytes = 0, entries = 0;
  QueueIds ids;
  std::atomic<unsigned> users{0};
};

struct Table : ibv_rwq_ind_table {
  std::vector<Wq*> queues;
  std::atomic<unsigned> users{0};
};

inline Context& context_of(ibv_context* context) {
  return *static_cast<Context*>(verbs_get_ctx(context));
}

inline Pd& pd_of(ibv_pd* pd) {
  return *static_cast<Pd*>(pd);
}

// How verbs fail: no object, errno.
inline std::nullptr_t refuse(int number) {
  errno = number;
  return nullptr;
}

// The planned fault of this call; errno is set.
inline bool struck(Verb verb) {
  const int number = Simulator::get().verb_faults().strike(verb);
  if (number != 0) errno = number;
  return number != 0;
}

// The same for calls that make something in a context, which fail when its device is gone.
inline bool struck(Verb verb, ibv_context* context) {
  if (struck(verb)) return true;
  if (!context_of(context).dead) return false;
  errno = EIO;
  return true;
}

// Memory of a queue, from the driver's allocator.
std::uint8_t* allocate(const Context& context, std::size_t bytes);
void release(const Context& context, std::uint8_t* memory);

// What an event of a CQ does; empty without a channel.
std::function<void()> event_of(Cq& cq);

// The operations that callers find in the context.
void set_operations(Context& context);
void fill_attributes(ibv_device_attr& attr);

// A port belongs to one protection domain with queues at a time. 0, or the errno.
int claim_port(Context& context, Pd& pd);
void release_port(Pd& pd);

std::uint32_t ring_bytes_of(std::uint32_t entries, std::uint32_t sges);

// Ends the queues of an RSS QP; the WQs stay.
void remove_receivers(Qp& qp);

}  // namespace manactl::adapter
