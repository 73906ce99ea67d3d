// SPDX-License-Identifier: MIT

#include "base/text.h"
#include "host/carried_traffic.h"

namespace manactl::host {
namespace {

// An address without its scope id: "fe80::1" of "fe80::1%eth0".
std::string without_scope(const std::string& address) {
  return address.substr(0, address.find('%'));
}

std::string scope_of(const std::string& address) {
  const auto percent = address.find('%');
  return percent == std::string::npos ? "" : address.substr(percent + 1);
}

}  // namespace

Placement::Placement(const os::Links& links,
                     const std::vector<os::Address>& addresses,
                     const Result<std::vector<os::Route>>& routes,
                     Topology& topology)
    : links_(links), routes_(routes), topology_(topology) {
  for (const auto& address : addresses) interfaces_[address.text].push_back(address.index);
}

bool Placement::is_own(const std::string& address) const {
  const auto ip = parse_ip(address);
  return (ip && ip->is_loopback()) || interfaces_.count(address) != 0;
}

void Placement::add_local(const std::string& local, const std::string& traffic) {
  const auto address = without_scope(local);
  const auto found = interfaces_.find(address);
  bool is_placed = topology_.add_through(topology_.index_of(scope_of(local)), traffic);
  if (found != interfaces_.end()) {
    if (!topology_.limit().take(found->second.size())) return;
    for (const int interface : found->second) {
      is_placed = topology_.add_through(interface, traffic) || is_placed;
    }
  }
  if (is_placed) return;
  topology_.add_everywhere(
      traffic,
      is_own(address)
          ? "through lo"
          : fmt::format("because no interface has its local address {}", printable(address)));
}

void Placement::add_connection(const os::TcpSocket& socket, const std::string& traffic) {
  add_local(socket.local_address, traffic);
  const auto peer = without_scope(socket.remote_address);
  if (is_own(peer)) {
    return topology_.add_everywhere(
        traffic, fmt::format("because its peer {} is on this machine", printable(peer)));
  }
  const auto ip = parse_ip(peer);
  if (!ip || ip->is_link_local()) return;
  const auto outputs = outputs_of({peer,
                                   without_scope(socket.local_address),
                                   socket.mark,
                                   socket.bound_to,
                                   socket.local_port,
                                   socket.remote_port});
  for (const int output : outputs) topology_.add_through(output, traffic);
}

std::vector<int> Placement::outputs_of(os::RouteQuery query) {
  auto found = links_.find_outputs(query);
  if (!found && found.error().code != Errc::unsupported && !query.source.empty()) {
    query.source.clear();  // the source may be an address of another network namespace
    found = links_.find_outputs(query);
  }
  if (found) return *found;
  if (found.error().code != Errc::unsupported || !routes_) return {};
  const auto [outputs, is_new] = captured_outputs_.try_emplace(query.destination);
  if (is_new && topology_.limit().take(routes_->size())) {
    outputs->second = outputs_to(query.destination, *routes_);
  }
  return outputs->second;
}

}  // namespace manactl::host
