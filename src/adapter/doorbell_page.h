// SPDX-License-Identifier: MIT
//
// The page that a driver stores its doorbells in. It is mapped twice: the driver's mapping can be
// write-protected, the adapter's own cannot be seen by the driver.

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

  // Another process may map it, as it would map the hardware's.
  int fd() const { return fd_; }

  using Ring = std::function<void(std::uint32_t offset, std::uint64_t value)>;

  // Takes what the driver stored since the last call; of several stores to one place, the last.
  std::size_t take(const Ring& ring);

  // From here on every store of the driver is a fault.
  Result<> protect();

  bool is_protected() const { return protected_; }

 private:
  DoorbellPage() = default;

  int fd_ = -1;
  void* driver_ = nullptr;
  void* own_ = nullptr;
  bool protected_ = false;
};

}  // namespace manactl::adapter
