// SPDX-License-Identifier: MIT
//
// Guest access through /dev/azgdma (tests/azure/kernel/azpci); this process runs inside the guest.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/guest.h"

namespace manactl::device {

struct RamRange {
  std::uint64_t first = 0, end = 0;  // `end` is the address after the last byte

  bool operator==(const RamRange&) const = default;
};

// The "System RAM" ranges of /proc/iomem. Access to anything else raises SIGBUS.
std::vector<RamRange> ram_ranges(std::string_view iomem);

struct Store {
  std::uint32_t offset = 0;
  std::uint64_t value = 0;
};

class AzgdmaGuest : public Guest {
 public:
  static Result<std::unique_ptr<AzgdmaGuest>> open(const std::string& path);
  ~AzgdmaGuest() override;
  AzgdmaGuest(const AzgdmaGuest&) = delete;
  AzgdmaGuest& operator=(const AzgdmaGuest&) = delete;
  AzgdmaGuest(AzgdmaGuest&&) = delete;
  AzgdmaGuest& operator=(AzgdmaGuest&&) = delete;

  int fd() const { return fd_; }

  // Returns the driver's stores since the last call, in order.
  Result<std::vector<Store>> stores();

  bool read(std::uint64_t address, std::span<std::uint8_t> into) override;
  bool write(std::uint64_t address, std::span<const std::uint8_t> from) override;
  bool publish(std::uint64_t address, std::uint32_t value) override;
  void read_shared(std::span<std::uint8_t, 32> into) override;
  void write_shared_header(std::uint32_t value) override;
  bool interrupt(std::uint32_t vector) override;

 private:
  AzgdmaGuest() = default;
  Result<> map();
  bool is_ram(std::uint64_t address, std::uint64_t bytes) const;

  int fd_ = -1;
  std::uint8_t* bar_ = nullptr;
  std::uint8_t* ram_ = nullptr;
  std::uint64_t ram_bytes_ = 0;
  std::vector<RamRange> ranges_;
};

}  // namespace manactl::device
