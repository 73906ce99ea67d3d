// SPDX-License-Identifier: MIT
//
// What decides whether an Azure VM without MANA will work when Azure moves it to a host with MANA.
// The reasons are collected from public threads; docs/checks.md names them.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

// `facts` must contain kernel and functions. Files that do not exist are ignored.
Move gather_move(const os::Files& files, const Facts& facts);

// The words of a configuration file that name hardware of hosts without MANA: the drivers of
// Mellanox, names of VFs such as "enP257s2" or "enP*", PCI addresses, and DPDK's drivers for
// fail-safe. Comments do not count, nor do the drivers if the file also names mana. `path` becomes
// that of the mentions.
std::vector<Mention> mentions_in(const std::string& path, std::string_view text);

// The words of `text` that mentions_in() and the rules of udev need, in their lines. Everything
// else is removed.
std::string kept_mentions(std::string_view text);

}  // namespace manactl::host
