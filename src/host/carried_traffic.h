// SPDX-License-Identifier: MIT
//
// The parts of add_carried_traffic() (gather.h): sockets of SSH servers (ssh_sockets.cpp), and file
// systems and disks that need the network (remote_storage.cpp).

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/files.h"
#include "os/links.h"

namespace manactl::host {

using SocketInodes = std::set<std::uint64_t>;

// Sockets of the SSH server among the ancestors of this process. Empty if this process may not read
// the descriptors of that server.
SocketInodes sockets_of_own_sshd(const os::Files& files);

// Sockets of every process that runs an SSH server. Errc::denied if the descriptors of one of them
// cannot be read.
Result<SocketInodes> sockets_of_every_sshd(const os::Files& files);

struct RemoteStorage {
  std::string name;    // "nfs4 mount at /data", "iSCSI session"
  std::string server;  // IP address
};

// Mounts with addr= in proc/mounts (nfs(5), mount.cifs(8)) and connections in
// sys/class/iscsi_connection. Servers with loopback addresses are left out.
std::vector<RemoteStorage> remote_storage(const os::Files& files);

// The routes that the routing tables use for `address`. All tables count, because policy rules
// (ip-rule(8)) are not evaluated.
std::vector<os::Route> routes_to(const std::string& address, const std::vector<os::Route>& routes);

// The indexes of the interfaces of routes_to().
std::vector<int> outputs_to(const std::string& address, const std::vector<os::Route>& routes);

}  // namespace manactl::host
