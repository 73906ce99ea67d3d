// SPDX-License-Identifier: MIT
//
// Settings of an interface that a new interface has again with their default values: those of
// ethtool(8), sysctls (Documentation/networking/ip-sysctl.rst), attributes in sysfs
// (Documentation/ABI/testing/sysfs-class-net*), and those of rtnetlink.

#pragma once

#include "os/system.h"
#include "setup/step.h"

namespace manactl::setup {

// In the order in which they can be set. The key of a file is its path, with "@" instead of the
// name of the interface: "proc/sys/net/ipv4/conf/@/rp_filter". Other keys are those of
// os::Links::settings().
Result<os::InterfaceSettings> read_settings(const os::System& system, const os::Link& link);

// Adds the settings of the interface to `target`, as a list.
Result<> save_settings(const os::System& system, const os::Link& link, Values& target);

// Writes the settings that differ, and verifies them. Waits for files that the driver adds late,
// such as those of queues. Goes on after an error; the returned one names settings that differ.
Result<> restore_settings(const StepContext& context, const os::Link& link, const Values& saved);

}  // namespace manactl::setup
