// SPDX-License-Identifier: MIT

#include "host/carried_traffic.h"

#include <net/if.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "host/gather.h"

namespace manactl::host {
namespace {

constexpr std::uint16_t kSshPort = 22;
constexpr std::size_t kMaxCarried = 100;  // entries of one NIC; one is enough to protect it

// Maps an interface to the NICs that it uses: itself, the interface below a VLAN, the members of a
// bond or bridge.
class Topology {
 public:
  Topology(const std::vector<os::Link>& links, std::vector<Nic>& nics)
      : links_(links), nics_(nics) {}

  // Adds `traffic` to every NIC that the interface uses.
  void add(int interface, const std::string& traffic) {
    for (const int used : used_by(interface)) {
      for (auto& nic : nics_) {
        const bool is_nic =
            (nic.synthetic && nic.synthetic->index == used) || (nic.vf && nic.vf->index == used);
        auto& carries = nic.carries;
        const bool is_new = std::find(carries.begin(), carries.end(), traffic) == carries.end();
        if (is_nic && is_new && carries.size() < kMaxCarried) carries.push_back(traffic);
      }
    }
  }

  // As add(), but adds the traffic of a tunnel or dummy interface to every NIC that is up, because
  // the NIC that it uses is not known.
  void add_through(int interface, const std::string& traffic) {
    if (reaches_hardware(interface)) return add(interface, traffic);
    const auto* link = find(interface);
    if (link == nullptr || (link->flags & IFF_LOOPBACK) != 0) return;
    const auto guess = fmt::format("{} (perhaps, through {})", traffic, printable(link->name, 60));
    for (const auto& nic : nics_) {
      if (nic.synthetic && nic.synthetic->up) add(nic.synthetic->index, guess);
      if (!nic.synthetic && nic.vf && nic.vf->up) add(nic.vf->index, guess);
    }
  }

  bool is_running(int interface) const {
    const auto* link = find(interface);
    return link != nullptr && link->is_up() && link->is_running();
  }

 private:
  const os::Link* find(int interface) const {
    const auto found = std::find_if(links_.begin(), links_.end(), [&](const os::Link& link) {
      return link.index == interface;
    });
    return found == links_.end() ? nullptr : &*found;
  }

  bool reaches_hardware(int interface) const {
    const auto used = used_by(interface);
    return std::any_of(used.begin(), used.end(), [&](int index) {
      const auto* link = find(index);
      return link != nullptr && link->kind.empty() && (link->flags & IFF_LOOPBACK) == 0;
    });
  }

  // Returns the interface, and those below it or its members, repeatedly. Not recursive, because
  // the links of a captured system may form a long chain.
  std::set<int> used_by(int interface) const {
    std::set<int> used = {interface};
    std::vector<int> pending = {interface};
    const auto visit = [&](int index) {
      if (used.insert(index).second) pending.push_back(index);
    };
    while (!pending.empty()) {
      const int index = pending.back();
      pending.pop_back();
      for (const auto& link : links_) {
        if (link.index == index && link.lower) visit(*link.lower);
        if (link.master == index) visit(link.index);
      }
    }
    return used;
  }

  const std::vector<os::Link>& links_;
  std::vector<Nic>& nics_;
};

// SSH_CONNECTION of ssh(1): "10.1.0.9 50122 10.0.0.4 22".
struct SshConnection {
  std::string client, server;
  std::uint16_t port = 0;
};

std::optional<SshConnection> own_ssh_connection(const os::Process& process) {
  const std::string text = process.ssh_connection();
  const auto fields = words(text);
  if (fields.size() != 4) return std::nullopt;
  const auto port = parse_unsigned(fields[3], UINT16_MAX);
  if (!port) return std::nullopt;
  return SshConnection{
      printable(fields[0], 60), std::string(fields[2]), static_cast<std::uint16_t>(*port)};
}

void add_by_address(const std::string& local,
                    const std::string& traffic,
                    const std::vector<os::Address>& addresses,
                    Topology& topology) {
  for (const auto& address : addresses) {
    if (address.text == local) topology.add_through(address.index, traffic);
  }
}

std::set<std::uint16_t> listening_ports(const std::vector<os::TcpSocket>& sockets) {
  std::set<std::uint16_t> ports;
  for (const auto& socket : sockets) {
    if (socket.listening) ports.insert(socket.local_port);
  }
  return ports;
}

// Returns the sockets of SSH sessions: on port 22, on the port of SSH_CONNECTION, and of the server
// that started this process. SshSearch::every_process adds those of all other SSH servers.
Result<std::vector<os::TcpSocket>> ssh_sessions(const os::System& system,
                                                const std::vector<os::TcpSocket>& sockets,
                                                const std::optional<SshConnection>& own,
                                                SshSearch ssh_search) {
  const auto listening = listening_ports(sockets);
  const auto of_own_sshd = sockets_of_own_sshd(system.files);
  std::vector<os::TcpSocket> sessions, others;
  for (const auto& socket : sockets) {
    if (socket.listening) continue;
    const bool is_ssh_port =
        socket.local_port == kSshPort || (own && socket.local_port == own->port);
    const bool is_served = listening.count(socket.local_port) != 0;
    if ((is_ssh_port && is_served) || of_own_sshd.count(socket.inode) != 0) {
      sessions.push_back(socket);
    } else if (is_served) {
      others.push_back(socket);
    }
  }
  if (ssh_search == SshSearch::quick || others.empty()) return sessions;
  const auto of_sshd = sockets_of_every_sshd(system.files);
  if (!of_sshd) return tl::unexpected<Error>(of_sshd.error());
  std::set<std::uint16_t> ssh_ports;
  for (const auto& socket : sockets) {
    if (socket.listening && of_sshd->count(socket.inode) != 0) ssh_ports.insert(socket.local_port);
  }
  // Accept a connection if an SSH server holds it or the listening socket of its port. With
  // ssh.socket, systemd holds the listening socket.
  for (auto& socket : others) {
    if (of_sshd->count(socket.inode) == 0 && ssh_ports.count(socket.local_port) == 0) continue;
    sessions.push_back(std::move(socket));
  }
  return sessions;
}

Result<> add_ssh(const os::System& system,
                 const Result<std::vector<os::TcpSocket>>& sockets,
                 const std::vector<os::Address>& addresses,
                 SshSearch ssh_search,
                 Topology& topology) {
  const auto own = own_ssh_connection(system.process);
  const auto session = [](const std::string& peer) { return "SSH session from " + peer; };
  if (own) add_by_address(own->server, session(own->client), addresses, topology);
  if (!sockets)
    return because(sockets.error(), "cannot determine which NIC carries the SSH session");
  const auto sessions = ssh_sessions(system, *sockets, own, ssh_search);
  if (!sessions)
    return because(sessions.error(), "cannot determine which NIC carries an SSH session");
  for (const auto& socket : *sessions) {
    add_by_address(
        socket.local_address, session(printable(socket.remote_address, 60)), addresses, topology);
  }
  return {};
}

// Finds the NIC of remote storage by the connection to its server. Without a connection, for
// example while the kernel reconnects, uses the routes to the server.
void add_storage(const os::System& system,
                 const Result<std::vector<os::TcpSocket>>& sockets,
                 const std::vector<os::Address>& addresses,
                 const Result<std::vector<os::Route>>& routes,
                 Topology& topology) {
  const auto known = sockets.value_or(std::vector<os::TcpSocket>{});
  for (const auto& storage : remote_storage(system.files)) {
    const auto traffic = fmt::format("{} ({})", storage.name, storage.server);
    bool connected = false;
    for (const auto& socket : known) {
      if (socket.listening || socket.remote_address != storage.server) continue;
      add_by_address(socket.local_address, traffic, addresses, topology);
      connected = true;
    }
    if (connected || !routes) continue;
    for (const int output : outputs_to(storage.server, *routes)) {
      topology.add_through(output, traffic);
    }
  }
}

// Describes a route to one of Azure's own services; empty for other routes.
std::string_view service_at(std::string_view destination) {
  const auto address = destination.substr(0, destination.find('/'));
  if (address == "168.63.129.16") return "route to Azure's wire server (168.63.129.16)";
  if (address == "169.254.169.254") {
    return "route to the instance metadata service (169.254.169.254)";
  }
  return {};
}

void add_routes(const std::vector<os::Route>& routes, Topology& topology) {
  // Azure gives every NIC a default route. In each table the kernel uses the one with the smallest
  // metric whose interface is running. Default routes with a smaller metric are also added: the
  // kernel uses them again as soon as their interface has a carrier.
  std::map<std::pair<unsigned, bool>, std::uint32_t> best;
  const auto table_of = [](const os::Route& route) {
    return std::pair(route.table, route.ipv6 || route.gateway.find(':') != std::string::npos);
  };
  const auto is_usable = [&](const os::Route& route) {
    return std::any_of(route.outputs.begin(), route.outputs.end(), [&](int output) {
      return topology.is_running(output);
    });
  };
  for (const auto& route : routes) {
    if (route.destination != "default" || !is_usable(route)) continue;
    const auto [found, added] = best.emplace(table_of(route), route.metric);
    if (!added) found->second = std::min(found->second, route.metric);
  }
  const auto is_used = [&](const os::Route& route) {
    const auto found = best.find(table_of(route));
    return route.destination == "default" && (found == best.end() || route.metric <= found->second);
  };
  for (const auto& route : routes) {
    const bool used = is_used(route);
    const auto service = service_at(route.destination);
    for (const int output : route.outputs) {
      if (used) topology.add_through(output, "default route");
      if (!service.empty()) topology.add(output, std::string(service));
    }
  }
}

}  // namespace

Result<> add_carried_traffic(const os::System& system,
                             const std::vector<os::Link>& links,
                             const Result<std::vector<os::Address>>& addresses,
                             SshSearch ssh_search,
                             std::vector<Nic>& nics) {
  Topology topology(links, nics);
  const auto routes = system.links.routes();
  if (routes) add_routes(*routes, topology);
  if (!addresses) {
    return because(addresses.error(), "cannot determine which NIC carries the SSH session");
  }
  const auto sockets = system.sockets.tcp();
  add_storage(system, sockets, *addresses, routes, topology);
  auto result = add_ssh(system, sockets, *addresses, ssh_search, topology);
  if (result && !routes) {
    result = because(routes.error(), "cannot determine which NIC carries the default route");
  }
  return result;
}

}  // namespace manactl::host
