// SPDX-License-Identifier: MIT
//
// Lists the network devices on the PCI bus and on the VMBus. udev_devices.cpp uses libudev on a
// live system; tree_devices.cpp reads sysfs in a captured tree, and where libudev is not installed.
// Both return the same devices.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "os/files.h"
#include "os/libudev.h"

namespace manactl::os {

struct PciDevice {
  PciAddress address;
  std::uint16_t vendor = 0, device = 0;
  std::uint32_t class_code = 0;  // 24 bits; 0x020000 is an Ethernet controller
  std::string driver;            // empty if unbound
  int numa_node = -1;            // -1 if unknown
  std::string path;              // relative to the root: "sys/devices/pci7870:00/7870:00:00.0"
};

struct VmbusDevice {
  VmbusId id;
  VmbusId class_id;
  std::string driver;  // "hv_netvsc", "uio_hv_generic"; empty if unbound
  std::string path;
};

class Devices {
 public:
  virtual ~Devices() = default;

  // PCI functions of base class 02 (network), ordered by address. Empty without a PCI bus.
  virtual Result<std::vector<PciDevice>> pci_network() const = 0;

  // Synthetic NICs (HV_NIC_GUID, linux/hyperv.h), ordered by id. Empty without a VMBus.
  virtual Result<std::vector<VmbusDevice>> vmbus_network() const = 0;

  // Why a live system is read without libudev; empty if it is used, and for a captured tree.
  virtual std::string fallback_reason() const { return {}; }
};

// `files` must outlive the result. `obstacle` returns why libudev cannot be used; empty if it can.
std::unique_ptr<Devices> open_live_devices(const Files& files,
                                           std::string (*obstacle)() = libudev_obstacle);
std::unique_ptr<Devices> open_tree_devices(const Files& files);

}  // namespace manactl::os
