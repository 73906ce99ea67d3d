// SPDX-License-Identifier: MIT
#include "datapath/dpdk/device_watch.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include "datapath/dpdk/kernel_interface.h"

namespace manactl::datapath::dpdk {

namespace {

// INTR_RMV asks to let go of a device, DESTROY tells that a port is no more.
constexpr std::array kEvents = {RTE_ETH_EVENT_INTR_RMV, RTE_ETH_EVENT_DESTROY, RTE_ETH_EVENT_NEW};

std::string name_of(std::uint16_t port) {
  std::array<char, RTE_ETH_NAME_MAX_LEN> name{};
  return rte_eth_dev_get_name_by_port(port, name.data()) == 0 ? name.data() : "";
}

int hear(std::uint16_t port, rte_eth_event_type event, void* watch, void* /*answer*/) {
  auto& it = *static_cast<DeviceWatch*>(watch);
  event == RTE_ETH_EVENT_NEW ? it.came(port) : it.left(port, name_of(port));
  return 0;
}

}  // namespace

DeviceWatch::DeviceWatch(Mode mode, std::vector<Lane>& lanes, std::vector<Port>& ports)
    : mode_(mode), lanes_(lanes), ports_(ports) {
  // Fails for want of memory alone; then nothing is noticed.
  for (const auto event : kEvents) {
    static_cast<void>(rte_eth_dev_callback_register(RTE_ETH_ALL, event, hear, this));
  }
}

DeviceWatch::~DeviceWatch() {
  for (const auto event : kEvents) {
    // Refused while it runs in another thread.
    while (rte_eth_dev_callback_unregister(RTE_ETH_ALL, event, hear, this) == -EAGAIN) {
      std::this_thread::yield();
    }
  }
}

void DeviceWatch::left(std::uint16_t port, std::string device) {
  for (auto& lane : lanes_) {
    if (uses(lane, port)) lane.gone.store(true, std::memory_order_relaxed);
  }
  const std::lock_guard lock(mutex_);
  if (std::find(away_.begin(), away_.end(), device) != away_.end()) return;
  away_.push_back(device);
  events_.push_back({0, std::move(device), Event::Kind::removed});
}

void DeviceWatch::came(std::uint16_t port) {
  const std::lock_guard lock(mutex_);
  new_.push_back(port);
}

void DeviceWatch::greet(const std::string& device) {
  if (std::erase(away_, device) > 0) events_.push_back({0, device, Event::Kind::returned});
}

bool DeviceWatch::uses(const Lane& lane, std::uint16_t port) const {
  return lane.port == port || (mode_ == Mode::fwd && lane.out_port == port);
}

bool DeviceWatch::is_away(const std::string& device) {
  const std::lock_guard lock(mutex_);
  return std::find(away_.begin(), away_.end(), device) != away_.end();
}

// DPDK is not told when the interface below af_packet goes, nor when it is back.
void DeviceWatch::look_at_interfaces() {
  for (auto& port : ports_) {
    if (port.interface_index() == 0) continue;
    if (is_away(port.device())) {
      if (port.has_successor()) bring_back(port);
    } else if (!has_interface(port.interface_index())) {
      left(port.id(), port.device());
    }
  }
}

void DeviceWatch::bring_back(Port& port) {
  const auto before = port.id();
  const auto is_busy = [&](const Lane& lane) {
    return uses(lane, before) && !lane.parked.load(std::memory_order_acquire);
  };
  // A worker that has not looked yet may still be inside the driver; the next time will do.
  if (std::any_of(lanes_.begin(), lanes_.end(), is_busy)) return;
  const bool opened = port.reopen().has_value();
  const auto now = port.id();
  if (!opened) {
    const std::lock_guard lock(mutex_);
    std::erase(new_, now);  // it was announced, and cannot be used
  }
  for (auto& lane : lanes_) {
    if (!uses(lane, before)) continue;
    if (lane.port == before) lane.port = now;
    if (lane.out_port == before) lane.out_port = now;
    const auto other = mode_ == Mode::fwd && lane.port == now ? lane.out_port : lane.port;
    const bool whole = other == now || std::none_of(ports_.begin(), ports_.end(), [&](Port& one) {
                         return one.id() == other && is_away(one.device());
                       });
    if (!opened || !whole) continue;
    lane.parked.store(false, std::memory_order_relaxed);
    lane.gone.store(false, std::memory_order_release);
  }
}

std::vector<Event> DeviceWatch::take() {
  look_at_interfaces();
  const std::lock_guard lock(mutex_);
  for (const auto port : std::exchange(new_, {})) greet(name_of(port));
  return std::exchange(events_, {});
}

}  // namespace manactl::datapath::dpdk
