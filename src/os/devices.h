// SPDX-License-Identifier: MIT
//
// Network devices of the PCI and VMBus buses. libudev lists them on a live system; a captured tree
// is walked in sysfs. Both give the same answer (a test holds them together).

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

struct PciDevice {
  PciAddress address;
  std::uint16_t vendor = 0, device = 0;
  std::uint32_t class_code = 0;  // 24 bits: 0x020000 is Ethernet
  std::string driver;            // empty when unbound
  int numa_node = -1;
  std::string path;  // below the root: "sys/devices/pci7870:00/7870:00:00.0"
};

struct VmbusDevice {
  VmbusId id;
  VmbusId class_id;
  std::string driver;  // "hv_netvsc", "uio_hv_generic"; empty when unbound
  std::string path;
};

class Devices {
 public:
  virtual ~Devices() = default;

  // Class 02 (network) of any vendor, by address. Empty without a PCI bus.
  virtual Result<std::vector<PciDevice>> pci_network() const = 0;

  // Class f8615163-df3e-46c5-913f-f2d2f965ed0e, by id. Empty without a VMBus.
  virtual Result<std::vector<VmbusDevice>> vmbus_network() const = 0;
};

std::unique_ptr<Devices> open_udev_devices();
std::unique_ptr<Devices> open_tree_devices(const Files& files);

}  // namespace manactl::os
