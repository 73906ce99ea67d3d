// SPDX-License-Identifier: MIT

#include "adapter/shim/device_end.h"

#include <chrono>
#include <thread>

#include "adapter/adapter.h"

namespace manactl::adapter {

void DeviceEnd::start() {
  if (started_) return;
  started_ = true;
  for (const auto& fault : faults_) {
    if (fault.kind != FaultKind::fatal && fault.kind != FaultKind::reset) continue;
    start_without_signals([this, fault](const auto&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(fault.ms));
      happen();
      if (fault.kind == FaultKind::fatal) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(fault.back));
      away_.store(false, std::memory_order_release);
    }).detach();
  }
}

// The queues are still before anybody hears of it.
void DeviceEnd::happen() {
  const std::scoped_lock control(control_);
  away_.store(true, std::memory_order_release);
  stop_();
  const std::scoped_lock lock(mutex_);
  for (const auto& listener : listeners_) listener.second();
}

void DeviceEnd::listen(const void* who, std::function<void()> told) {
  const std::scoped_lock lock(mutex_);
  listeners_.emplace(who, std::move(told));
}

void DeviceEnd::forget(const void* who) {
  const std::scoped_lock lock(mutex_);
  listeners_.erase(who);
}

}  // namespace manactl::adapter
