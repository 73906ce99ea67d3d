// SPDX-License-Identifier: MIT

#include "adapter/shim/device_failure.h"

#include <chrono>
#include <thread>

#include "adapter/adapter.h"

namespace manactl::adapter {

void DeviceFailure::start() {
  if (started_) return;
  started_ = true;
  for (const auto& fault : faults_) {
    if (fault.kind != FaultKind::fatal && fault.kind != FaultKind::reset) continue;
    start_without_signals([this, fault](const auto&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(fault.ms));
      fail_device(fault.kind);
      if (fault.kind == FaultKind::fatal) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(fault.back));
      absent_.store(false, std::memory_order_release);
    }).detach();
  }
}

void DeviceFailure::fail_device(FaultKind kind) {
  const std::scoped_lock control(control_);
  absent_.store(true, std::memory_order_release);
  stop_(kind);
  const std::scoped_lock lock(mutex_);
  for (const auto& listener : listeners_) listener.second();
}

void DeviceFailure::add_listener(const void* owner, std::function<void()> notify) {
  const std::scoped_lock lock(mutex_);
  listeners_.emplace(owner, std::move(notify));
}

void DeviceFailure::remove_listener(const void* owner) {
  const std::scoped_lock lock(mutex_);
  listeners_.erase(owner);
}

}  // namespace manactl::adapter
