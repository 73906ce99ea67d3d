// SPDX-License-Identifier: MIT

#include "device/pci_function.h"

#include <algorithm>

namespace manactl::device {
namespace {

constexpr std::uint64_t kMicrosoft = 0x1414, kManaVf = 0x00ba;
constexpr std::uint64_t kNetworkClass = 0x0200;

// Offsets in the configuration space, from the PCI specification.
constexpr std::size_t kStatusAt = 0x06, kClassAt = 0x0a, kSubsystemAt = 0x2c;
constexpr std::size_t kCapabilitiesAt = 0x34, kInterruptLineAt = 0x3c, kMsixAt = 0x40;
constexpr std::uint64_t kHasCapabilities = 0x10, kMsixCapability = 0x11;

// The bits that the guest can write: every bit of the command register but that of I/O ports, and
// enabling and masking of MSI-X.
constexpr std::uint64_t kCommandWritable = 0xfffe, kMsixControlWritable = 0xc000;

// Offsets of the registers in BAR 0.
constexpr std::size_t kDoorbellOffsetAt = 0x08, kDoorbellSizeAt = 0x10, kSharedOffsetAt = 0x18;

static_assert(kDoorbellsAt + kDoorbellPages * kDoorbellPageBytes <= PciFunction::kBarBytes);

}  // namespace

void copy_overlap(std::span<const std::uint8_t> from,
                  std::uint64_t at,
                  std::uint64_t offset,
                  std::span<std::uint8_t> into) {
  const auto begin = std::max(at, offset);
  const auto end = std::min(at + from.size(), offset + into.size());
  if (begin >= end) return;
  std::ranges::copy(from.subspan(begin - at, end - begin), into.subspan(begin - offset).begin());
}

PciFunction::PciFunction(std::uint32_t bar_kind, std::uint32_t bar_writable) {
  const auto put = [this](std::size_t at, unsigned bytes, std::uint64_t value) {
    wire::store(config_, at, bytes, value);
  };
  put(0, 2, kMicrosoft);
  put(2, 2, kManaVf);
  put(kStatusAt, 2, kHasCapabilities);
  put(kClassAt, 2, kNetworkClass);
  put(kBar0At, 4, bar_kind);
  put(kSubsystemAt, 2, kMicrosoft);
  put(kSubsystemAt + 2, 2, kManaVf);
  put(kCapabilitiesAt, 1, kMsixAt);
  put(kMsixAt, 1, kMsixCapability);
  put(kMsixControlAt, 2, kVectors - 1);
  put(kMsixAt + 4, 4, kMsixTableAt);
  put(kMsixAt + 8, 4, kMsixPendingAt);
  wire::store(writable_, kCommandAt, 2, kCommandWritable);
  wire::store(writable_, kBar0At, 4, bar_writable);
  wire::store(writable_, kInterruptLineAt, 1, 0xff);
  wire::store(writable_, kMsixControlAt, 2, kMsixControlWritable);
  wire::store(registers_, kDoorbellOffsetAt, 8, kDoorbellsAt);
  wire::store(registers_, kDoorbellSizeAt, 4, kDoorbellPageBytes);
  wire::store(registers_, kSharedOffsetAt, 8, kSharedMemoryAt);
}

void PciFunction::read_config(std::uint64_t offset, std::span<std::uint8_t> into) const {
  std::ranges::fill(into, std::uint8_t{0});
  if (offset < kConfigBytes) copy_overlap(config_, 0, offset, into);
}

void PciFunction::write_config(std::uint64_t offset, std::span<const std::uint8_t> from) {
  if (offset >= kConfigBytes) return;
  const auto bytes = std::min<std::size_t>(from.size(), kConfigBytes - offset);
  for (std::size_t i = 0; i < bytes; ++i) {
    auto& byte = config_[offset + i];
    const auto mask = writable_[offset + i];
    byte = static_cast<std::uint8_t>((byte & ~mask) | (from[i] & mask));
  }
}

std::uint64_t PciFunction::config(std::size_t offset, unsigned bytes) const {
  return wire::load(config_, offset, bytes);
}

void PciFunction::reset_config() {
  for (std::size_t i = 0; i < kConfigBytes; ++i) {
    config_[i] = static_cast<std::uint8_t>(config_[i] & ~writable_[i]);
  }
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

void PciFunction::reset() {
  shared_.fill(0);
}

void PciFunction::forget_guest() {
  reset();
  reset_config();
  (void)memory_.clear();  // the connection has ended already
}

bool PciFunction::read(std::uint64_t address, std::span<std::uint8_t> into) {
  return memory_.read(address, into);
}

bool PciFunction::write(std::uint64_t address, std::span<const std::uint8_t> from) {
  return memory_.write(address, from);
}

bool PciFunction::publish(std::uint64_t address, std::uint32_t value) {
  return memory_.publish(address, value);
}

void PciFunction::read_shared(std::span<std::uint8_t, 32> into) {
  std::ranges::copy(shared_, into.begin());
}

void PciFunction::write_shared_header(std::uint32_t value) {
  wire::store(shared_, wire::kSharedMemoryHeader, 4, value);
}

}  // namespace manactl::device
