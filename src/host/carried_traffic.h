// SPDX-License-Identifier: MIT
//
// The parts of add_carried_traffic() (gather.h): the NICs that an interface uses (topology.cpp),
// the NICs that a connection uses (placement.cpp), processes with sockets (ssh_sockets.cpp),
// sessions of SSH (ssh_sessions.cpp), file systems and disks that need the network
// (remote_storage.cpp, storage_traffic.cpp), and the routes of captured systems (ip_routes.cpp).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/facts.h"
#include "os/files.h"
#include "os/links.h"
#include "os/system.h"

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
  // the NIC that it uses is not known. Returns false for loopback and unknown interfaces, whose
  // traffic is not added.
  bool add_through(int interface, const std::string& traffic);

  // Adds "TRAFFIC (perhaps, REASON)" to every NIC that is up.
  void add_everywhere(const std::string& traffic, const std::string& reason);

  // The index of the interface with this name; 0 if there is none.
  int index_of(std::string_view name) const;

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

// Finds the NICs that carry the packets of a connection. The arguments must outlive it.
class Placement {
 public:
  Placement(const os::Links& links,
            const std::vector<os::Address>& addresses,
            const Result<std::vector<os::Route>>& routes,
            Topology& topology);

  // Adds the traffic to the NICs whose interface has the local address. If that is not known, for
  // example because a load balancer's address is on lo, adds it as "perhaps" to every NIC that is
  // up: packets may arrive on each of them.
  void add_local(const std::string& local, const std::string& traffic);

  // As add_local(), and also adds the traffic to the NICs by which the replies leave. If the peer
  // is on this machine, as with a reverse tunnel, every NIC that is up may carry the tunnel.
  void add_connection(const os::TcpSocket& socket, const std::string& traffic);

  // The interfaces by which packets to the destination leave; empty if there is no route. On a
  // captured system, outputs_to().
  std::vector<int> outputs_of(os::RouteQuery query);

 private:
  bool is_own(const std::string& address) const;

  const os::Links& links_;
  const Result<std::vector<os::Route>>& routes_;
  Topology& topology_;
  std::map<std::string, std::vector<int>> interfaces_;        // by address
  std::map<std::string, std::vector<int>> captured_outputs_;  // by destination
};

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  unsigned bits = 0;  // 32 or 128

  bool is_loopback() const;
  bool is_link_local() const;  // fe80::/10 (RFC 4291): the same route exists on several interfaces
};

std::optional<IpAddress> parse_ip(std::string_view text);  // ignores a scope id: "fe80::1%eth0"

using SocketInodes = std::set<std::uint64_t>;

// The servers of logins among the ancestors of this process.
struct OwnLogin {
  std::string server;    // the nearest: "sshd", "mosh-server"; empty if there is none
  bool has_tcp = false;  // the nearest one uses a TCP connection
  SocketInodes sockets;  // of all; empty if this process may not read their descriptors
};

OwnLogin find_own_login(const os::Files& files);

// Sockets of all processes that this process can see.
struct ProcessSockets {
  SocketInodes all;
  SocketInodes ssh;                    // of SSH servers
  std::set<std::string> other_logins;  // servers of one login without a TCP connection
};

// Errc::denied if the descriptors of an SSH server cannot be read.
Result<ProcessSockets> read_process_sockets(const os::Files& files);

// Adds the SSH sessions to the NICs that carry them. Fails if one may be missing. `processes` is
// set for SshSearch::every_process.
Result<> add_ssh(const os::System& system,
                 const Result<std::vector<os::TcpSocket>>& sockets,
                 const std::optional<Result<ProcessSockets>>& processes,
                 Placement& placement,
                 Topology& topology);

struct PortRange {
  std::uint16_t first = 0, last = 0;
};

struct RemoteStorage {
  std::string name;                   // "nfs4 mount at /data", "iSCSI session"
  std::string server;                 // IP address; empty if it is not known
  std::string local = {};             // IP address of this machine; empty if it is not known
  std::vector<PortRange> ports = {};  // TCP ports of all its servers
};

// The rows of kMounts and kDisks in remote_storage.cpp, mounts with addr= in proc/mounts (nfs(5),
// mount.cifs(8)), and connections in sys/class/iscsi_connection. Fails if the mounts cannot be
// read.
Result<std::vector<RemoteStorage>> remote_storage(const os::Files& files);

// Adds storage to the NICs of its connections and to those of the routes to its server. If the
// server is not known, and no connection of the kernel uses the ports of the storage, also adds it
// as "perhaps" to every NIC that is up. `of_processes` are the sockets that processes hold: every
// user can open a connection to these ports.
void add_storage(const std::vector<RemoteStorage>& storage,
                 const std::vector<os::TcpSocket>& sockets,
                 const SocketInodes& of_processes,
                 Placement& placement,
                 Topology& topology);

// The prefix length of the route's destination; empty if the destination does not contain
// `address`.
std::optional<unsigned> matching_prefix(const os::Route& route, const IpAddress& address);

// The routes that the routing tables use for `address`. All tables count, because policy rules
// (ip-rule(8)) are not evaluated.
std::vector<os::Route> routes_to(const std::string& address, const std::vector<os::Route>& routes);

// The indexes of the interfaces of routes_to().
std::vector<int> outputs_to(const std::string& address, const std::vector<os::Route>& routes);

}  // namespace manactl::host
