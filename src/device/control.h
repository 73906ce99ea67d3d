// SPDX-License-Identifier: MIT
//
// GDMA commands: versions, limits, devices, DMA regions and event queues.

#pragma once

#include <map>
#include <optional>

#include "device/message.h"
#include "device/options.h"
#include "device/queues.h"

namespace manactl::device {

// All memory that a guest can make the device keep: for the pages of its regions, and for objects
// whose number no other limit bounds. With pages of 4 KiB, it suffices for regions of 32 GiB.
inline constexpr std::size_t kGuestMemory = 64U << 20U;
inline constexpr std::size_t kObjectBytes = 256;  // of an object without its pages, at most

// IDs that the device assigns. kMemKey covers all of the guest's memory.
inline constexpr std::uint32_t kPdId = 5, kMemKey = 7, kDoorbellPageId = 1;
inline constexpr std::uint32_t kVectors = 32, kDoorbellPages = 64;

class Control {
 public:
  Control(Queues& queues, const Options& options, Quota& memory)
      : queues_(queues), options_(options), memory_(memory) {}

  // Executes a GDMA command; no value for any other command.
  std::optional<Reply> handle(const Request& request);

  // Removes a region and returns it, for a queue. No value if no region has this handle.
  std::optional<Region> take_region(std::uint64_t handle);

  void put_region(std::uint64_t handle, Region region);

  void reset();

  std::size_t regions() const { return regions_.size(); }

 private:
  Reply test_eqe(const Request& request);
  Reply verify_version(const Request& request) const;
  Reply max_resources() const;
  Reply list_devices() const;
  Reply register_device(const Request& request);
  Reply create_region(const Request& request);
  Reply add_pages(const Request& request);
  Reply destroy_region(const Request& request);
  Reply create_queue(const Request& request);
  Reply disable_queue(const Request& request);

  Queues& queues_;
  const Options& options_;
  Quota& memory_;
  std::map<std::uint64_t, Region> regions_;
  std::uint64_t next_region_ = 0x1000;
};

}  // namespace manactl::device
