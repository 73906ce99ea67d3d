// SPDX-License-Identifier: MIT
//
// Settings of an interface in files of procfs and sysfs, which a new interface has again with their
// default values: sysctls (Documentation/networking/ip-sysctl.rst) and attributes of network
// devices (Documentation/ABI/testing/sysfs-class-net*).

#pragma once

#include <string>

#include "os/files.h"
#include "setup/step.h"

namespace manactl::setup {

// The value of each setting that the kernel shows for the interface. The key is the path of the
// file, with "@" instead of the name of the interface: "proc/sys/net/ipv4/conf/@/rp_filter".
Values read_settings(const os::Files& files, const std::string& interface);

// Adds the settings of the interface to `target`, as a list.
void save_settings(const os::Files& files, const std::string& interface, Values& target);

// Writes the settings that differ, and verifies them. Waits for files that the driver adds late,
// such as those of queues. Goes on after an error; the returned one names the first setting that
// differs, and how many others do.
Result<> restore_settings(const StepContext& context,
                          const std::string& interface,
                          const Values& saved);

}  // namespace manactl::setup
