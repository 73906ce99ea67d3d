// SPDX-License-Identifier: MIT
//
// The facts that decide whether an Azure VM without MANA will work after Azure has moved it to a
// host with MANA. Sources: issue 106 of azure-vm-utils (NetworkManager) and the documents of
// netplan, udev, DPDK, VPP, Suricata and Open vSwitch. docs/checks.md describes the checks.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

inline constexpr const char* kVfOfMana = "enP30832s1";  // as Azure's images name it

// `facts` must contain kernel and functions. Files that do not exist are ignored.
MoveFacts gather_move(const os::Files& files, const Facts& facts);

// The words of a configuration file that name hardware of hosts without MANA: the drivers of
// Mellanox, names of VFs such as "enP257s2", PCI addresses, and DPDK's drivers for fail-safe.
// Comments do not count, nor do drivers in a line that also names mana, and rules about network
// managers. `path` becomes that of the mentions.
std::vector<Mention> mentions_in(const std::string& path, std::string_view text);

// Returns `text` with only the words that mentions_in() searches for, in their lines. For bundles.
std::string kept_mentions(std::string_view text);

// Returns the words of mentions_in() in the present options of Open vSwitch and its interfaces, in
// the lines of the database (ovsdb(5)) that set them. Everything else is removed.
std::string newest_devargs(std::string_view text);

// Returns the words of mentions_in() in the arguments of a running program that select DPDK's
// devices: -a, -w, --allow, --pci-whitelist, --vdev (EAL parameters of DPDK). `arguments` is the
// text of proc/PID/cmdline.
std::vector<std::string> selected_devices(std::string_view arguments);

// Returns the program and the arguments that selected_devices() evaluates. For bundles.
std::string kept_arguments(std::string_view arguments);

}  // namespace manactl::host
