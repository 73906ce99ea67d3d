// SPDX-License-Identifier: MIT

#include "device/pci_proxy/msix_function.h"

#include <utility>

namespace manactl::device::pci_proxy {
namespace {

constexpr std::uint32_t k32Bit = 0, kBarWritable = ~(PciFunction::kBarBytes - 1);

constexpr std::uint64_t kBusMaster = 1U << 2U;                         // in the command register
constexpr std::uint64_t kEnable = 1U << 15U, kMaskAll = 1U << 14U;     // in the MSI-X control
constexpr std::uint32_t kAddressAt = 0, kDataAt = 8, kControlAt = 12;  // in an entry of the table
constexpr std::uint64_t kMasked = 1;                                   // in the control of an entry

// The addresses of interrupts on x86. Only they are written, so that a wrong table cannot change
// RAM, or registers of other devices, through the -qtest socket.
bool is_interrupt(std::uint64_t address) {
  return address >> 20U == 0xfee && address % 4 == 0;
}

}  // namespace

MsixFunction::MsixFunction(Send send) : PciFunction(k32Bit, kBarWritable), send_(std::move(send)) {
  mask_all();
}

void MsixFunction::mask_all() {
  table_.fill(0);
  for (std::uint32_t i = 0; i < kVectors; ++i) {
    wire::store(table_, i * kEntryBytes + kControlAt, 4, kMasked);
  }
  pending_.reset();
}

std::uint32_t MsixFunction::bar() const {
  return static_cast<std::uint32_t>(config(kBar0At, 4)) & kBarWritable;
}

bool MsixFunction::is_enabled() const {
  return (config(kMsixControlAt, 2) & kEnable) != 0 && (config(kCommandAt, 2) & kBusMaster) != 0;
}

void MsixFunction::read_bar(std::uint64_t offset, std::span<std::uint8_t> into) const {
  PciFunction::read_bar(offset, into);
  if (offset >= kBarBytes) return;
  copy_overlap(table_, kMsixTableAt, offset, into);
  std::array<std::uint8_t, 8> pending{};
  wire::store(pending, 0, pending.size(), pending_.to_ullong());
  copy_overlap(pending, kMsixPendingAt, offset, into);
}

void MsixFunction::write_bar(std::uint64_t offset,
                             std::span<const std::uint8_t> from,
                             Device& device) {
  PciFunction::write_bar(offset, from, device);
  if (offset < kBarBytes) copy_overlap(from, offset, kMsixTableAt, table_);
}

void MsixFunction::reset() {
  PciFunction::reset();
  reset_config();
  mask_all();
}

bool MsixFunction::interrupt(std::uint32_t vector) {
  if (vector >= kVectors || !is_enabled()) return false;
  const auto entry = std::span(table_).subspan(vector * kEntryBytes, kEntryBytes);
  const auto address = wire::load(entry, kAddressAt, 8);
  const bool is_masked = (config(kMsixControlAt, 2) & kMaskAll) != 0 ||
                         (wire::load(entry, kControlAt, 4) & kMasked) != 0;
  const bool is_sent = !is_masked && is_interrupt(address) &&
                       send_(address, static_cast<std::uint32_t>(wire::load(entry, kDataAt, 4)));
  pending_.set(vector, !is_sent);
  return is_sent;
}

}  // namespace manactl::device::pci_proxy
