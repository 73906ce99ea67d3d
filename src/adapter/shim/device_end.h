// SPDX-License-Identifier: MIT
//
// The planned end of the device, and its return: who has it open is told, and what was made is
// dead.

#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "adapter/fault_plan.h"

namespace manactl::adapter {

class DeviceEnd {
 public:
  // `stop` stops the device. Both are called from a thread of their own, under `control`.
  DeviceEnd(std::vector<Fault> faults, std::mutex& control, std::function<void()> stop)
      : faults_(std::move(faults)), control_(control), stop_(std::move(stop)) {}

  // Time counts from the first call: a program may take its time until its first queue.
  void start();

  // The device is not there: nobody finds it or can open it.
  bool away() const { return away_.load(std::memory_order_acquire); }

  // What the end calls until `who` is forgotten.
  void listen(const void* who, std::function<void()> told);
  void forget(const void* who);

 private:
  void happen();

  std::vector<Fault> faults_;
  std::mutex& control_;
  std::function<void()> stop_;
  bool started_ = false;
  std::atomic<bool> away_{false};
  std::mutex mutex_;
  std::map<const void*, std::function<void()>> listeners_;
};

}  // namespace manactl::adapter
