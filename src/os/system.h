// SPDX-License-Identifier: MIT
//
// Everything that can act or be asked, handed in by main. What is not in here cannot be touched.

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

// The live system, owned. Opening it touches nothing: sockets are made when first asked, and no
// question makes the kernel load a module. rdma.h, sockets.h and ethtool.h say how that is kept;
// rtnetlink dumps, sysfs, libudev and libkmod's look-ups never load any.
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
