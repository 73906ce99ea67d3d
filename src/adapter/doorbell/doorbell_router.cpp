// SPDX-License-Identifier: MIT

#include "adapter/doorbell/doorbell_router.h"

#include <algorithm>

namespace manactl::adapter {

DoorbellRouter::Use DoorbellRouter::add(DoorbellPage& page, Port& port, Direction direction) {
  const std::scoped_lock lock(mutex_);
  auto found = std::ranges::find(routes_, &page, &Route::page);
  if (found == routes_.end()) found = routes_.insert(found, {&page, &port, {}});
  (direction == Direction::send ? found->use.senders : found->use.receivers) += 1;
  return found->use;
}

void DoorbellRouter::remove(const DoorbellPage& page) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(routes_, [&](const Route& route) { return route.page == &page; });
}

std::size_t DoorbellRouter::take_stores(const Route& route) {
  if (!polls_) return 0;
  return route.page->take_stores([&route](std::uint32_t offset, std::uint64_t value) {
    route.port->ring_polled(offset, value);
  });
}

std::size_t DoorbellRouter::take_stores(const DoorbellPage& page) {
  const auto found = std::ranges::find(routes_, &page, &Route::page);
  return found == routes_.end() ? 0 : take_stores(*found);
}

Result<> DoorbellRouter::change_detection(const DoorbellPage& page,
                                          const std::function<Result<>()>& change) {
  const std::scoped_lock lock(mutex_);
  auto changed = change();
  take_stores(page);
  return changed;
}

void DoorbellRouter::ring_pending(const DoorbellPage& page) {
  const std::scoped_lock lock(mutex_);
  take_stores(page);
}

std::size_t DoorbellRouter::poll() {
  const std::scoped_lock lock(mutex_);
  std::size_t found = 0;
  for (const auto& route : routes_) found += take_stores(route);
  return found;
}

bool DoorbellRouter::ring(const void* address, std::uint32_t offset, std::uint64_t value) {
  Port* port = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& route : routes_) {
      if (route.page->address() == address) port = route.port;
    }
  }
  if (port == nullptr) return false;
  port->ring(offset, value);
  return true;
}

}  // namespace manactl::adapter
