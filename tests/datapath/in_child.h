// SPDX-License-Identifier: MIT
//
// DPDK can start once per process, so every test of the engine runs in its own child process.

#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "datapath/bench.h"

namespace manactl::datapath {

// A child process of a test. It exits with 1 if an EXPECT fails in it, and is killed after a
// minute.
class Child {
 public:
  explicit Child(const std::function<void()>& body);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  bool running() const;
  bool succeeded();  // waits until the child ends
  bool halt();       // sends SIGSTOP and waits until the child has stopped
  bool killed();     // sends SIGKILL; false if the child had already ended

 private:
  pid_t pid_ = -1;
};

// Runs `body` in a child; true if no EXPECT failed and it did not crash.
inline bool in_child(const std::function<void()>& body) {
  return Child(body).succeeded();
}

// Returns what `body` writes to file descriptors 1 and 2.
std::string printed_by(const std::function<void()>& body);

// The plan of a short run without hugepages.
BenchPlan short_plan(Mode mode, const std::string& vdev, std::uint16_t queues = 1);

// Runs the plan to completion with DPDK.
Result<BenchReport> run(const BenchPlan& plan);

}  // namespace manactl::datapath
