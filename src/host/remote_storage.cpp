// SPDX-License-Identifier: MIT

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.h"
#include "host/carried_traffic.h"

namespace manactl::host {
namespace {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  unsigned bits = 0;  // 32 or 128

  bool is_loopback() const {
    constexpr std::array<std::uint8_t, 16> kLoopback6 = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return bits == 32 ? bytes[0] == 127 : bytes == kLoopback6;
  }
};

std::optional<IpAddress> parse_address(std::string_view text) {
  const std::string address(text.substr(0, text.find('%')));
  IpAddress result;
  const bool six = address.find(':') != std::string::npos;
  if (inet_pton(six ? AF_INET6 : AF_INET, address.c_str(), result.bytes.data()) != 1) {
    return std::nullopt;
  }
  result.bits = six ? 128 : 32;
  return result;
}

bool has_same_prefix(const IpAddress& a, const IpAddress& b, unsigned bits) {
  for (unsigned bit = 0; bit < bits; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if (((a.bytes.at(bit / 8) ^ b.bytes.at(bit / 8)) & mask) != 0) return false;
  }
  return true;
}

// The prefix length of the route's destination; empty if the destination does not contain
// `address`.
std::optional<unsigned> match(const os::Route& route, const IpAddress& address) {
  if (route.destination == "default") {
    const bool six = route.ipv6 || route.gateway.find(':') != std::string::npos;
    return six == (address.bits == 128) ? std::optional(0U) : std::nullopt;
  }
  const auto slash = route.destination.find('/');
  const auto network = parse_address(std::string_view(route.destination).substr(0, slash));
  if (!network || network->bits != address.bits) return std::nullopt;
  unsigned bits = network->bits;
  if (slash != std::string::npos) {
    const auto given = parse_unsigned(std::string_view(route.destination).substr(slash + 1), bits);
    if (!given) return std::nullopt;
    bits = static_cast<unsigned>(*given);
  }
  return has_same_prefix(*network, address, bits) ? std::optional(bits) : std::nullopt;
}

void add(std::vector<RemoteStorage>& found, std::string name, std::string_view server) {
  const auto address = parse_address(server);
  if (address && !address->is_loopback()) found.push_back({std::move(name), std::string(server)});
}

void add_mounts(const os::Files& files, std::vector<RemoteStorage>& found) {
  constexpr std::string_view kKey = "addr=";
  const auto text = files.read("proc/mounts");
  if (!text || text->find(kKey) == std::string::npos) return;
  for (const auto line : split(*text, '\n')) {
    const auto fields = words(line);  // device, path, type, options
    if (fields.size() < 4) continue;
    for (const auto option : split(fields[3], ',')) {
      if (!option.starts_with(kKey)) continue;
      add(found,
          fmt::format("{} mount at {}", printable(fields[2]), printable(fields[1])),
          option.substr(kKey.size()));
    }
  }
}

void add_iscsi(const os::Files& files, std::vector<RemoteStorage>& found) {
  const std::string connections = "sys/class/iscsi_connection";
  for (const auto& name : files.list(connections).value_or(std::vector<std::string>{})) {
    // After a redirection, `address` is the new server and `persistent_address` the original one.
    for (const char* attribute : {"address", "persistent_address"}) {
      const auto server = files.read(fmt::format("{}/{}/{}", connections, name, attribute));
      if (!server || !parse_address(trim(*server))) continue;
      add(found, "iSCSI session", trim(*server));
      break;
    }
  }
}

}  // namespace

std::vector<RemoteStorage> remote_storage(const os::Files& files) {
  std::vector<RemoteStorage> found;
  add_mounts(files, found);
  add_iscsi(files, found);
  return found;
}

std::vector<os::Route> routes_to(const std::string& address, const std::vector<os::Route>& routes) {
  struct Best {
    unsigned bits = 0;
    std::uint32_t metric = 0;
    std::vector<os::Route> routes;
  };

  const auto target = parse_address(address);
  std::map<unsigned, Best> tables;
  for (const auto& route : routes) {
    const auto bits = target ? match(route, *target) : std::nullopt;
    if (!bits) continue;
    const auto [found, added] = tables.try_emplace(route.table, Best{*bits, route.metric, {}});
    auto& best = found->second;
    const bool better = *bits > best.bits || (*bits == best.bits && route.metric < best.metric);
    if (better) best = {*bits, route.metric, {}};
    const bool as_good = *bits == best.bits && route.metric == best.metric;
    if (as_good) best.routes.push_back(route);
  }
  std::vector<os::Route> used;
  for (const auto& [table, best] : tables) {
    used.insert(used.end(), best.routes.begin(), best.routes.end());
  }
  return used;
}

std::vector<int> outputs_to(const std::string& address, const std::vector<os::Route>& routes) {
  std::vector<int> outputs;
  for (const auto& route : routes_to(address, routes)) {
    outputs.insert(outputs.end(), route.outputs.begin(), route.outputs.end());
  }
  return outputs;
}

}  // namespace manactl::host
