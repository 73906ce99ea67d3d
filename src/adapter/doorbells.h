// SPDX-License-Identifier: MIT
//
// The doorbell pages of a program, and which port each of them rings for.

#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "adapter/doorbell_page.h"
#include "adapter/port.h"

namespace manactl::adapter {

class Doorbells {
 public:
  // Queues that were made with a page so far. They are counted, never taken back.
  struct Use {
    unsigned senders = 0, receivers = 0;
  };

  // `look` is false when stores into the pages mean nothing: the program calls instead.
  explicit Doorbells(bool look) : looks_(look) {}

  // A queue of this direction was made; from now on the page rings for the port.
  Use add(DoorbellPage& page, Port& port, Direction direction);

  // The page is not looked at any more when it returns.
  void forget(const DoorbellPage& page);

  // Changes how stores into the page are noticed. What was stored before is rung before anything
  // that is noticed the other way, as a tail that goes back would be the driver's mistake.
  Result<> change(const DoorbellPage& page, const std::function<Result<>()>& how);

  // Rings what was stored so far. Before a queue goes: its driver may have rung and destroyed it
  // before anybody looked, and that was right.
  void settle(const DoorbellPage& page);

  // Rings what was stored into any page; answers how much that was.
  std::size_t look();

  // A store that was trapped or a call, at the driver's address of a page. False: no such page.
  bool ring(const void* address, std::uint32_t offset, std::uint64_t value);

 private:
  struct Watched {
    DoorbellPage* page = nullptr;
    Port* port = nullptr;
    Use use;
  };

  std::size_t take(const DoorbellPage& page);
  std::size_t take(const Watched& watched);

  bool looks_;
  // Held from the moment a store is taken out of a page until the port knows it.
  std::mutex mutex_;
  std::vector<Watched> pages_;
};

}  // namespace manactl::adapter
