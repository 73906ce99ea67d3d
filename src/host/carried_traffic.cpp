// SPDX-License-Identifier: MIT

#include "host/carried_traffic.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "host/gather.h"

namespace manactl::host {
namespace {

struct AzureService {
  std::string_view address;
  std::string_view traffic;
};

constexpr AzureService kServices[] = {
    {"168.63.129.16", "route to Azure's wire server (168.63.129.16)"},
    {"169.254.169.254", "route to the instance metadata service (169.254.169.254)"},
};

// Adds routes to one service alone, in any table, and the interface by which packets to it leave.
// Leaves out those of `defaults`, whose traffic includes the services.
void add_services(const std::vector<os::Route>& routes,
                  const std::set<int>& defaults,
                  Placement& placement,
                  Topology& topology) {
  for (const auto& [address, traffic] : kServices) {
    for (const auto& route : routes) {
      if (std::string_view(route.destination).substr(0, route.destination.find('/')) != address) {
        continue;
      }
      for (const int output : route.outputs) topology.add(output, std::string(traffic));
    }
    for (const int output : placement.outputs_of({.destination = std::string(address)})) {
      if (defaults.count(output) == 0) topology.add_through(output, std::string(traffic));
    }
  }
}

// The next hop of a route without outputs is an object that the kernel did not describe.
void add_unresolved(const std::vector<os::Route>& routes, Topology& topology) {
  for (const auto& route : routes) {
    if (!route.outputs.empty()) continue;
    topology.add_everywhere(route.destination == "default"
                                ? "default route"
                                : "route to " + printable(route.destination),
                            fmt::format("because its next hop {} is not known", route.next_hop_id));
  }
}

// Returns the indexes of the interfaces with a default route that is in use.
std::set<int> add_default_routes(const std::vector<os::Route>& routes, Topology& topology) {
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
  std::set<int> outputs;
  for (const auto& route : routes) {
    if (is_used(route)) outputs.insert(route.outputs.begin(), route.outputs.end());
  }
  for (const int output : outputs) topology.add_through(output, "default route");
  return outputs;
}

}  // namespace

Result<> add_carried_traffic(const os::System& system,
                             const std::vector<os::Link>& links,
                             const Result<std::vector<os::Address>>& addresses,
                             SshSearch ssh_search,
                             std::vector<Nic>& nics) {
  Topology topology(links, nics);
  auto routes = system.links.routes();
  if (routes) std::erase_if(*routes, [](const os::Route& route) { return !route.unicast; });
  const std::vector<os::Address> none;
  Placement placement(system.links, addresses ? *addresses : none, routes, topology);
  if (routes) {
    add_services(*routes, add_default_routes(*routes, topology), placement, topology);
    add_unresolved(*routes, topology);
  }
  if (!addresses) {
    return because(addresses.error(), "cannot determine which NIC carries the SSH session");
  }
  const auto sockets = system.sockets.tcp();
  std::optional<Result<ProcessSockets>> processes;
  if (ssh_search == SshSearch::every_process) processes = read_process_sockets(system.files);
  const bool has_processes = processes && *processes;
  const auto storage = remote_storage(system.files);
  add_storage(storage.value_or(std::vector<RemoteStorage>{}),
              sockets.value_or(std::vector<os::TcpSocket>{}),
              has_processes ? (*processes)->all : SocketInodes{},
              placement,
              topology);
  auto result = add_ssh(system, sockets, processes, placement, topology);
  if (result && !storage) {
    result = because(storage.error(), "cannot determine which NIC carries network storage");
  }
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
