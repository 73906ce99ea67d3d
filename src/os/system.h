// SPDX-License-Identifier: MIT
//
// The C++ interfaces through which manactl accesses the system. main creates them and passes them
// on; no other code accesses the system.

#pragma once

#include <memory>

#include "os/devices.h"
#include "os/ethtool.h"
#include "os/files.h"
#include "os/kernel_log.h"
#include "os/links.h"
#include "os/modules.h"
#include "os/process.h"
#include "os/rdma.h"
#include "os/sockets.h"
#include "os/verbs_probe.h"

namespace manactl::os {

struct System {
  Files& files;
  Links& links;
  Ethtool& ethtool;
  Rdma& rdma;
  VerbsProbe& verbs;
  Devices& devices;
  Modules& modules;
  Process& process;
  Sockets& sockets;
  KernelLog& kernel_log;
};

// The live system; owns the objects behind system(). Sockets are opened on first use. Queries do
// not make the kernel load modules if callers observe the restrictions in rdma.h and ethtool.h.
class LiveSystem {
 public:
  static Result<LiveSystem> open();

  System system();

 private:
  std::unique_ptr<Files> files_;
  std::unique_ptr<Links> links_;
  std::unique_ptr<Ethtool> ethtool_;
  std::unique_ptr<Rdma> rdma_;
  std::unique_ptr<VerbsProbe> verbs_;
  std::unique_ptr<Devices> devices_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Modules> modules_;
  std::unique_ptr<Sockets> sockets_;
  std::unique_ptr<KernelLog> kernel_log_;
};

}  // namespace manactl::os
