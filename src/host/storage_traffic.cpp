// SPDX-License-Identifier: MIT

#include <algorithm>

#include "host/carried_traffic.h"

namespace manactl::host {
namespace {

bool has_port(const RemoteStorage& storage, std::uint16_t port) {
  return std::ranges::any_of(storage.ports, [&](const PortRange& range) {
    return port >= range.first && port <= range.last;
  });
}

// The local address of each connection, and whether the kernel owns one with this address.
using Connections = std::map<std::string, bool>;

struct ConnectionTable {
  std::map<std::string, Connections> by_server;
  std::map<std::uint16_t, Connections> by_port;
};

ConnectionTable table_of(const std::vector<os::TcpSocket>& sockets,
                         const SocketInodes& of_processes) {
  ConnectionTable table;
  for (const auto& socket : sockets) {
    const auto peer = parse_ip(socket.remote_address);
    if (socket.listening || !peer || peer->is_loopback()) continue;
    const bool of_kernel = !of_processes.contains(socket.inode);
    // DRBD connects in both directions.
    for (auto* connections : {&table.by_server[socket.remote_address],
                              &table.by_port[socket.remote_port],
                              &table.by_port[socket.local_port]}) {
      auto& known = (*connections)[socket.local_address];
      known = known || of_kernel;
    }
  }
  return table;
}

Connections connections_of(const RemoteStorage& storage, const ConnectionTable& table) {
  Connections found;
  if (!storage.local.empty()) found[storage.local] = true;
  const auto server = table.by_server.find(storage.server);
  if (server != table.by_server.end()) found.insert(server->second.begin(), server->second.end());
  if (storage.ports.empty()) return found;
  for (const auto& [port, connections] : table.by_port) {
    if (!has_port(storage, port)) continue;
    for (const auto& [local, of_kernel] : connections) {
      found[local] = found[local] || of_kernel;
    }
  }
  return found;
}

}  // namespace

void add_storage(const std::vector<RemoteStorage>& storage,
                 const std::vector<os::TcpSocket>& sockets,
                 const SocketInodes& of_processes,
                 Placement& placement,
                 Topology& topology) {
  auto& limit = topology.limit();
  const auto table = table_of(sockets, of_processes);
  for (const auto& one : storage) {
    const auto traffic =
        one.server.empty() ? one.name : fmt::format("{} ({})", one.name, one.server);
    if (!one.ports.empty() && !limit.take(table.by_port.size())) return;
    const auto connections = connections_of(one, table);
    if (!limit.take(connections.size())) return;
    for (const auto& [local, of_kernel] : connections) placement.add_local(local, traffic);
    const auto outputs =
        one.server.empty() ? std::vector<int>{} : placement.outputs_of({.destination = one.server});
    if (!limit.take(outputs.size())) return;
    for (const int output : outputs) topology.add_through(output, traffic);
    const bool is_placed =
        !outputs.empty() ||
        std::ranges::any_of(connections, [](const auto& connection) { return connection.second; });
    if (!is_placed) topology.add_everywhere(traffic, "because its server is not known");
  }
}

}  // namespace manactl::host
