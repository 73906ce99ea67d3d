// SPDX-License-Identifier: MIT
//
// DPDK can be started once in a process, so every test of the engine runs in a child of its own.

#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "datapath/bench.h"

namespace manactl::datapath {

// The child of a test: its EXPECTs count there, and it is killed after a minute.
class Child {
 public:
  explicit Child(const std::function<void()>& body);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  bool running() const;
  bool succeeded();  // waits
  bool halt();       // stops it where it is, and waits until it stands
  bool killed();     // ends it where it is; false when it had ended by itself

 private:
  pid_t pid_ = -1;
};

// True when no EXPECT failed in the child and it did not crash.
inline bool in_child(const std::function<void()>& body) {
  return Child(body).succeeded();
}

// What `body` and everything below it write to standard output and error.
std::string printed_by(const std::function<void()>& body);

// A short run on ordinary memory.
BenchPlan short_plan(Mode mode, const std::string& vdev, std::uint16_t queues = 1);

// An engine, run without being stopped or watched.
Result<BenchReport> run(const BenchPlan& plan);

}  // namespace manactl::datapath
