// SPDX-License-Identifier: MIT
//
// Marks that this thread runs code of the device. If such code unmaps memory, no queues are
// halted, because the memory is not the driver's and the thread may hold the locks of queues.

#pragma once

namespace manactl::adapter {

class DeviceReentryGuard {
 public:
  DeviceReentryGuard() { ++depth; }

  ~DeviceReentryGuard() { --depth; }

  DeviceReentryGuard(const DeviceReentryGuard&) = delete;
  DeviceReentryGuard& operator=(const DeviceReentryGuard&) = delete;

  static bool is_active() { return depth != 0; }

 private:
  // initial-exec: the signal handler of the doorbell trap must not allocate thread-local storage.
  static constinit inline thread_local unsigned depth __attribute__((tls_model("initial-exec"))) =
      0;
};

}  // namespace manactl::adapter
