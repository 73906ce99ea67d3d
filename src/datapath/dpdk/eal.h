// SPDX-License-Identifier: MIT
//
// DPDK's environment: started at most once in a process and never taken down in it, its log caught,
// its threads' CPUs given back.

#pragma once

#include <sched.h>

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace manactl::datapath::dpdk {

class Eal {
 public:
  // `arguments` as eal_arguments() makes them. Nothing reaches stdout or stderr; what went wrong is
  // in the error.
  static Result<Eal> start(const std::vector<std::string>& arguments);

  Eal(Eal&& other) noexcept;
  Eal& operator=(Eal&& other) noexcept;
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;
  ~Eal();

 private:
  explicit Eal(const cpu_set_t& before) : before_(before), running_(true) {}

  cpu_set_t before_;  // EAL pins the thread that starts it
  bool running_ = false;
};

// The CPUs that this thread may use.
Result<CpuList> allowed_cpus();

// What DPDK wrote to its log so far.
std::string log_text();

}  // namespace manactl::datapath::dpdk
