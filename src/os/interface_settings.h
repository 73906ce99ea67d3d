// SPDX-License-Identifier: MIT
//
// Settings of an interface that neither procfs nor sysfs shows: those of ethtool(8), and of
// rtnetlink those that vanish with the interface. Each is a key with a value, both as text.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace manactl::os {

// Ordered so that they can be written one after another. A key never contains a blank.
using InterfaceSettings = std::vector<std::pair<std::string, std::string>>;

// Parts of keys: those of ethtool(8), those of rtnetlink, and of them the queueing discipline.
inline constexpr std::string_view kEthtoolSettings = "ethtool/";
inline constexpr std::string_view kLinkSettings = "link/";
inline constexpr std::string_view kQueueingSetting = "qdisc";

// The value that write_link_setting() accepts for the queueing discipline that the kernel attaches
// by itself, which is not a setting.
inline constexpr std::string_view kDefaultQueueing = "default";

// Leaves out what the driver or the kernel does not support.
Result<InterfaceSettings> read_ethtool_settings(const InterfaceName& name);
Result<InterfaceSettings> read_link_settings(int index);

// The largest values that the driver accepts for "channels" and "rings".
Result<InterfaceSettings> read_ethtool_limits(const InterfaceName& name);

// Errc::invalid for an unknown key or a malformed value; otherwise errors of the kernel.
Result<> write_ethtool_setting(const InterfaceName& name,
                               const std::string& key,
                               const std::string& value);
Result<> write_link_setting(int index, const std::string& key, const std::string& value);

}  // namespace manactl::os
