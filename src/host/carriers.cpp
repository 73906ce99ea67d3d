// SPDX-License-Identifier: MIT

#include "host/carriers.h"

#include <net/if.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "host/remote_storage.h"
#include "host/ssh_sockets.h"

namespace manactl::host {
namespace {

constexpr std::uint16_t kSshPort = 22;

// Which NICs an interface stands on: itself, what is below a VLAN, the members of a bond or bridge.
class Topology {
 public:
  Topology(const std::vector<os::Link>& links, std::vector<Nic>& nics)
      : links_(links), nics_(nics) {}

  void note(int interface, const std::string& what) {
    std::set<int> seen;
    note(interface, what, seen);
  }

  // A tunnel, a dummy or a loopback address has no hardware below that could be told: what it
  // carries leaves by some NIC, and none is known not to be it.
  void note_through(int interface, const std::string& what) {
    std::set<int> seen;
    if (reaches_hardware(interface, seen)) return note(interface, what);
    const auto* link = find(interface);
    if (link == nullptr || (link->flags & IFF_LOOPBACK) != 0) return;
    const auto how = fmt::format("{} (perhaps, through {})", what, printable(link->name, 60));
    for (const auto& nic : nics_) {
      if (nic.synthetic && nic.synthetic->up) note(nic.synthetic->index, how);
      if (!nic.synthetic && nic.vf && nic.vf->up) note(nic.vf->index, how);
    }
  }

  // Whether what leaves here can arrive: an interface that is up and has a carrier.
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

  bool reaches_hardware(int interface, std::set<int>& seen) const {
    if (!seen.insert(interface).second) return false;
    const auto* link = find(interface);
    if (link == nullptr) return false;
    if (link->kind.empty() && (link->flags & IFF_LOOPBACK) == 0) return true;
    if (link->lower && reaches_hardware(*link->lower, seen)) return true;
    return std::any_of(links_.begin(), links_.end(), [&](const os::Link& other) {
      return other.master == interface && reaches_hardware(other.index, seen);
    });
  }

  void note(int interface, const std::string& what, std::set<int>& seen) {
    if (!seen.insert(interface).second) return;
    for (auto& nic : nics_) {
      const bool is_nic = (nic.synthetic && nic.synthetic->index == interface) ||
                          (nic.vf && nic.vf->index == interface);
      auto& carries = nic.carries;
      if (is_nic && std::find(carries.begin(), carries.end(), what) == carries.end()) {
        carries.push_back(what);
      }
    }
    for (const auto& link : links_) {
      if (link.index == interface && link.lower) note(*link.lower, what, seen);
      if (link.master == interface) note(link.index, what, seen);
    }
  }

  const std::vector<os::Link>& links_;
  std::vector<Nic>& nics_;
};

// SSH_CONNECTION: "10.1.0.9 50122 10.0.0.4 22".
struct SshHint {
  std::string client, server;
  std::uint16_t port = 0;
};

std::optional<SshHint> ssh_hint(const os::Process& process) {
  const std::string text = process.ssh_connection();
  const auto fields = words(text);
  if (fields.size() != 4) return std::nullopt;
  const auto port = parse_unsigned(fields[3], UINT16_MAX);
  if (!port) return std::nullopt;
  return SshHint{
      printable(fields[0], 60), std::string(fields[2]), static_cast<std::uint16_t>(*port)};
}

void note_local(const std::string& local,
                const std::string& what,
                const std::vector<os::Address>& addresses,
                Topology& topology) {
  for (const auto& address : addresses) {
    if (address.text == local) topology.note_through(address.index, what);
  }
}

std::set<std::uint16_t> listening_ports(const std::vector<os::TcpSocket>& sockets) {
  std::set<std::uint16_t> ports;
  for (const auto& socket : sockets) {
    if (socket.listening) ports.insert(socket.local_port);
  }
  return ports;
}

// What connections tell of sessions: by the usual port, by the environment, by the server that
// started us, and when every process may be looked at, by any server on any port.
Result<std::vector<os::TcpSocket>> ssh_sessions(const os::System& system,
                                                const std::vector<os::TcpSocket>& sockets,
                                                const std::optional<SshHint>& hint,
                                                Look look) {
  const auto listening = listening_ports(sockets);
  const auto of_ours = sockets_of_own_sshd(system.files);
  std::vector<os::TcpSocket> sessions, others;
  for (const auto& socket : sockets) {
    if (socket.listening) continue;
    const bool is_ssh_port =
        socket.local_port == kSshPort || (hint && socket.local_port == hint->port);
    const bool is_served = listening.count(socket.local_port) != 0;
    if ((is_ssh_port && is_served) || of_ours.count(socket.inode) != 0) {
      sessions.push_back(socket);
    } else if (is_served) {
      others.push_back(socket);
    }
  }
  if (look == Look::usual || others.empty()) return sessions;
  const auto of_sshd = sockets_of_every_sshd(system.files);
  if (!of_sshd) return tl::unexpected<Error>(of_sshd.error());
  std::set<std::uint16_t> ssh_ports;
  for (const auto& socket : sockets) {
    if (socket.listening && of_sshd->count(socket.inode) != 0) ssh_ports.insert(socket.local_port);
  }
  // systemd may listen for the server (ssh.socket); then it holds the connection alone.
  for (auto& socket : others) {
    if (of_sshd->count(socket.inode) == 0 && ssh_ports.count(socket.local_port) == 0) continue;
    sessions.push_back(std::move(socket));
  }
  return sessions;
}

Result<> note_ssh(const os::System& system,
                  const Result<std::vector<os::TcpSocket>>& sockets,
                  const std::vector<os::Address>& addresses,
                  Look look,
                  Topology& topology) {
  const auto hint = ssh_hint(system.process);
  const auto session = [](const std::string& peer) { return "SSH session from " + peer; };
  if (hint) note_local(hint->server, session(hint->client), addresses, topology);
  if (!sockets) return because(sockets.error(), "cannot tell which NIC carries the SSH session");
  const auto sessions = ssh_sessions(system, *sockets, hint, look);
  if (!sessions) return because(sessions.error(), "cannot tell which NIC carries an SSH session");
  for (const auto& socket : *sessions) {
    note_local(
        socket.local_address, session(printable(socket.remote_address, 60)), addresses, topology);
  }
  return {};
}

// By the connection to the server; one that is just being made anew has none, then by the routes.
void note_storage(const os::System& system,
                  const Result<std::vector<os::TcpSocket>>& sockets,
                  const std::vector<os::Address>& addresses,
                  const Result<std::vector<os::Route>>& routes,
                  Topology& topology) {
  for (const auto& storage : remote_storage(system.files)) {
    const auto what = fmt::format("{} ({})", storage.what, storage.server);
    bool connected = false;
    for (const auto& socket : sockets.value_or(std::vector<os::TcpSocket>{})) {
      if (socket.listening || socket.remote_address != storage.server) continue;
      note_local(socket.local_address, what, addresses, topology);
      connected = true;
    }
    if (connected || !routes) continue;
    for (const int output : outputs_to(storage.server, *routes)) {
      topology.note_through(output, what);
    }
  }
}

// What a route to one of Azure's own services carries; empty for other routes.
std::string_view service_at(std::string_view destination) {
  const auto address = destination.substr(0, destination.find('/'));
  if (address == "168.63.129.16") return "route to Azure's wire server (168.63.129.16)";
  if (address == "169.254.169.254") {
    return "route to the instance metadata service (169.254.169.254)";
  }
  return {};
}

void note_routes(const std::vector<os::Route>& routes, Topology& topology) {
  // Azure gives every NIC a default route; in each table the one with the smallest metric is used
  // that leads anywhere. Those before it are taken again as soon as their carrier is back.
  std::map<std::pair<unsigned, bool>, std::uint32_t> best;
  const auto table_of = [](const os::Route& route) {
    return std::pair(route.table, route.ipv6 || route.gateway.find(':') != std::string::npos);
  };
  const auto leads_on = [&](const os::Route& route) {
    return std::any_of(route.outputs.begin(), route.outputs.end(), [&](int output) {
      return topology.is_running(output);
    });
  };
  for (const auto& route : routes) {
    if (route.destination != "default" || !leads_on(route)) continue;
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
      if (used) topology.note_through(output, "default route");
      if (!service.empty()) topology.note(output, std::string(service));
    }
  }
}

}  // namespace

Result<> note_carriers(const os::System& system,
                       const std::vector<os::Link>& links,
                       const Result<std::vector<os::Address>>& addresses,
                       Look look,
                       std::vector<Nic>& nics) {
  Topology topology(links, nics);
  const auto routes = system.links.routes();
  if (routes) note_routes(*routes, topology);
  if (!addresses) {
    return because(addresses.error(), "cannot tell which NIC carries the SSH session");
  }
  const auto sockets = system.sockets.tcp();
  note_storage(system, sockets, *addresses, routes, topology);
  auto noted = note_ssh(system, sockets, *addresses, look, topology);
  if (noted && !routes) {
    noted = because(routes.error(), "cannot tell which NIC carries the default route");
  }
  return noted;
}

}  // namespace manactl::host
