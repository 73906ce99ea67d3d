// SPDX-License-Identifier: MIT
//
// File systems and disks that are reached over the network: without it the machine stands still.

#pragma once

#include <string>
#include <vector>

#include "os/files.h"
#include "os/links.h"

namespace manactl::host {

struct RemoteStorage {
  std::string what;    // "nfs4 mount at /data", "iSCSI session"
  std::string server;  // its address
};

// What is mounted with an address (NFS, SMB), and the connections of iSCSI. Servers on this machine
// are left out.
std::vector<RemoteStorage> remote_storage(const os::Files& files);

// Where packets to this address leave, in every table: rules are not looked at.
std::vector<int> outputs_to(const std::string& address, const std::vector<os::Route>& routes);

}  // namespace manactl::host
