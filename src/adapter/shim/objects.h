// SPDX-License-Identifier: MIT
//
// The objects that verbs return. Drivers use only the base class of each object. device.cpp defines
// fill_attributes(), receive.cpp set_operations() and remove_receivers(), and queues.cpp the
// functions for memory, events and ports.

#pragma once

#include <infiniband/manadv.h>
#include <infiniband/verbs.h>

#include <atomic>
#include <deque>
#include <memory>

#include "adapter/shim/simulator.h"

// verbs.h defines macros with the names of these functions.
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port
#undef ibv_get_device_list

namespace manactl::adapter {

// The limits of the provider.
inline constexpr std::uint32_t kMaxEntries = 256;
inline constexpr std::uint32_t kMaxSges = 15;  // the smaller limit: SQs allow 30, RQs 15

struct Context : verbs_context {
  std::unique_ptr<DoorbellPage> page;
  manadv_ctx_allocators allocators{};
  int async_write = -1;
  int port = -1;                  // index of the port that the page serves; -1: none yet
  std::atomic<bool> dead{false};  // the device failed while the context was open
  std::atomic<unsigned> objects{0};
};

// A protection domain, or a parent domain on top of one.
struct Pd : ibv_pd {
  Pd* parent = nullptr;
  std::uint32_t port_number = 0;  // parent domains only; counts from 1
  unsigned queues = 0;            // QPs that use the port
  std::atomic<unsigned> users{0};
};

struct Channel : ibv_comp_channel {
  std::mutex mutex;
  std::deque<struct Cq*> ready;
};

struct Cq : ibv_cq {
  std::uint8_t* memory = nullptr;
  std::uint32_t entries = 0;
  std::uint32_t id = 0;  // 0 until a queue uses it
};

struct Qp : ibv_qp {
  Cq* completions = nullptr;  // the CQ of the SQ; null for an RSS QP
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

// Sets errno and returns null, the return value of verbs that fail.
inline std::nullptr_t fail_with(int number) {
  errno = number;
  return nullptr;
}

// Whether a planned fault makes this call fail. If so, sets errno.
inline bool fault_injected(Verb verb) {
  const int number = Simulator::get().verb_faults().inject(verb);
  if (number != 0) errno = number;
  return number != 0;
}

// Like fault_injected(verb), for calls that create an object in a context. They also fail if the
// context is dead.
inline bool fault_injected(Verb verb, ibv_context* context) {
  if (fault_injected(verb)) return true;
  if (!context_of(context).dead) return false;
  errno = EIO;
  return true;
}

// Allocates the memory of a queue with the allocator of the driver.
std::uint8_t* allocate(const Context& context, std::size_t bytes);
void release(const Context& context, std::uint8_t* memory);

// The function to call for an event of a CQ; empty if it has no completion channel.
std::function<void()> event_of(Cq& cq);

// Sets the operations that verbs.h calls through the context.
void set_operations(Context& context);
void fill_attributes(ibv_device_attr& attr);

// Claims the context's port: only one protection domain can have queues on it. Returns 0 or errno.
int claim_port(Context& context, Pd& pd);
void release_port(Pd& pd);

std::uint32_t ring_bytes_of(std::uint32_t entries, std::uint32_t sges);

// Removes the receive queues of an RSS QP from its port; the WQs continue to exist.
void remove_receivers(Qp& qp);

}  // namespace manactl::adapter
