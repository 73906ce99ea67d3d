// SPDX-License-Identifier: MIT
//
// DPDK's environment abstraction layer. It can be started once per process and is never cleaned up;
// its log is captured.

#pragma once

#include <sched.h>

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace manactl::datapath::dpdk {

class Eal {
 public:
  // `arguments` come from eal_arguments(). EAL prints nothing to stdout or stderr; the error
  // contains the reason from its log.
  static Result<Eal> start(const std::vector<std::string>& arguments);

  Eal(Eal&& other) noexcept;
  Eal& operator=(Eal&& other) noexcept;
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;
  ~Eal();

 private:
  explicit Eal(const cpu_set_t& before) : before_(before), running_(true) {}

  cpu_set_t before_;  // CPU affinity of the starting thread before EAL pinned it
  bool running_ = false;
};

std::string log_text();

}  // namespace manactl::datapath::dpdk
