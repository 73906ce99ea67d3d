// SPDX-License-Identifier: MIT
//
// Verbs of devices, contexts, protection domains, memory regions and events.

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "adapter/shim/objects.h"

namespace manactl::adapter {
namespace {

constexpr std::uint32_t kVendor = 0x1414;

template <std::size_t N>
void set_text(char (&into)[N], std::string_view text) {
  std::memcpy(into, text.data(), std::min(text.size(), N - 1));
}

ibv_device& device() {
  static auto& device = []() -> ibv_device& {
    auto& mana = *new ibv_device{};
    mana.node_type = IBV_NODE_CA;
    mana.transport_type = IBV_TRANSPORT_IB;
    set_text(mana.name, "mana_0");
    set_text(mana.dev_name, "uverbs0");
    set_text(mana.dev_path, "/sys/class/infiniband_verbs/uverbs0");
    set_text(mana.ibdev_path, "/sys/class/infiniband/mana_0");
    return mana;
  }();
  return device;
}

std::unique_ptr<Context> make_context() {
  auto context = std::make_unique<Context>();
  auto page = DoorbellPage::make();
  int ends[2] = {-1, -1};
  if (!page || pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  context->page = std::move(*page);
  context->async_write = ends[1];
  context->sz = sizeof(verbs_context);
  context->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
  context->context.device = &device();
  context->context.async_fd = ends[0];
  context->context.cmd_fd = context->page->fd();
  context->context.num_comp_vectors = 1;
  pthread_mutex_init(&context->context.mutex, nullptr);
  set_operations(*context);
  Simulator::get().failure().add_listener(context.get(), [opened = context.get()] {
    opened->dead = true;
    ibv_async_event event{};
    event.event_type = IBV_EVENT_DEVICE_FATAL;
    [[maybe_unused]] const auto written = write(opened->async_write, &event, sizeof event);
  });
  return context;
}

void note_leaks(const Context& context) {
  if (context.objects == 0) return;
  Simulator::get().adapter().checker().note(Violation::leak, [&] {
    return fmt::format("{} objects exist in a context that is closed", context.objects.load());
  });
}

}  // namespace

void fill_attributes(ibv_device_attr& attr) {
  const auto& config = Simulator::get().config();
  attr = {};
  attr.vendor_id = kVendor;
  attr.vendor_part_id = config.part_id;
  attr.phys_port_cnt = static_cast<std::uint8_t>(config.ports);
  attr.max_qp = attr.max_cq = static_cast<int>(config.queues);
  attr.max_qp_wr = attr.max_cqe = static_cast<int>(kMaxEntries);
  attr.max_sge = static_cast<int>(kMaxSges);
  attr.max_mr = static_cast<int>(MemoryTable::kRegions);
  attr.max_mr_size = UINT64_MAX;
  attr.max_pd = INT16_MAX;
}

}  // namespace manactl::adapter

using manactl::adapter::Channel;
using manactl::adapter::context_of;
using manactl::adapter::fail_with;
using manactl::adapter::fault_injected;
using manactl::adapter::Pd;
using manactl::adapter::pd_of;
using manactl::adapter::Simulator;
using manactl::adapter::Verb;
using manactl::adapter::Violation;

extern "C" {

ibv_device** ibv_get_device_list(int* num_devices) {
  if (fault_injected(Verb::get_device_list)) return nullptr;
  auto** list = static_cast<ibv_device**>(std::calloc(2, sizeof(void*)));
  if (list == nullptr) return nullptr;
  const bool present = !Simulator::get().failure().is_absent();
  if (present) list[0] = &manactl::adapter::device();
  if (num_devices != nullptr) *num_devices = present ? 1 : 0;
  return list;
}

void ibv_free_device_list(ibv_device** list) {
  std::free(list);
}

ibv_context* ibv_open_device(ibv_device* device) {
  if (fault_injected(Verb::open_device)) return nullptr;
  if (device != &manactl::adapter::device() || Simulator::get().failure().is_absent()) {
    return fail_with(ENODEV);
  }
  auto context = manactl::adapter::make_context();
  return context ? &context.release()->context : nullptr;
}

int ibv_close_device(ibv_context* context) {
  auto& closed = context_of(context);
  const std::scoped_lock lock(Simulator::get().control());
  manactl::adapter::note_leaks(closed);
  Simulator::get().failure().remove_listener(&closed);
  Simulator::get().remove_page(*closed.page);
  close(closed.async_write);
  close(context->async_fd);
  pthread_mutex_destroy(&context->mutex);
  delete &closed;
  return 0;
}

int ibv_query_device(ibv_context*, ibv_device_attr* attr) {
  manactl::adapter::fill_attributes(*attr);
  return 0;
}

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  if (fault_injected(Verb::alloc_pd, context)) return nullptr;
  auto* pd = new Pd{};
  pd->context = context;
  ++context_of(context).objects;
  return pd;
}

int ibv_dealloc_pd(ibv_pd* pd) {
  auto& freed = pd_of(pd);
  const std::scoped_lock lock(Simulator::get().control());
  if (freed.users != 0) {
    Simulator::get().adapter().checker().note(Violation::destroy_order, [&] {
      return fmt::format("a protection domain with {} users is deallocated", freed.users.load());
    });
    return EBUSY;
  }
  if (freed.parent != nullptr) --freed.parent->users;
  --context_of(pd->context).objects;
  delete &freed;
  return 0;
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* addr, std::size_t length, std::uint64_t, unsigned) {
  if (fault_injected(Verb::reg_mr, pd->context)) return nullptr;
  auto& memory = Simulator::get().adapter().memory();
  const auto key = memory.add(reinterpret_cast<std::uintptr_t>(addr), length);
  if (!key) return fail_with(key.error().code == manactl::Errc::busy ? ENOMEM : EINVAL);
  auto* mr = new ibv_mr{};
  mr->context = pd->context;
  mr->pd = pd;
  mr->addr = addr;
  mr->length = length;
  mr->lkey = mr->rkey = mr->handle = *key;
  ++pd_of(pd).users;
  ++context_of(pd->context).objects;
  return mr;
}

ibv_mr* ibv_reg_mr(ibv_pd* pd, void* addr, std::size_t length, int access) {
  const auto iova = reinterpret_cast<std::uintptr_t>(addr);
  return ibv_reg_mr_iova2(pd, addr, length, iova, static_cast<unsigned>(access));
}

ibv_mr* ibv_reg_mr_iova(
    ibv_pd* pd, void* addr, std::size_t length, std::uint64_t iova, int access) {
  return ibv_reg_mr_iova2(pd, addr, length, iova, static_cast<unsigned>(access));
}

int ibv_dereg_mr(ibv_mr* mr) {
  Simulator::get().adapter().memory().remove(mr->lkey);
  --pd_of(mr->pd).users;
  --context_of(mr->context).objects;
  delete mr;
  return 0;
}

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  if (fault_injected(Verb::create_comp_channel, context)) return nullptr;
  const int fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  if (fd < 0) return nullptr;
  auto* channel = new Channel;
  channel->context = context;
  channel->fd = fd;
  channel->refcnt = 0;
  ++context_of(context).objects;
  return channel;
}

int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  const std::scoped_lock lock(Simulator::get().control());
  if (channel->refcnt != 0) return EBUSY;
  close(channel->fd);
  --context_of(channel->context).objects;
  delete static_cast<Channel*>(channel);
  return 0;
}

// Blocks until there is an event, unless the descriptor is non-blocking.
int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) {
  auto& from = *static_cast<Channel*>(channel);
  std::uint64_t one = 0;
  if (read(from.fd, &one, sizeof one) != sizeof one) return -1;
  const std::scoped_lock lock(from.mutex);
  if (from.ready.empty()) {
    errno = EAGAIN;
    return -1;
  }
  *cq = from.ready.front();
  *cq_context = (*cq)->cq_context;
  from.ready.pop_front();
  return 0;
}

void ibv_ack_cq_events(ibv_cq*, unsigned) {}

int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  return read(context->async_fd, event, sizeof *event) == sizeof *event ? 0 : -1;
}

void ibv_ack_async_event(ibv_async_event*) {}

}  // extern "C"
