// SPDX-License-Identifier: MIT
//
// Settings of an interface that have default values when the kernel creates it again: those of
// ethtool(8), sysctls (Documentation/networking/ip-sysctl.rst), attributes in sysfs
// (Documentation/ABI/testing/sysfs-class-net*), and those of rtnetlink.

#pragma once

#include <set>

#include "os/system.h"
#include "setup/step.h"

namespace manactl::setup {

// In the order in which they can be set. The key of a file is its path, with "@" instead of the
// name of the interface: "proc/sys/net/ipv4/conf/@/rp_filter". Other keys are those of
// os::Links::settings(). Sets `link` to the present state of the interface, which may have been
// renamed.
Result<os::InterfaceSettings> read_settings(const os::System& system, os::Link& link);

// Adds the settings of the interface to `target`, as a list. Errc::unsupported if the journal
// cannot store one of them.
Result<> save_settings(const os::System& system, os::Link link, Values& target);

// The key of the MTU. The journal stores the MTU itself under "mtu".
inline constexpr std::string_view kMtuFile = "sys/class/net/@/mtu";

// The settings of the interface that are files, by their keys, and its MTU. Only the MTU while the
// interface is being renamed.
Values file_settings(const os::System& system, const os::Link& link);

// Whether `saved` has settings. In the journal of an earlier version, it has none.
bool has_settings(const Values& saved);

enum class Lost {
  all_settings,  // the interface is a new one
  neighbors,     // it was only set down
  nothing,       // an earlier call has written them: only compare
};

// Settings that a network manager has changed since the interface returned stay as they are.
struct ManagedSettings {
  Values at_return;  // file_settings() before the network managers acted

  // Set by restore_settings(): their keys, and a text for each. A repeated call gets the keys of
  // the earlier one, and adds no texts for these.
  std::set<std::string> keys;
  std::vector<std::string> kept;

  // Returns true if another program has changed a file since the interface returned. If so, adds
  // its key to `keys` and a note to `kept`. `saved` is the value in the journal, `now` the current
  // one.
  bool keep_if_changed(const std::string& key,
                       const std::string& interface,
                       const std::string& saved,
                       const std::string& now);
};

// Writes the settings that were lost and differ, and verifies them. Waits for files that the driver
// adds late, such as those of queues. Goes on after an error, which names up to 100 settings that
// differ, with the commands that set them.
Result<> restore_settings(const StepContext& context,
                          const os::Link& link,
                          const Values& saved,
                          Lost lost,
                          ManagedSettings& managed);

}  // namespace manactl::setup
