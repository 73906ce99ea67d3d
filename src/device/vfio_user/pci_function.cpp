// SPDX-License-Identifier: MIT

#include "device/vfio_user/pci_function.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace manactl::device::vfio_user {
namespace {

constexpr std::uint64_t kMicrosoft = 0x1414, kManaVf = 0x00ba;
constexpr std::uint64_t kNetworkClass = 0x0200;

// Offsets in the configuration space, from the PCI specification.
constexpr std::size_t kCommandAt = 0x04, kStatusAt = 0x06, kClassAt = 0x0a, kBar0At = 0x10;
constexpr std::size_t kSubsystemAt = 0x2c, kCapabilitiesAt = 0x34, kInterruptLineAt = 0x3c;
constexpr std::size_t kMsixAt = 0x40, kMsixControlAt = kMsixAt + 2;
constexpr std::uint64_t kHasCapabilities = 0x10, kMsixCapability = 0x11;
constexpr std::uint64_t k64BitPrefetchable = 0xc;

constexpr std::uint64_t kMsixTableAt = 0x2000, kMsixPendingAt = 0x3000;

// Offsets of the registers in BAR 0.
constexpr std::size_t kDoorbellOffsetAt = 0x08, kDoorbellSizeAt = 0x10, kSharedOffsetAt = 0x18;

static_assert(kDoorbellsAt + kDoorbellPages * kDoorbellPageBytes <= PciFunction::kBarBytes);

// Copies the part of [at, at + from.size()) that lies in `into` at `offset`.
void copy_overlap(std::span<const std::uint8_t> from,
                  std::uint64_t at,
                  std::uint64_t offset,
                  std::span<std::uint8_t> into) {
  const auto begin = std::max(at, offset);
  const auto end = std::min(at + from.size(), offset + into.size());
  if (begin >= end) return;
  std::ranges::copy(from.subspan(begin - at, end - begin), into.subspan(begin - offset).begin());
}

}  // namespace

PciFunction::PciFunction() : eventfds_(kVectors) {
  const auto put = [this](std::size_t at, unsigned bytes, std::uint64_t value) {
    wire::store(config_, at, bytes, value);
  };
  put(0, 2, kMicrosoft);
  put(2, 2, kManaVf);
  put(kStatusAt, 2, kHasCapabilities);
  put(kClassAt, 2, kNetworkClass);
  put(kBar0At, 4, k64BitPrefetchable);
  put(kSubsystemAt, 2, kMicrosoft);
  put(kSubsystemAt + 2, 2, kManaVf);
  put(kCapabilitiesAt, 1, kMsixAt);
  put(kMsixAt, 1, kMsixCapability);
  put(kMsixControlAt, 2, kVectors - 1);
  put(kMsixAt + 4, 4, kMsixTableAt);
  put(kMsixAt + 8, 4, kMsixPendingAt);
  wire::store(registers_, kDoorbellOffsetAt, 8, kDoorbellsAt);
  wire::store(registers_, kDoorbellSizeAt, 4, kDoorbellPageBytes);
  wire::store(registers_, kSharedOffsetAt, 8, kSharedMemoryAt);
}

void PciFunction::read_config(std::uint64_t offset, std::span<std::uint8_t> into) const {
  std::ranges::fill(into, std::uint8_t{0});
  if (offset < kConfigBytes) copy_overlap(config_, 0, offset, into);
}

// Only these fields change behavior or are read back. QEMU handles the BAR itself.
void PciFunction::write_config(std::uint64_t offset, std::span<const std::uint8_t> from) {
  if (offset != kCommandAt && offset != kInterruptLineAt && offset != kMsixControlAt) return;
  if (from.size() > 2) from = from.first(2);
  std::ranges::copy(from, config_.begin() + static_cast<std::ptrdiff_t>(offset));
}

void PciFunction::read_bar(std::uint64_t offset, std::span<std::uint8_t> into) const {
  std::ranges::fill(into, std::uint8_t{0});
  if (offset >= kBarBytes) return;
  copy_overlap(registers_, 0, offset, into);
  copy_overlap(shared_, kSharedMemoryAt, offset, into);
}

void PciFunction::write_bar(std::uint64_t offset,
                            std::span<const std::uint8_t> from,
                            Device& device) {
  if (from.empty() || from.size() > 8 || offset >= kBarBytes) return;
  if (offset >= kSharedMemoryAt && offset - kSharedMemoryAt <= shared_.size() - from.size()) {
    std::ranges::copy(from,
                      shared_.begin() + static_cast<std::ptrdiff_t>(offset - kSharedMemoryAt));
  }
  std::array<std::uint8_t, 8> value{};
  std::ranges::copy(from, value.begin());
  device.store(static_cast<std::uint32_t>(offset), wire::load(value, 0, 8));
}

bool PciFunction::connect_interrupts(std::size_t first, std::vector<Descriptor> eventfds) {
  if (first > eventfds_.size() || eventfds.size() > eventfds_.size() - first) return false;
  std::ranges::move(eventfds, eventfds_.begin() + static_cast<std::ptrdiff_t>(first));
  return true;
}

void PciFunction::disconnect_interrupts() {
  for (auto& eventfd : eventfds_) eventfd = Descriptor();
}

void PciFunction::reset() {
  shared_.fill(0);
}

void PciFunction::disconnect() {
  reset();
  disconnect_interrupts();
  memory_.clear();
  wire::store(config_, kCommandAt, 2, 0);
  wire::store(config_, kMsixControlAt, 2, kVectors - 1);
}

bool PciFunction::read(std::uint64_t address, std::span<std::uint8_t> into) {
  return memory_.read(address, into);
}

bool PciFunction::write(std::uint64_t address, std::span<const std::uint8_t> from) {
  return memory_.write(address, from);
}

bool PciFunction::publish(std::uint64_t address, std::uint32_t value) {
  auto* memory = address % 4 == 0 ? memory_.writable_at(address, 4) : nullptr;
  if (memory == nullptr) return false;
  std::atomic_ref(*reinterpret_cast<std::uint32_t*>(memory))
      .store(value, std::memory_order_release);
  return true;
}

void PciFunction::read_shared(std::span<std::uint8_t, 32> into) {
  std::ranges::copy(shared_, into.begin());
}

void PciFunction::write_shared_header(std::uint32_t value) {
  wire::store(shared_, wire::kSharedMemoryHeader, 4, value);
}

bool PciFunction::interrupt(std::uint32_t vector) {
  if (vector >= eventfds_.size() || !eventfds_[vector]) return false;
  const std::uint64_t one = 1;
  return ::write(eventfds_[vector].get(), &one, sizeof one) == sizeof one;
}

}  // namespace manactl::device::vfio_user
