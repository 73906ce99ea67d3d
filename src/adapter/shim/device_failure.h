// SPDX-License-Identifier: MIT
//
// Implements the faults device=fatal and device=reset: stops the device at the planned time and
// notifies all open contexts; after device=reset, makes the device available again.

#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "adapter/fault_plan.h"

namespace manactl::adapter {

class DeviceFailure {
 public:
  // A separate thread calls `stop` and the listeners, with `control` locked.
  DeviceFailure(std::vector<Fault> faults, std::mutex& control, std::function<void(FaultKind)> stop)
      : faults_(std::move(faults)), control_(control), stop_(std::move(stop)) {}

  // Starts the timers; later calls have no effect. Called when the first queue is created.
  void start();

  // Whether the device is absent; it is then not listed and cannot be opened.
  bool is_absent() const { return absent_.load(std::memory_order_acquire); }

  // Calls `notify` whenever the device fails, until remove_listener(owner).
  void add_listener(const void* owner, std::function<void()> notify);
  void remove_listener(const void* owner);

 private:
  void fail_device(FaultKind kind);

  std::vector<Fault> faults_;
  std::mutex& control_;
  std::function<void(FaultKind)> stop_;
  bool started_ = false;
  std::atomic<bool> absent_{false};
  std::mutex mutex_;
  std::map<const void*, std::function<void()>> listeners_;
};

}  // namespace manactl::adapter
