// SPDX-License-Identifier: MIT

#include "adapter/adapter.h"

#include <csignal>
#include <utility>

namespace manactl::adapter {
namespace {

constexpr auto kIdleSleep = std::chrono::microseconds(50);

}  // namespace

std::jthread start_without_signals(std::function<void(const std::stop_token&)> work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

Adapter::Adapter(const AdapterSetup& setup, AdapterCounters& counters)
    : threading_(setup.threading), clock_(&steady_clock_), checker_(counters) {
  if (threading_ == Threading::manual) clock_ = &virtual_clock_;
  counters.ports.store(static_cast<std::uint32_t>(setup.ports.size()));
  for (std::size_t i = 0; i < setup.ports.size(); ++i) {
    faults_.push_back(std::make_unique<DataFaults>());
    const PortContext context{memory_,
                              checker_,
                              counters.port[i],
                              *faults_.back(),
                              setup.ports[i].vport_offset,
                              setup.mtu + std::uint32_t{kEthernetBytes},
                              setup.coalesce,
                              *clock_};
    ports_.push_back(std::make_unique<Port>(context, setup.link, setup.threading, generations_));
    ports_.back()->connect(make_sink());
  }
}

Adapter::~Adapter() {
  stop();
}

std::size_t Adapter::run(std::size_t budget) {
  std::size_t done = 0;
  for (const auto& port : ports_) done += port->run(budget);
  return done;
}

void Adapter::step(std::uint64_t nanoseconds) {
  const auto end = virtual_clock_.now() + nanoseconds;
  for (;;) {
    while (run() != 0) {
    }
    std::optional<std::uint64_t> next;
    for (const auto& port : ports_) next = earlier_of(next, port->next());
    if (!next || *next > end) break;
    virtual_clock_.set(*next);
  }
  virtual_clock_.set(end);
}

void Adapter::halt() {
  for (const auto& port : ports_) port->halt();
}

void Adapter::halt_queues_in(const Extent& memory) {
  for (const auto& port : ports_) port->halt_queues_in(memory);
}

void Adapter::work(const std::stop_token& stop, const std::function<std::size_t()>& poll) {
  while (!stop.stop_requested()) {
    std::size_t done = poll ? poll() : 0;
    done += run();
    if (done != 0) continue;
    // The driver's thread, which rings the doorbells, may be waiting for this CPU.
    if (threading_ == Threading::threaded) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kIdleSleep);
    }
  }
}

void Adapter::start(std::function<std::size_t()> poll) {
  thread_ = start_without_signals(
      [this, poll = std::move(poll)](const std::stop_token& stop) { work(stop, poll); });
}

void Adapter::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

}  // namespace manactl::adapter
