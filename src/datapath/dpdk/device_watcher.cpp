// SPDX-License-Identifier: MIT
#include "datapath/dpdk/device_watcher.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "datapath/dpdk/kernel_interface.h"

namespace manactl::datapath::dpdk {

namespace {

// INTR_RMV: the device was unplugged. DESTROY: the port was released. NEW: a port was probed.
constexpr std::array kEvents = {RTE_ETH_EVENT_INTR_RMV, RTE_ETH_EVENT_DESTROY, RTE_ETH_EVENT_NEW};

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
  const std::lock_guard lock(mutex_);
  const bool is_new = std::find(absent_.begin(), absent_.end(), device) == absent_.end();
  for (auto& lane : lanes_) {
    if (!uses(lane, port)) continue;
    // A worker may have set `parked` again after the previous removal.
    if (is_new) lane.parked.store(false, std::memory_order_relaxed);
    lane.removed.store(true, std::memory_order_release);
  }
  if (!is_new) return;
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

bool DeviceWatcher::is_usable(std::uint16_t port) {
  return std::none_of(ports_.begin(), ports_.end(), [&](const Port& candidate) {
    return candidate.id() == port && is_absent(candidate.name());
  });
}

// DPDK has no events for the kernel's interface below af_packet or tap, so this function polls it.
void DeviceWatcher::check_interfaces() {
  std::set<std::string> returned;
  for (auto& port : ports_) {
    if (is_absent(port.name())) {
      if (port.has_returned()) returned.insert(port.device());
    } else if (port.interface_index() != 0 && !has_interface(port.interface_index())) {
      on_removed(port.id(), port.name());
    }
  }
  for (const auto& device : returned) reopen(device);
}

void DeviceWatcher::on_reopened(const std::string& device, bool opened) {
  const std::lock_guard lock(mutex_);
  // DPDK also announces ports that then do not start.
  std::erase_if(added_, [&](auto id) { return name_of(id) == device; });
  if (opened) add_returned(device);
}

void DeviceWatcher::reopen(const std::string& device) {
  std::vector<Port*> ports;
  std::map<std::uint16_t, const Port*> by_old_id;
  for (auto& port : ports_) {
    if (port.device() != device) continue;
    ports.push_back(&port);
    by_old_id.emplace(port.id(), &port);
    on_removed(port.id(), port.name());
  }
  std::vector<Lane*> affected;
  for (auto& lane : lanes_) {
    const auto is_used = [&](const auto& port) { return uses(lane, port.first); };
    if (!std::ranges::any_of(by_old_id, is_used)) continue;
    // A worker that has not parked its lane may still be inside the driver: try again later.
    if (!lane.parked.load(std::memory_order_acquire)) return;
    affected.push_back(&lane);
  }
  const bool opened = Port::reopen(ports).has_value();
  for (const auto* port : ports) on_reopened(port->name(), opened);
  const auto new_id = [&](std::uint16_t id) {
    const auto port = by_old_id.find(id);
    return port == by_old_id.end() ? id : port->second->id();
  };
  for (auto* lane : affected) {
    lane->port = new_id(lane->port);
    if (forwards(mode_)) lane->out_port = new_id(lane->out_port);
    if (!is_usable(lane->port) || (forwards(mode_) && !is_usable(lane->out_port))) continue;
    lane->resume();
  }
}

std::vector<Event> DeviceWatcher::take() {
  check_interfaces();
  const std::lock_guard lock(mutex_);
  for (const auto port : std::exchange(added_, {})) add_returned(name_of(port));
  return std::exchange(events_, {});
}

}  // namespace manactl::datapath::dpdk
