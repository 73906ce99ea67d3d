// SPDX-License-Identifier: MIT
//
// Whether this thread is at work in the device. What it gives back then is not a driver's memory,
// and it may hold the locks that a look at the queues would take.

#pragma once

namespace manactl::adapter {

class Inside {
 public:
  Inside() { ++depth; }

  ~Inside() { --depth; }

  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  static bool anywhere() { return depth != 0; }

 private:
  // Read in a signal's handler: it is there from the start.
  static constinit inline thread_local unsigned depth __attribute__((tls_model("initial-exec"))) =
      0;
};

}  // namespace manactl::adapter
