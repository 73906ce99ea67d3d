// SPDX-License-Identifier: MIT

#include "adapter/shim/simulator.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "adapter/link/io_backends.h"
#include "adapter/shim/doorbell_trap.h"
#include "adapter/shim/dpdk.h"

namespace manactl::adapter {
namespace {

constexpr int kUsage = 2;

std::atomic<Simulator*> instance{nullptr};

[[noreturn]] void exit_with(const Error& error) {
  fmt::print(stderr, "manactl sim: {}\n", error.message);
  _exit(kUsage);
}

Result<Config> config_of_environment() {
  const auto* text = std::getenv(kConfigVariable);  // NOLINT(concurrency-mt-unsafe): read once
  return Config::parse(text == nullptr ? "" : text);
}

// The counters in the shared memory of the launcher; without a launcher, private ones.
Result<AdapterCounters*> find_counters(const Config& config) {
  if (config.counters < 0) return new AdapterCounters{};

  // Otherwise another process with this file could truncate it, which would end the program.
  const int seals = fcntl(config.counters, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return fail(Errc::invalid,
                fmt::format("descriptor {} has no counters of fixed size: start the program with "
                            "'manactl sim'",
                            config.counters));
  }

  struct stat status{};

  if (fstat(config.counters, &status) != 0 || status.st_size != sizeof(AdapterCounters)) {
    return fail(Errc::invalid, "the counters belong to another release of manactl");
  }
  auto* at = mmap(
      nullptr, sizeof(AdapterCounters), PROT_READ | PROT_WRITE, MAP_SHARED, config.counters, 0);
  if (at == MAP_FAILED) return fail_errno(errno, "cannot map the counters");
  return static_cast<AdapterCounters*>(at);
}

void find_driver(AdapterCounters& counters) {
  const auto version = dpdk_release();
  std::copy_n(version.begin(), std::min(version.size(), kDriverBytes), counters.driver.begin());
}

AdapterSetup setup_of(const Config& config) {
  AdapterSetup setup;
  setup.threading = config.threading;
  // The vPort offset is neither 0 nor the port number, to detect a driver that confuses them.
  for (std::uint32_t i = 0; i < config.ports; ++i)
    setup.ports.push_back({config.mac_of(i), 17 + i});
  setup.coalesce = config.coalesce;
  setup.link = config.link;
  return setup;
}

void plan_faults(const Config& config, DataFaults& faults, FaultCounts& injected) {
  const std::pair<FaultKind, EveryNth&> events[] = {
      {FaultKind::tx_error, faults.tx},
      {FaultKind::truncate, faults.truncate},
      {FaultKind::drop, faults.no_buffer},
      {FaultKind::overrun, faults.overrun},
      {FaultKind::lost, faults.lost_doorbell},
      {FaultKind::duplicated, faults.duplicated_doorbell},
      {FaultKind::delayed, faults.delayed_doorbell},
  };
  for (const auto& fault : config.faults) {
    for (const auto& [kind, event] : events) {
      if (kind == fault.kind) {
        event.set(fault.every, &injected[static_cast<std::size_t>(kind)]);
      }
    }
    if (fault.kind == FaultKind::tx_error) {
      faults.tx_type = static_cast<wire::CqeType>(fault.number);
    }
    if (fault.kind == FaultKind::delayed) faults.delay_ns = fault.us * 1000;
  }
}

int descriptor(const std::vector<int>& all, std::uint32_t port) {
  if (port < all.size()) return all[port];
  exit_with({Errc::invalid, 0, fmt::format("port {} has no descriptor", port)});
}

std::shared_ptr<const Capture> capture_of(const Config& config) {
  auto capture = load_capture(config.read, "read");
  if (!capture) exit_with(capture.error());
  return std::make_shared<const Capture>(std::move(*capture));
}

std::unique_ptr<Backend> plain_backend(const Config& config, Adapter& adapter, std::uint32_t port) {
  auto& own = adapter.port(port).receiver();
  switch (config.backend) {
    case BackendKind::sink:
      return make_sink();
    case BackendKind::loopback:
      return make_peer_link(own);
    case BackendKind::cross:
      return make_peer_link(adapter.port(port ^ 1U).receiver());
    case BackendKind::pcap:
      return make_player(own, capture_of(config), config.frames);
    case BackendKind::tap:
      return make_tap(own, descriptor(config.tap, port));
    case BackendKind::generator:
      break;
  }
  return make_generator(
      own, {config.mac_of(port), config.frame_bytes, Generator{}.flows, config.frames});
}

std::unique_ptr<Backend> backend_of(const Config& config, Adapter& adapter, std::uint32_t port) {
  auto backend = plain_backend(config, adapter, port);
  if (config.write.empty()) return backend;
  using std::chrono::nanoseconds;
  using std::chrono::system_clock;
  const auto now = std::chrono::duration_cast<nanoseconds>(system_clock::now().time_since_epoch());
  Recording recording;
  recording.fd = descriptor(config.write, port);
  recording.start = static_cast<std::uint64_t>(now.count());
  recording.on_error = [](const Error& error) {
    fmt::print(stderr, "manactl sim: {}\n", error.message);
  };
  return make_recorder(std::move(backend), std::move(recording), adapter.clock());
}

}  // namespace

Simulator::Simulator(const Config& config, AdapterCounters& counters)
    : config_(config),
      adapter_(setup_of(config), counters),
      verb_faults_(config.faults, counters.injected),
      doorbells_(config.doorbell != DoorbellSource::call),
      failure_(config.faults, control_, [this, &counters](FaultKind kind) {
        adapter_.halt();
        add(counters.injected[static_cast<std::size_t>(kind)], 1);
      }) {
  find_driver(counters);
  for (std::uint32_t i = 0; i < config.ports; ++i) {
    plan_faults(config, adapter_.faults(i), counters.injected);
    adapter_.port(i).connect(backend_of(config, adapter_, i));
  }
}

void Simulator::handle_unmap(const void* at, std::size_t bytes) {
  if (auto* simulator = instance.load(std::memory_order_acquire)) {
    simulator->adapter_.halt_queues_in(Extent::of(at, bytes));
  }
}

void Simulator::handle_exit() {
  if (instance.load(std::memory_order_acquire) != nullptr || dpdk_release().empty()) return;
  const auto config = config_of_environment();
  if (!config || config->counters < 0) return;
  const auto counters = find_counters(*config);
  // Another process of the same command may have used the adapter.
  if (!counters || (*counters)->ports != 0) return;
  find_driver(**counters);
  (*counters)->lacks_net_mana = lacks_net_mana();
}

Simulator& Simulator::get() {
  static auto& simulator = []() -> Simulator& {
    const auto config = config_of_environment();
    if (!config) exit_with(config.error());
    const auto counters = find_counters(*config);
    if (!counters) exit_with(counters.error());
    auto* created = new Simulator(*config, **counters);
    instance.store(created, std::memory_order_release);
    return *created;
  }();
  return simulator;
}

// Polling loses a store that another queue overwrites, so it allows only one queue per direction.
bool Simulator::needs_trap(const DoorbellRouter::Use& use) const {
  if (config_.doorbell == DoorbellSource::trap) return true;
  if (config_.doorbell != DoorbellSource::automatic) return false;
  return config_.threading == Threading::direct || use.senders > 1 || use.receivers > 1;
}

// Without a thread, the adapter works only while a doorbell is rung.
bool Simulator::needs_thread() const {
  const bool delays = std::ranges::any_of(
      config_.faults, [](const Fault& fault) { return fault.kind == FaultKind::delayed; });
  return config_.threading == Threading::threaded || delays || config_.link.has_rate() ||
         config_.link.has_delay() || config_.backend == BackendKind::tap;
}

Result<> Simulator::watch_doorbells(DoorbellPage& page, std::size_t port, Direction direction) {
  failure_.start();
  const auto use = doorbells_.add(page, adapter_.port(port), direction);
  if (needs_trap(use) && !page.is_protected()) {
    auto trapped = doorbells_.change_detection(page, [&page] { return trap_doorbells(page); });
    if (!trapped) return trapped;
  }
  if (needs_thread() && !started_) {
    started_ = true;
    adapter_.start([this] { return doorbells_.poll(); });
  }
  return {};
}

void Simulator::remove_page(const DoorbellPage& page) {
  doorbells_.remove(page);
  if (page.is_protected()) untrap_doorbells(page);
}

}  // namespace manactl::adapter
