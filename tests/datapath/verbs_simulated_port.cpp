// SPDX-License-Identifier: MIT
#include "datapath/verbs_simulated_port.h"

#undef ibv_get_device_list
#undef ibv_reg_mr

extern "C" void manactl_sim_ring(const void* page, std::uint32_t offset, std::uint64_t value);

// A doorbell store traps, and the signal handler runs the device, which allocates. This is safe:
// the interrupted store never runs inside malloc. ThreadSanitizer cannot know that.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer defines the name
extern "C" const char* __tsan_default_options() {
  return "report_signal_unsafe=0";
}

namespace manactl::datapath::verbs {

Library adapter_library(Doorbells doorbells) {
  Library library;
  library.get_device_list = ibv_get_device_list;
  library.free_device_list = ibv_free_device_list;
  library.open_device = ibv_open_device;
  library.close_device = ibv_close_device;
  library.alloc_pd = ibv_alloc_pd;
  library.dealloc_pd = ibv_dealloc_pd;
  library.reg_mr = ibv_reg_mr;
  library.dereg_mr = ibv_dereg_mr;
  library.create_cq = ibv_create_cq;
  library.destroy_cq = ibv_destroy_cq;
  library.create_qp = ibv_create_qp;
  library.destroy_qp = ibv_destroy_qp;
  library.get_async_event = ibv_get_async_event;
  library.ack_async_event = ibv_ack_async_event;
  library.set_context_attr = manadv_set_context_attr;
  library.init_obj = manadv_init_obj;
  if (doorbells == Doorbells::calls) library.doorbell = manactl_sim_ring;
  return library;
}

void Cable::transmit(std::span<const adapter::Frame> frames) {
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& frame : frames) frames_.emplace_back(frame.begin(), frame.end());
  }
  if (peer_ != nullptr) peer_->deliver(frames);
}

std::vector<Bytes> Cable::take_frames() {
  const std::scoped_lock lock(mutex_);
  return std::move(frames_);
}

SimulatedPort::SimulatedPort(const std::string& setup, Wiring wiring)
    : counters_(adapter::SharedCounters::make().value()) {
  setenv("MANACTL_SIM_SETUP", fmt::format("{} counters={}", setup, counters_.fd()).c_str(), 1);
  auto& port = adapter().port(0);
  if (wiring == Wiring::as_configured) return;
  auto cable = std::make_unique<Cable>(wiring == Wiring::looped_cable ? &port.receiver() : nullptr);
  cable_ = cable.get();
  port.connect(std::move(cable));
}

Result<std::unique_ptr<Context>> SimulatedPort::open(Doorbells doorbells) const {
  const auto library = adapter_library(doorbells);
  auto** list = library.get_device_list(nullptr);
  if (list == nullptr) return fail(Errc::io, "the adapter lists no devices");
  auto* device = list[0];
  library.free_device_list(list);
  return Context::open_port(library, device, {"mana_0", "7870:00:00.0", 1, "sim0", false});
}

std::vector<std::string> SimulatedPort::violations() const {
  auto reports = adapter().checker().reports();
  if (reports.empty() && adapter().checker().total() != 0)
    reports.emplace_back("a violation without a report");
  return reports;
}

}  // namespace manactl::datapath::verbs
