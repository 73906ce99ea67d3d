// SPDX-License-Identifier: MIT
//
// The PCI function of the MANA device: configuration space, BAR 0 and MSI-X interrupts. QEMU
// emulates the MSI-X table and its masks, and passes one eventfd per vector.
//
// BAR 0: registers at 0 (offsets of the doorbells and of the shared memory), shared memory at
// kSharedMemoryAt, MSI-X table and pending bits after it, doorbell pages from kDoorbellsAt.
// Source of the registers: Linux drivers/net/ethernet/microsoft/mana/gdma_main.c,
// mana_gd_init_vf_regs().

#pragma once

#include <array>
#include <vector>

#include "device/device.h"
#include "device/vfio_user/guest_memory.h"

namespace manactl::device::vfio_user {

class PciFunction : public Guest {
 public:
  static constexpr std::size_t kConfigBytes = 256;
  static constexpr std::uint64_t kBarBytes = 1U << 20U;

  PciFunction();

  GuestMemory& memory() { return memory_; }

  // Accesses outside the configuration space or the BAR read zeros and write nothing.
  void read_config(std::uint64_t offset, std::span<std::uint8_t> into) const;
  void write_config(std::uint64_t offset, std::span<const std::uint8_t> from);
  void read_bar(std::uint64_t offset, std::span<std::uint8_t> into) const;
  void write_bar(std::uint64_t offset, std::span<const std::uint8_t> from, Device& device);

  // Connects vectors from `first` on to eventfds; a Descriptor without a number disconnects one.
  // False if there are not so many vectors.
  bool connect_interrupts(std::size_t first, std::vector<Descriptor> eventfds);
  void disconnect_interrupts();

  void reset();  // clears the shared memory

  // Forgets the guest: its memory, its interrupts and what it wrote.
  void disconnect();

  bool read(std::uint64_t address, std::span<std::uint8_t> into) override;
  bool write(std::uint64_t address, std::span<const std::uint8_t> from) override;
  bool publish(std::uint64_t address, std::uint32_t value) override;
  void read_shared(std::span<std::uint8_t, 32> into) override;
  void write_shared_header(std::uint32_t value) override;
  bool interrupt(std::uint32_t vector) override;

 private:
  GuestMemory memory_;
  std::array<std::uint8_t, kConfigBytes> config_{};
  std::array<std::uint8_t, 32> registers_{};
  std::array<std::uint8_t, wire::kSharedMemoryBytes> shared_{};
  std::vector<Descriptor> eventfds_;
};

}  // namespace manactl::device::vfio_user
