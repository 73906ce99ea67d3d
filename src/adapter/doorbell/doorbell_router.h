// SPDX-License-Identifier: MIT
//
// Routes the doorbells of all pages of a program to their ports.

#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "adapter/doorbell/doorbell_page.h"
#include "adapter/port.h"

namespace manactl::adapter {

class DoorbellRouter {
 public:
  // How many queues were ever created with a page; destroying a queue does not lower the count.
  struct Use {
    unsigned senders = 0, receivers = 0;
  };

  // With `polls` false, the pages are never read: the program calls ring() for every doorbell.
  explicit DoorbellRouter(bool polls) : polls_(polls) {}

  // Routes the doorbells of the page to the port. To be called for each new queue.
  Use add(DoorbellPage& page, Port& port, Direction direction);

  // After the call, no thread reads the page.
  void remove(const DoorbellPage& page);

  // Runs `change`, which changes how stores into the page are detected, then rings the doorbells
  // stored before. Later doorbells wait, so that no tail appears to move backwards.
  Result<> change_detection(const DoorbellPage& page, const std::function<Result<>()>& change);

  // Rings the doorbells in a page that poll() has not found yet. To be called before a queue is
  // destroyed, because its last doorbell may be among them.
  void ring_pending(const DoorbellPage& page);

  // Rings the new doorbells in all pages; returns their number.
  std::size_t poll();

  // Rings the doorbell of a trapped store or of manactl_sim_ring(). `address` is the start of the
  // page in the driver's mapping. Returns false if no doorbell page starts there.
  bool ring(const void* address, std::uint32_t offset, std::uint64_t value);

 private:
  struct Route {
    DoorbellPage* page = nullptr;
    Port* port = nullptr;
    Use use;
  };

  std::size_t take_stores(const DoorbellPage& page);
  std::size_t take_stores(const Route& route);

  bool polls_;
  // Held while stores are taken out of a page and passed to its port.
  std::mutex mutex_;
  std::vector<Route> routes_;
};

}  // namespace manactl::adapter
