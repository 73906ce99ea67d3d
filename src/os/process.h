// SPDX-License-Identifier: MIT
//
// Properties of this process (privileges, limits, CPU affinity) and the release of the kernel.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

struct Privileges {
  unsigned uid = 0;  // effective
  bool net_admin = false, net_raw = false, ipc_lock = false, sys_admin = false;
  std::uint64_t memlock_soft = 0, memlock_hard = 0;  // bytes; UINT64_MAX is unlimited
};

struct KernelIdentity {
  std::string release;           // "6.8.0-1062-azure"
  std::string machine;           // "x86_64", "aarch64"
  std::uint64_t page_bytes = 0;  // 4096; on ARM64 also 16384 or 65536; 0 if unknown
};

class Process {
 public:
  virtual ~Process() = default;
  virtual Result<Privileges> privileges() const = 0;
  virtual Result<KernelIdentity> kernel() const = 0;
  virtual Result<CpuList> affinity() const = 0;

  // The values of SSH_CONNECTION (ssh(1)) in the environment of this process and, because sudo and
  // su remove it, of its ancestors; each value once, that of this process first. Users can forge
  // it: use it only to protect additional interfaces.
  virtual std::vector<std::string> ssh_connections() const = 0;
};

struct ProcessStat {
  std::string name;  // at most 15 bytes
  std::string parent;
};

// Reads proc/PID/stat (proc_pid_stat(5)); empty if the process has ended.
std::optional<ProcessStat> read_process_stat(const Files& files, const std::string& pid);

// This process and its ancestors below process 1, nearest first; at most 64. Empty without /proc.
std::vector<std::string> own_ancestry(const Files& files);

std::unique_ptr<Process> open_process();

}  // namespace manactl::os
