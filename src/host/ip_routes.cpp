// SPDX-License-Identifier: MIT

#include <arpa/inet.h>

#include <map>

#include "base/text.h"
#include "host/carried_traffic.h"

namespace manactl::host {
namespace {

bool has_same_prefix(const IpAddress& a, const IpAddress& b, unsigned bits) {
  for (unsigned bit = 0; bit < bits; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if (((a.bytes.at(bit / 8) ^ b.bytes.at(bit / 8)) & mask) != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<unsigned> matching_prefix(const os::Route& route, const IpAddress& address) {
  if (route.destination == "default") {
    const bool six = route.ipv6 || route.gateway.find(':') != std::string::npos;
    return six == (address.bits == 128) ? std::optional(0U) : std::nullopt;
  }
  const auto slash = route.destination.find('/');
  const auto network = parse_ip(std::string_view(route.destination).substr(0, slash));
  if (!network || network->bits != address.bits) return std::nullopt;
  unsigned bits = network->bits;
  if (slash != std::string::npos) {
    const auto given = parse_unsigned(std::string_view(route.destination).substr(slash + 1), bits);
    if (!given) return std::nullopt;
    bits = static_cast<unsigned>(*given);
  }
  return has_same_prefix(*network, address, bits) ? std::optional(bits) : std::nullopt;
}

bool IpAddress::is_loopback() const {
  constexpr std::array<std::uint8_t, 16> kLoopback6 = {
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return bits == 32 ? bytes[0] == 127 : bytes == kLoopback6;
}

bool IpAddress::is_link_local() const {
  return bits == 128 && bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80;
}

std::optional<IpAddress> parse_ip(std::string_view text) {
  const std::string address(text.substr(0, text.find('%')));
  IpAddress result;
  const bool six = address.find(':') != std::string::npos;
  if (inet_pton(six ? AF_INET6 : AF_INET, address.c_str(), result.bytes.data()) != 1) {
    return std::nullopt;
  }
  result.bits = six ? 128 : 32;
  return result;
}

std::vector<os::Route> routes_to(const std::string& address, const std::vector<os::Route>& routes) {
  struct Best {
    unsigned bits = 0;
    std::uint32_t metric = 0;
    std::vector<os::Route> routes;
  };

  const auto target = parse_ip(address);
  std::map<unsigned, Best> tables;
  for (const auto& route : routes) {
    const auto bits = target ? matching_prefix(route, *target) : std::nullopt;
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
