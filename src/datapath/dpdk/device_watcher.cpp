// SPDX-License-Identifier: MIT
#include "datapath/dpdk/device_watcher.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include "datapath/dpdk/kernel_interface.h"

namespace manactl::datapath::dpdk {

namespace {

// INTR_RMV: the device was unplugged. DESTROY: the port was released. NEW: a port was probed.
constexpr std::array kEvents = {RTE_ETH_EVENT_INTR_RMV, RTE_ETH_EVENT_DESTROY, RTE_ETH_EVENT_NEW};

std::string name_of(std::uint16_t port) {
  std::array<char, RTE_ETH_NAME_MAX_LEN> name{};
  return rte_eth_dev_get_name_by_port(port, name.data()) == 0 ? name.data() : "";
}

int on_event(std::uint16_t port, rte_eth_event_type event, void* watcher, void* /*result*/) {
  auto& self = *static_cast<DeviceWatcher*>(watcher);
  event == RTE_ETH_EVENT_NEW ? self.on_added(port) : self.on_removed(port, name_of(port));
  return 0;
}

}  // namespace

DeviceWatcher::DeviceWatcher(Mode mode, std::vector<Lane>& lanes, std::vector<Port>& ports)
    : mode_(mode), lanes_(lanes), ports_(ports) {
  // Registration fails only for lack of memory. Removals are then not detected.
  for (const auto event : kEvents) {
    static_cast<void>(rte_eth_dev_callback_register(RTE_ETH_ALL, event, on_event, this));
  }
}

DeviceWatcher::~DeviceWatcher() {
  for (const auto event : kEvents) {
    // Fails with EAGAIN while the callback runs in another thread.
    while (rte_eth_dev_callback_unregister(RTE_ETH_ALL, event, on_event, this) == -EAGAIN) {
      std::this_thread::yield();
    }
  }
}

void DeviceWatcher::on_removed(std::uint16_t port, std::string device) {
  for (auto& lane : lanes_) {
    if (uses(lane, port)) lane.removed.store(true, std::memory_order_relaxed);
  }
  const std::lock_guard lock(mutex_);
  if (std::find(absent_.begin(), absent_.end(), device) != absent_.end()) return;
  absent_.push_back(device);
  events_.push_back({0, std::move(device), Event::Kind::removed});
}

void DeviceWatcher::on_added(std::uint16_t port) {
  const std::lock_guard lock(mutex_);
  added_.push_back(port);
}

void DeviceWatcher::add_returned(const std::string& device) {
  if (std::erase(absent_, device) > 0) events_.push_back({0, device, Event::Kind::returned});
}

bool DeviceWatcher::uses(const Lane& lane, std::uint16_t port) const {
  return lane.port == port || (forwards(mode_) && lane.out_port == port);
}

bool DeviceWatcher::is_absent(const std::string& device) {
  const std::lock_guard lock(mutex_);
  return std::find(absent_.begin(), absent_.end(), device) != absent_.end();
}

// DPDK has no events for the kernel's interface below af_packet, so this function polls it.
void DeviceWatcher::check_interfaces() {
  for (auto& port : ports_) {
    if (port.interface_index() == 0) continue;
    if (is_absent(port.device())) {
      if (port.has_successor()) reopen(port);
    } else if (!has_interface(port.interface_index())) {
      on_removed(port.id(), port.device());
    }
  }
}

void DeviceWatcher::reopen(Port& port) {
  const auto before = port.id();
  const auto is_busy = [&](const Lane& lane) {
    return uses(lane, before) && !lane.parked.load(std::memory_order_acquire);
  };
  // A worker that has not parked its lane may still be inside the driver: try again later.
  if (std::any_of(lanes_.begin(), lanes_.end(), is_busy)) return;
  const bool opened = port.reopen().has_value();
  const auto now = port.id();
  if (!opened) {
    const std::lock_guard lock(mutex_);
    std::erase(added_, now);  // DPDK announced the port, but it cannot be used
  }
  for (auto& lane : lanes_) {
    if (!uses(lane, before)) continue;
    if (lane.port == before) lane.port = now;
    if (lane.out_port == before) lane.out_port = now;
    const auto other = forwards(mode_) && lane.port == now ? lane.out_port : lane.port;
    const bool both_present =
        other == now || std::none_of(ports_.begin(), ports_.end(), [&](Port& one) {
          return one.id() == other && is_absent(one.device());
        });
    if (!opened || !both_present) continue;
    lane.parked.store(false, std::memory_order_relaxed);
    lane.removed.store(false, std::memory_order_release);
  }
}

std::vector<Event> DeviceWatcher::take() {
  check_interfaces();
  const std::lock_guard lock(mutex_);
  for (const auto port : std::exchange(added_, {})) add_returned(name_of(port));
  return std::exchange(events_, {});
}

}  // namespace manactl::datapath::dpdk
