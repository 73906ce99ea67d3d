// SPDX-License-Identifier: MIT
//
// The PCI function of the MANA device behind x-pci-proxy-dev, which emulates neither the register
// of the BAR nor MSI-X. The BAR has 32 bits, because QEMU takes the upper half of a longer one for
// a BAR of its own.

#pragma once

#include <bitset>
#include <functional>

#include "device/pci_function.h"

namespace manactl::device::pci_proxy {

class MsixFunction : public PciFunction {
 public:
  // Writes the message of an interrupt to guest memory. False if that must be retried.
  using Send = std::function<bool(std::uint64_t address, std::uint32_t value)>;

  explicit MsixFunction(Send send);

  // The physical address that the guest has assigned to the BAR.
  std::uint32_t bar() const;

  // In addition to the registers and the shared memory: the MSI-X table and the pending bits.
  void read_bar(std::uint64_t offset, std::span<std::uint8_t> into) const override;
  void write_bar(std::uint64_t offset, std::span<const std::uint8_t> from, Device& device) override;

  // Also clears what the guest wrote to the configuration space, and masks all vectors.
  void reset() override;

  bool interrupt(std::uint32_t vector) override;

 private:
  static constexpr std::size_t kEntryBytes = 16;

  bool is_enabled() const;
  void mask_all();

  Send send_;
  std::array<std::uint8_t, kVectors * kEntryBytes> table_{};
  std::bitset<kVectors> pending_;
};

}  // namespace manactl::device::pci_proxy
