// SPDX-License-Identifier: MIT
//
// The shell commands that an administrator would use for the settings of an interface.

#pragma once

#include <string>

namespace manactl::os {

// The command that gives the setting `key` of Links::settings(), or the file `key` with "@" for the
// name of the interface, the value `value`, if it is `now` at present ("" if unknown). Empty if no
// single command can: ethtool(8) cannot set every RSS table, and the names of private flags depend
// on the driver.
std::string setting_command(const std::string& key,
                            const std::string& value,
                            const std::string& now,
                            const std::string& interface);

}  // namespace manactl::os
