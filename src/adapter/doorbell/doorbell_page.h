// SPDX-License-Identifier: MIT
//
// The page in which a driver stores its doorbells. It has two mappings: the driver's mapping,
// which can be write-protected, and the adapter's.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"

namespace manactl::adapter {

class DoorbellPage {
 public:
  static constexpr std::size_t kBytes = 4096;

  static Result<std::unique_ptr<DoorbellPage>> make();
  ~DoorbellPage();
  DoorbellPage(const DoorbellPage&) = delete;
  DoorbellPage& operator=(const DoorbellPage&) = delete;

  void* address() const { return driver_; }

  // DPDK's secondary processes map the page through this descriptor.
  int fd() const { return fd_; }

  using Ring = std::function<void(std::uint32_t offset, std::uint64_t value)>;

  // Calls `ring` for each offset at which the driver stored since the last call, with the last
  // value stored there. Returns the number of calls.
  std::size_t take_stores(const Ring& ring);

  // Write-protects the driver's mapping: each later store raises SIGSEGV.
  Result<> protect();

  bool is_protected() const { return protected_; }

 private:
  DoorbellPage() = default;

  int fd_ = -1;
  void* driver_ = nullptr;
  void* device_ = nullptr;
  bool protected_ = false;
};

}  // namespace manactl::adapter
