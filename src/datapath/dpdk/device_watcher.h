// SPDX-License-Identifier: MIT
//
// Detects devices that are removed while packets flow: a port, the VF below a port, or the kernel's
// interface below a virtual device. Reopens a virtual device when its interface has returned, and a
// MANA function when its RDMA device has returned.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "datapath/dpdk/lane.h"
#include "datapath/dpdk/port.h"
#include "datapath/measure/trial.h"

namespace manactl::datapath::dpdk {

class DeviceWatcher {
 public:
  // `lanes` and `ports` must outlive the watcher. Destroy it before the ports are closed.
  DeviceWatcher(Mode mode, std::vector<Lane>& lanes, std::vector<Port>& ports);
  DeviceWatcher(const DeviceWatcher&) = delete;
  DeviceWatcher& operator=(const DeviceWatcher&) = delete;
  ~DeviceWatcher();

  // Events since the last call.
  std::vector<Event> take();

  // DPDK's callbacks, called in any of its threads. Workers stop using the lanes of a removed port.
  void on_removed(std::uint16_t port, std::string device);
  void on_added(std::uint16_t port);

 private:
  void check_interfaces();
  void add_returned(const std::string& device);
  void on_reopened(const std::string& device, bool opened);
  bool is_absent(const std::string& device);
  bool is_usable(std::uint16_t port);
  bool uses(const Lane& lane, std::uint16_t port) const;
  void reopen(const std::string& device);

  Mode mode_;
  std::vector<Lane>& lanes_;
  std::vector<Port>& ports_;
  std::mutex mutex_;
  std::vector<Event> events_;
  std::vector<std::string> absent_;   // names of absent devices
  std::vector<std::uint16_t> added_;  // new ports, which have no name yet when DPDK announces them
};

}  // namespace manactl::datapath::dpdk
