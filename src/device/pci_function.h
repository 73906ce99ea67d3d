// SPDX-License-Identifier: MIT
//
// The PCI function of the MANA device: configuration space, BAR 0 and the guest's memory. Derived
// classes raise its MSI-X interrupts: vfio_user::EventfdFunction and pci_proxy::MsixFunction.
//
// BAR 0: registers at 0 (offsets of the doorbells and of the shared memory), shared memory at
// kSharedMemoryAt, MSI-X table and pending bits after it, doorbell pages from kDoorbellsAt.
// Source of the registers: Linux drivers/net/ethernet/microsoft/mana/gdma_main.c,
// mana_gd_init_vf_regs().

#pragma once

#include <array>

#include "device/device.h"
#include "device/guest_memory.h"

namespace manactl::device {

class PciFunction : public Guest {
 public:
  static constexpr std::size_t kConfigBytes = 256;
  static constexpr std::uint32_t kBarBytes = 1U << 20U;

  GuestMemory& memory() { return memory_; }

  const GuestMemory& memory() const { return memory_; }

  // Accesses outside the configuration space or the BAR read zeros and write nothing.
  void read_config(std::uint64_t offset, std::span<std::uint8_t> into) const;
  void write_config(std::uint64_t offset, std::span<const std::uint8_t> from);
  virtual void read_bar(std::uint64_t offset, std::span<std::uint8_t> into) const;
  virtual void write_bar(std::uint64_t offset, std::span<const std::uint8_t> from, Device& device);

  virtual void reset();  // clears the shared memory

  // Forgets the guest: its memory, its interrupts and what it wrote.
  virtual void forget_guest();

  bool read(std::uint64_t address, std::span<std::uint8_t> into) override;
  bool write(std::uint64_t address, std::span<const std::uint8_t> from) override;
  bool publish(std::uint64_t address, std::uint32_t value) override;
  void read_shared(std::span<std::uint8_t, 32> into) override;
  void write_shared_header(std::uint32_t value) override;

 protected:
  // Offsets in the configuration space and in the BAR.
  static constexpr std::size_t kCommandAt = 0x04, kBar0At = 0x10, kMsixControlAt = 0x42;
  static constexpr std::uint32_t kMsixTableAt = 0x2000, kMsixPendingAt = 0x3000;

  // The register of BAR 0: its kind, and the bits that the guest can write.
  PciFunction(std::uint32_t bar_kind, std::uint32_t bar_writable);

  // Reads `bytes`, at most 8, of the configuration space.
  std::uint64_t config(std::size_t offset, unsigned bytes) const;

  void reset_config();  // clears what the guest wrote

 private:
  GuestMemory memory_;
  std::array<std::uint8_t, kConfigBytes> config_{};
  std::array<std::uint8_t, kConfigBytes> writable_{};  // the bits of config_ that are not constant
  std::array<std::uint8_t, 32> registers_{};
  std::array<std::uint8_t, wire::kSharedMemoryBytes> shared_{};
};

// Copies the part of [at, at + from.size()) that lies in `into`, whose first byte is at `offset`.
void copy_overlap(std::span<const std::uint8_t> from,
                  std::uint64_t at,
                  std::uint64_t offset,
                  std::span<std::uint8_t> into);

}  // namespace manactl::device
