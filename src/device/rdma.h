// SPDX-License-Identifier: MIT
//
// The RDMA function of the device (type 3): doorbell pages for processes, protection domains,
// memory regions, and the RNIC adapter. It has no RNIC queue pairs.

#pragma once

#include <map>
#include <optional>
#include <set>

#include "device/control.h"
#include "device/memory_keys.h"
#include "wire/rdma_messages.h"

namespace manactl::device {

class Rdma {
 public:
  // The doorbell pages for user processes, from kFirstPage to kPagesEnd - 1. Page 0 is unused;
  // page kDoorbellPageId belongs to the kernel's drivers.
  static constexpr std::uint32_t kFirstPage = 2, kPagesEnd = kDoorbellPages;

  // `memory` limits the memory regions and the addresses.
  Rdma(Queues& queues, Control& control, MemoryKeys& keys, Quota& memory)
      : queues_(queues), control_(control), keys_(keys), memory_(memory) {}

  // Executes an RDMA command; no value for any other command.
  std::optional<Reply> handle(const Request& request);

  void reset();

  std::size_t objects() const {
    return pages_.size() + pds_.size() + mrs_.size() + adapters_.size();
  }

 private:
  struct Mr {
    std::uint64_t pd = 0;  // handle
    std::uint32_t key = 0;
    Quota::Share memory = {};
  };

  // Addresses with their shares of the memory. The kernel may add an address twice before it
  // removes one: while an interface changes its network namespace, the GID table contains it twice.
  template <std::size_t bytes>
  using Addresses = std::multimap<std::array<std::uint8_t, bytes>, Quota::Share>;

  struct Adapter {
    Addresses<16> addresses;
    Addresses<6> macs;
  };

  Reply allocate_pages(const Request& request);
  Reply free_pages(const Request& request);
  Reply create_pd();
  Reply destroy_pd(const Request& request);
  Reply create_mr(const Request& request);
  Reply destroy_mr(const Request& request);
  static Reply capabilities();
  Reply create_adapter(const Request& request);
  Reply destroy_adapter(const Request& request);
  Reply config_ip(const Request& request);
  Reply config_mac(const Request& request);

  // Adds the address or removes it.
  template <std::size_t bytes>
  Reply change(Addresses<bytes>& known,
               wire::AddressOperation operation,
               const std::array<std::uint8_t, bytes>& address);

  Queues& queues_;
  Control& control_;
  MemoryKeys& keys_;
  Quota& memory_;
  std::set<std::uint32_t> pages_;
  std::map<std::uint64_t, std::uint32_t> pds_;  // handle to ID
  std::map<std::uint64_t, Mr> mrs_;
  std::map<std::uint64_t, Adapter> adapters_;
  std::uint64_t next_handle_ = 0x3000;
};

}  // namespace manactl::device
