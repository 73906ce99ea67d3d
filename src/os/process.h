// SPDX-License-Identifier: MIT
//
// Properties of this process (privileges, limits, CPU affinity) and the release of the kernel.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/ids.h"
#include "base/result.h"

namespace manactl::os {

struct Privileges {
  unsigned uid = 0;  // effective
  bool net_admin = false, net_raw = false, ipc_lock = false, sys_admin = false;
  std::uint64_t memlock_soft = 0, memlock_hard = 0;  // bytes; UINT64_MAX is unlimited
};

struct KernelIdentity {
  std::string release;  // "6.8.0-1062-azure"
  std::string machine;  // "x86_64", "aarch64"
};

class Process {
 public:
  virtual ~Process() = default;
  virtual Result<Privileges> privileges() const = 0;
  virtual Result<KernelIdentity> kernel() const = 0;
  virtual Result<CpuList> affinity() const = 0;

  // The environment variable SSH_CONNECTION; empty if unset. Users can forge it: use it only to
  // protect additional interfaces.
  virtual std::string ssh_connection() const = 0;
};

std::unique_ptr<Process> open_process();

}  // namespace manactl::os
