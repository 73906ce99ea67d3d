// SPDX-License-Identifier: MIT

#include "adapter/doorbells.h"

#include <algorithm>

namespace manactl::adapter {

Doorbells::Use Doorbells::add(DoorbellPage& page, Port& port, Direction direction) {
  const std::scoped_lock lock(mutex_);
  auto found = std::ranges::find(pages_, &page, &Watched::page);
  if (found == pages_.end()) found = pages_.insert(found, {&page, &port, {}});
  (direction == Direction::send ? found->use.senders : found->use.receivers) += 1;
  return found->use;
}

void Doorbells::forget(const DoorbellPage& page) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(pages_, [&](const Watched& watched) { return watched.page == &page; });
}

std::size_t Doorbells::take(const Watched& watched) {
  if (!looks_) return 0;
  return watched.page->take([&watched](std::uint32_t offset, std::uint64_t value) {
    watched.port->ring_seen(offset, value);
  });
}

std::size_t Doorbells::take(const DoorbellPage& page) {
  const auto found = std::ranges::find(pages_, &page, &Watched::page);
  return found == pages_.end() ? 0 : take(*found);
}

Result<> Doorbells::change(const DoorbellPage& page, const std::function<Result<>()>& how) {
  const std::scoped_lock lock(mutex_);
  auto changed = how();
  take(page);
  return changed;
}

void Doorbells::settle(const DoorbellPage& page) {
  const std::scoped_lock lock(mutex_);
  take(page);
}

std::size_t Doorbells::look() {
  const std::scoped_lock lock(mutex_);
  std::size_t found = 0;
  for (const auto& watched : pages_) found += take(watched);
  return found;
}

bool Doorbells::ring(const void* address, std::uint32_t offset, std::uint64_t value) {
  Port* port = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& watched : pages_) {
      if (watched.page->address() == address) port = watched.port;
    }
  }
  if (port == nullptr) return false;
  port->ring(offset, value);
  return true;
}

}  // namespace manactl::adapter
