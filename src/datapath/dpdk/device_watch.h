// SPDX-License-Identifier: MIT
//
// Notices devices that leave while packets flow: the ports themselves, the VF below one of them,
// and the kernel's interface behind a virtual one. A device whose interface is there again is
// opened again, and its lanes go on.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "datapath/dpdk/lane.h"
#include "datapath/dpdk/port.h"
#include "datapath/trial.h"

namespace manactl::datapath::dpdk {

class DeviceWatch {
 public:
  // Both outlive it. It has to be gone before the ports are closed.
  DeviceWatch(Mode mode, std::vector<Lane>& lanes, std::vector<Port>& ports);
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;
  ~DeviceWatch();

  // What was noticed since it was last asked.
  std::vector<Event> take();

  // Told by DPDK, in any of its threads. The lanes of a port that left are not used any more.
  void left(std::uint16_t port, std::string device);
  void came(std::uint16_t port);

 private:
  void look_at_interfaces();
  void greet(const std::string& device);
  bool is_away(const std::string& device);
  bool uses(const Lane& lane, std::uint16_t port) const;
  void bring_back(Port& port);

  Mode mode_;
  std::vector<Lane>& lanes_;
  std::vector<Port>& ports_;
  std::mutex mutex_;
  std::vector<Event> events_;
  std::vector<std::string> away_;
  std::vector<std::uint16_t> new_;  // have no name yet when they are announced
};

}  // namespace manactl::datapath::dpdk
