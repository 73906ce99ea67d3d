// SPDX-License-Identifier: MIT
//
// The files that a machine with the adapter has below /sys, for programs that look for it there.

#pragma once

#include <string>

#include "adapter/config.h"

namespace manactl::adapter {

inline constexpr std::string_view kSlot = "7870:00:00.0";

// A directory of its own below `parent`, filled; it goes away with the object.
class DeviceTree {
 public:
  static Result<DeviceTree> make(const Config& config, const std::string& parent = "/tmp");
  ~DeviceTree();

  DeviceTree(DeviceTree&& other) noexcept : root_(std::move(other.root_)) { other.root_.clear(); }

  DeviceTree& operator=(DeviceTree&& other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }

  DeviceTree(const DeviceTree&) = delete;
  DeviceTree& operator=(const DeviceTree&) = delete;

  const std::string& root() const { return root_; }

  std::string pci_devices() const { return root_ + "/bus/pci/devices"; }

 private:
  explicit DeviceTree(std::string root) : root_(std::move(root)) {}

  Result<> fill(const Config& config) const;

  std::string root_;
};

}  // namespace manactl::adapter
