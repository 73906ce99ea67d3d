// SPDX-License-Identifier: MIT

#include "host/carried_traffic.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "host/gather.h"

namespace manactl::host {
namespace {

constexpr std::uint16_t kSshPort = 22;

// Adds traffic to the NICs of the interfaces that have a local address.
class LocalAddresses {
 public:
  LocalAddresses(const std::vector<os::Address>& addresses, Topology& topology)
      : topology_(topology) {
    for (const auto& address : addresses) interfaces_[address.text].push_back(address.index);
  }

  void add(const std::string& local, const std::string& traffic) {
    const auto found = interfaces_.find(local);
    if (found == interfaces_.end() || !topology_.limit().take(found->second.size())) {
      return;
    }
    for (const int interface : found->second) topology_.add_through(interface, traffic);
  }

 private:
  Topology& topology_;
  std::map<std::string, std::vector<int>> interfaces_;  // by address
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
      printable(fields[0]), std::string(fields[2]), static_cast<std::uint16_t>(*port)};
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
                 SshSearch ssh_search,
                 LocalAddresses& addresses) {
  const auto own = own_ssh_connection(system.process);
  const auto session = [](const std::string& peer) { return "SSH session from " + peer; };
  if (own) addresses.add(own->server, session(own->client));
  if (!sockets)
    return because(sockets.error(), "cannot determine which NIC carries the SSH session");
  const auto sessions = ssh_sessions(system, *sockets, own, ssh_search);
  if (!sessions)
    return because(sessions.error(), "cannot determine which NIC carries an SSH session");
  for (const auto& socket : *sessions) {
    addresses.add(socket.local_address, session(printable(socket.remote_address)));
  }
  return {};
}

// Finds the NIC of remote storage by the connection to its server. Without a connection, for
// example while the kernel reconnects, uses the routes to the server.
void add_storage(const os::System& system,
                 const Result<std::vector<os::TcpSocket>>& sockets,
                 const Result<std::vector<os::Route>>& routes,
                 LocalAddresses& addresses,
                 Topology& topology) {
  auto& limit = topology.limit();
  // The local addresses of the connections to a server, and the interfaces of the routes to it.
  std::map<std::string, std::set<std::string>> connections;
  std::map<std::string, std::vector<int>> outputs;
  for (const auto& socket : sockets.value_or(std::vector<os::TcpSocket>{})) {
    if (!socket.listening) connections[socket.remote_address].insert(socket.local_address);
  }
  for (const auto& storage : remote_storage(system.files)) {
    const auto traffic = fmt::format("{} ({})", storage.name, storage.server);
    const auto connected = connections.find(storage.server);
    if (connected != connections.end()) {
      if (!limit.take(connected->second.size())) return;
      for (const auto& local : connected->second) addresses.add(local, traffic);
      continue;
    }
    if (!routes) continue;
    const auto [found, is_new] = outputs.try_emplace(storage.server);
    if (is_new && limit.take(routes->size())) found->second = outputs_to(storage.server, *routes);
    if (!limit.take(found->second.size())) return;
    for (const int output : found->second) topology.add_through(output, traffic);
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
  LocalAddresses local_addresses(*addresses, topology);
  add_storage(system, sockets, routes, local_addresses, topology);
  auto result = add_ssh(system, sockets, ssh_search, local_addresses);
  if (result && !routes) {
    result = because(routes.error(), "cannot determine which NIC carries the default route");
  }
  if (result && topology.limit().is_exceeded()) {
    result =
        fail(Errc::invalid,
             "cannot determine which NIC carries which traffic: there are too many interfaces, "
             "addresses, routes, connections or mounts");
  }
  return result;
}

}  // namespace manactl::host
