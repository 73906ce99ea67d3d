// SPDX-License-Identifier: MIT

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "host/carried_traffic.h"

namespace manactl::host {
namespace {

constexpr std::uint16_t kSshPort = 22;

std::string session_from(std::string_view peer) {
  return "SSH session from " + printable(peer);
}

// SSH_CONNECTION of ssh(1) as a socket: "10.1.0.9 50122 10.0.0.4 22".
std::optional<os::TcpSocket> parse_connection(std::string_view text) {
  const auto fields = words(text);
  if (fields.size() != 4) return std::nullopt;
  const auto client_port = parse_unsigned(fields[1], UINT16_MAX);
  const auto port = parse_unsigned(fields[3], UINT16_MAX);
  if (!port) return std::nullopt;
  os::TcpSocket socket;
  socket.local_address = fields[2];
  socket.remote_address = fields[0];
  socket.local_port = static_cast<std::uint16_t>(*port);
  socket.remote_port = static_cast<std::uint16_t>(client_port.value_or(0));
  return socket;
}

std::vector<os::TcpSocket> own_connections(const os::Process& process) {
  std::vector<os::TcpSocket> connections;
  for (const auto& text : process.ssh_connections()) {
    if (auto socket = parse_connection(text)) connections.push_back(std::move(*socket));
  }
  return connections;
}

// Selects the sockets of sessions by their ports and by the processes that hold them.
class Selection {
 public:
  Selection(const std::vector<os::TcpSocket>& sockets, const SocketInodes& own)
      : sockets_(sockets), own_(own) {
    for (const auto& socket : sockets) {
      if (socket.listening) served_.insert(socket.local_port);
    }
  }

  void add_ssh_port(std::uint16_t port) { ssh_ports_.insert(port); }

  // A connection belongs to an SSH server if the server holds it or the listening socket of its
  // port. With ssh.socket, systemd holds the listening socket.
  void add_servers(const SocketInodes& ssh) {
    servers_ = ssh;
    for (const auto& socket : sockets_) {
      if (socket.listening && ssh.count(socket.inode) != 0) add_ssh_port(socket.local_port);
    }
  }

  bool is_own(const os::TcpSocket& socket) const { return own_.count(socket.inode) != 0; }

  bool is_served(const os::TcpSocket& socket) const {
    return served_.count(socket.local_port) != 0;
  }

  bool is_session(const os::TcpSocket& socket) const {
    const bool is_ssh = ssh_ports_.count(socket.local_port) != 0;
    const bool has_server = servers_.count(socket.inode) != 0;
    return is_own(socket) || (is_ssh && has_server) ||
           (is_served(socket) && (is_ssh || has_server));
  }

 private:
  const std::vector<os::TcpSocket>& sockets_;
  const SocketInodes& own_;
  std::set<std::uint16_t> served_, ssh_ports_{kSshPort};
  SocketInodes servers_;
};

// Adds a login of this process whose connection is unknown: mosh uses UDP without a connection, and
// the sockets of another network namespace are not listed.
void add_hidden_login(const OwnLogin& own, bool is_placed, Topology& topology) {
  if (own.server.empty() || (own.has_tcp && is_placed)) return;
  topology.add_everywhere(
      fmt::format("login through {}", own.server),
      own.has_tcp ? "because its connection is not in this network namespace"
                  : fmt::format("because the connection of {} is not known", own.server));
}

}  // namespace

Result<> add_ssh(const os::System& system,
                 const Result<std::vector<os::TcpSocket>>& sockets,
                 const std::optional<Result<ProcessSockets>>& processes,
                 Placement& placement,
                 Topology& topology) {
  const auto connections = own_connections(system.process);
  const auto own = find_own_login(system.files);
  for (const auto& socket : connections) {
    placement.add_connection(socket, session_from(socket.remote_address));
  }
  if (!sockets)
    return because(sockets.error(), "cannot determine which NIC carries the SSH session");
  Selection selection(*sockets, own.sockets);
  for (const auto& socket : connections) selection.add_ssh_port(socket.local_port);
  if (processes && *processes) selection.add_servers((*processes)->ssh);
  // Users can forge SSH_CONNECTION, so it counts only if the sockets of the server cannot be read.
  bool is_placed = own.sockets.empty() && !connections.empty();
  for (const auto& socket : *sockets) {
    if (socket.listening) continue;
    is_placed = is_placed || selection.is_own(socket);
    if (selection.is_session(socket)) {
      placement.add_connection(socket, session_from(socket.remote_address));
      continue;
    }
    const bool is_orphan = processes && *processes && selection.is_served(socket) &&
                           socket.inode != 0 && (*processes)->all.count(socket.inode) == 0;
    if (!is_orphan) continue;
    placement.add_connection(
        socket,
        fmt::format(
            "connection from {} to port {} (perhaps an SSH session: no process that manactl "
            "can see has it open)",
            printable(socket.remote_address),
            socket.local_port));
  }
  add_hidden_login(own, is_placed, topology);
  if (!processes) return {};
  if (!*processes)
    return because(processes->error(), "cannot determine which NIC carries an SSH session");
  for (const auto& server : (*processes)->other_logins) {
    if (server == own.server) continue;
    topology.add_everywhere(fmt::format("login through {}", server),
                            fmt::format("because the connection of {} is not known", server));
  }
  return {};
}

}  // namespace manactl::host
