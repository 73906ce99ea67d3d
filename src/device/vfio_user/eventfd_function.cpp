// SPDX-License-Identifier: MIT

#include "device/vfio_user/eventfd_function.h"

#include <unistd.h>

#include <algorithm>

namespace manactl::device::vfio_user {
namespace {

constexpr std::uint32_t k64BitPrefetchable = 0xc;

}  // namespace

EventfdFunction::EventfdFunction() : PciFunction(k64BitPrefetchable, 0), eventfds_(kVectors) {}

bool EventfdFunction::connect_interrupts(std::size_t first, std::vector<Descriptor> eventfds) {
  if (first > eventfds_.size() || eventfds.size() > eventfds_.size() - first) return false;
  std::ranges::move(eventfds, eventfds_.begin() + static_cast<std::ptrdiff_t>(first));
  return true;
}

void EventfdFunction::disconnect_interrupts() {
  for (auto& eventfd : eventfds_) eventfd = Descriptor();
}

void EventfdFunction::forget_guest() {
  PciFunction::forget_guest();
  disconnect_interrupts();
}

bool EventfdFunction::interrupt(std::uint32_t vector) {
  if (vector >= eventfds_.size() || !eventfds_[vector]) return false;
  const std::uint64_t one = 1;
  return ::write(eventfds_[vector].get(), &one, sizeof one) == sizeof one;
}

}  // namespace manactl::device::vfio_user
