// SPDX-License-Identifier: MIT
#include "datapath/verbs_machine.h"

#undef ibv_get_device_list
#undef ibv_reg_mr

extern "C" void manactl_sim_ring(const void* page, std::uint32_t offset, std::uint64_t value);

// A trapped store works in a signal's handler, allocations and all: it interrupts the driver's own
// instruction, which holds no lock of malloc. ThreadSanitizer cannot know that.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is the sanitizer's
extern "C" const char* __tsan_default_options() {
  return "report_signal_unsafe=0";
}

namespace manactl::datapath::verbs {

Library adapter_library(Rings rings) {
  Library made;
  made.get_device_list = ibv_get_device_list;
  made.free_device_list = ibv_free_device_list;
  made.open_device = ibv_open_device;
  made.close_device = ibv_close_device;
  made.alloc_pd = ibv_alloc_pd;
  made.dealloc_pd = ibv_dealloc_pd;
  made.reg_mr = ibv_reg_mr;
  made.dereg_mr = ibv_dereg_mr;
  made.create_cq = ibv_create_cq;
  made.destroy_cq = ibv_destroy_cq;
  made.create_qp = ibv_create_qp;
  made.destroy_qp = ibv_destroy_qp;
  made.get_async_event = ibv_get_async_event;
  made.ack_async_event = ibv_ack_async_event;
  made.set_context_attr = manadv_set_context_attr;
  made.init_obj = manadv_init_obj;
  if (rings == Rings::calls) made.ring = manactl_sim_ring;
  return made;
}

void Cable::transmit(std::span<const adapter::Frame> frames) {
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& frame : frames) frames_.emplace_back(frame.begin(), frame.end());
  }
  if (back_ != nullptr) back_->deliver(frames);
}

std::vector<Bytes> Cable::taken() {
  const std::scoped_lock lock(mutex_);
  return std::move(frames_);
}

Machine::Machine(const std::string& setup, Ends ends)
    : ledger_(adapter::SharedLedger::make().value()) {
  setenv("MANACTL_SIM_SETUP", fmt::format("{} ledger={}", setup, ledger_.fd()).c_str(), 1);
  auto& port = adapter().port(0);
  if (ends == Ends::as_configured) return;
  auto cable = std::make_unique<Cable>(ends == Ends::looped_cable ? &port.receiver() : nullptr);
  cable_ = cable.get();
  port.connect(std::move(cable));
}

Result<std::unique_ptr<Context>> Machine::open(Rings rings) const {
  const auto library = adapter_library(rings);
  auto** list = library.get_device_list(nullptr);
  if (list == nullptr) return fail(Errc::io, "no list");
  auto* device = list[0];
  library.free_device_list(list);
  return Context::open_port(library, device, {"mana_0", "7870:00:00.0", 1, "sim0", false});
}

std::vector<std::string> Machine::broken() const {
  auto reports = adapter().checker().reports();
  if (reports.empty() && adapter().checker().total() != 0) reports.emplace_back("unexplained");
  return reports;
}

}  // namespace manactl::datapath::verbs
