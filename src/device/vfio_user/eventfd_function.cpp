// SPDX-License-Identifier: MIT

#include "device/vfio_user/eventfd_function.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace manactl::device::vfio_user {
namespace {

constexpr std::uint32_t k64BitPrefetchable = 0xc;

// An eventfd has no file type, unlike a file, a pipe or a socket, to which a write could block or
// raise a signal (Linux fs/anon_inodes.c). A write to an eventfd blocks if its counter is at its
// maximum, unless O_NONBLOCK is set.
bool make_usable(const Descriptor& eventfd) {
  struct stat status{};
  if (::fstat(eventfd.get(), &status) != 0 || (status.st_mode & S_IFMT) != 0) return false;
  const int flags = ::fcntl(eventfd.get(), F_GETFL);
  return flags >= 0 &&
         ((flags & O_NONBLOCK) != 0 || ::fcntl(eventfd.get(), F_SETFL, flags | O_NONBLOCK) == 0);
}

}  // namespace

EventfdFunction::EventfdFunction() : PciFunction(k64BitPrefetchable, 0), eventfds_(kVectors) {}

bool EventfdFunction::connect_interrupts(std::size_t first, std::vector<Descriptor> eventfds) {
  if (first > eventfds_.size() || eventfds.size() > eventfds_.size() - first) return false;
  const auto is_usable = [](const Descriptor& one) { return !one || make_usable(one); };
  if (!std::ranges::all_of(eventfds, is_usable)) return false;
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
  // If the counter is at its maximum, the guest has not handled earlier interrupts.
  const std::uint64_t one = 1;
  const auto written = ::write(eventfds_[vector].get(), &one, sizeof one);
  return written == sizeof one || (written < 0 && errno == EAGAIN);
}

}  // namespace manactl::device::vfio_user
