// SPDX-License-Identifier: MIT
//
// A replacement for /sys in which programs find the PCI and RDMA devices of the adapter.

#pragma once

#include <string>

#include "adapter/config.h"

namespace manactl::adapter {

inline constexpr std::string_view kSlot = "7870:00:00.0";

// A new directory below `parent`. The destructor removes it.
class SysfsTree {
 public:
  static Result<SysfsTree> make(const Config& config, const std::string& parent = "/tmp");
  ~SysfsTree();

  SysfsTree(SysfsTree&& other) noexcept : root_(std::move(other.root_)) { other.root_.clear(); }

  SysfsTree& operator=(SysfsTree&& other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }

  SysfsTree(const SysfsTree&) = delete;
  SysfsTree& operator=(const SysfsTree&) = delete;

  const std::string& root() const { return root_; }

  std::string pci_devices() const { return root_ + "/bus/pci/devices"; }

 private:
  explicit SysfsTree(std::string root) : root_(std::move(root)) {}

  Result<> fill(const Config& config) const;

  std::string root_;
};

}  // namespace manactl::adapter
