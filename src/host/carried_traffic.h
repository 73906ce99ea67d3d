// SPDX-License-Identifier: MIT
//
// The parts of add_carried_traffic() (gather.h): the NICs that an interface uses (topology.cpp),
// sockets of SSH servers (ssh_sockets.cpp), and file systems and disks that need the network
// (remote_storage.cpp).

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/facts.h"
#include "os/files.h"
#include "os/links.h"

namespace manactl::host {

// Limits the time that a captured system can cost. The search ends early if, for example, each of
// many mounts has many routes. A Kubernetes node takes less than a tenth of the steps.
class WorkLimit {
 public:
  static constexpr std::size_t kMaxSteps = 5'000'000;

  // Call it before a loop of `steps` steps. Returns false if fewer are left, then also later.
  bool take(std::size_t steps);

  bool is_exceeded() const { return is_exceeded_; }

 private:
  std::size_t left_ = kMaxSteps;
  bool is_exceeded_ = false;
};

// Maps an interface to the NICs that it uses: itself, the interface below a VLAN, the members of a
// bond or bridge. Does nothing after the limit is exceeded.
class Topology {
 public:
  Topology(const std::vector<os::Link>& links, std::vector<Nic>& nics);

  // Adds `traffic` to every NIC that the interface uses.
  void add(int interface, const std::string& traffic);

  // As add(), but adds the traffic of a tunnel or dummy interface to every NIC that is up, because
  // the NIC that it uses is not known.
  void add_through(int interface, const std::string& traffic);

  bool is_running(int interface) const;

  // Also for the loops of callers.
  WorkLimit& limit() { return limit_; }

 private:
  const os::Link* find(int interface) const;

  // Returns the given interfaces and those that use one of them, directly or not.
  std::set<int> users_of(std::vector<int> pending);

  std::vector<Nic>& nics_;
  WorkLimit limit_;
  // By index. Not hash tables, because the indexes of a captured system may be chosen to collide.
  std::map<int, const os::Link*> links_;
  std::map<int, std::vector<int>> direct_users_;
  std::set<int> hardware_users_;
  std::map<int, std::vector<Nic*>> nics_of_;
};

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
