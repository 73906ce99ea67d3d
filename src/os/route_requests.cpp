// SPDX-License-Identifier: MIT

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include <array>

#include "base/text.h"
#include "os/attributes.h"
#include "os/netlink_messages.h"

namespace manactl::os {
namespace {

int family_of(std::string_view address) {
  return address.find(':') != std::string_view::npos ? AF_INET6 : AF_INET;
}

// The bytes of an address of this family; empty for an empty text.
Result<std::string> address_bytes(int family, const std::string& text) {
  if (text.empty()) return std::string();
  std::array<char, sizeof(in6_addr)> bytes{};
  if (inet_pton(family, text.c_str(), bytes.data()) != 1) {
    return fail(Errc::invalid, fmt::format("'{}' is not an address", printable(text)));
  }
  return std::string(bytes.data(), family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr));
}

Result<> append_address(std::string& body, unsigned type, int family, const std::string& text) {
  const auto bytes = address_bytes(family, text);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  if (!bytes->empty()) append_attribute(body, type, *bytes);
  return {};
}

// Uses RTA_VIA, which includes a family, if the route and the gateway have different families.
Result<> append_gateway(std::string& body, int family, const std::string& gateway) {
  if (gateway.empty() || family_of(gateway) == family) {
    return append_address(body, RTA_GATEWAY, family, gateway);
  }
  const auto other = static_cast<std::uint16_t>(family_of(gateway));
  const auto bytes = address_bytes(other, gateway);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  append_attribute(body, RTA_VIA, std::string(bytes_of(other)) + *bytes);
  return {};
}

}  // namespace

Result<std::string> encode_address(const Address& address) {
  const int family = family_of(address.text);
  ifaddrmsg head{};
  head.ifa_family = static_cast<std::uint8_t>(family);
  head.ifa_prefixlen = static_cast<std::uint8_t>(address.prefix_length);
  head.ifa_scope = static_cast<std::uint8_t>(address.scope);
  head.ifa_index = static_cast<std::uint32_t>(address.index);
  // The kernel sets these flags itself and rejects or misinterprets them in a request.
  const auto flags =
      address.flags & ~static_cast<unsigned>(IFA_F_PERMANENT | IFA_F_TENTATIVE | IFA_F_DADFAILED |
                                             IFA_F_SECONDARY | IFA_F_DEPRECATED);
  head.ifa_flags = static_cast<std::uint8_t>(flags);
  std::string body(bytes_of(head));
  const std::string& far_end = address.peer.empty() ? address.text : address.peer;
  for (const auto& [type, text] : {std::pair<unsigned, std::string>{IFA_LOCAL, address.text},
                                   {IFA_ADDRESS, far_end},
                                   {IFA_BROADCAST, address.broadcast}}) {
    const auto appended = append_address(body, type, family, text);
    if (!appended) return tl::unexpected<Error>(appended.error());
  }
  if (!address.label.empty()) append_attribute(body, IFA_LABEL, address.label + '\0');
  append_attribute(body, IFA_FLAGS, bytes_of(static_cast<std::uint32_t>(flags)));
  if (address.valid != UINT32_MAX) {
    ifa_cacheinfo times{};
    times.ifa_valid = address.valid;
    times.ifa_prefered = address.preferred;
    append_attribute(body, IFA_CACHEINFO, bytes_of(times));
  }
  return body;
}

Result<std::string> encode_route(const Route& route) {
  if (route.outputs.size() != 1) {
    return fail(Errc::unsupported,
                fmt::format("routes with {} next hops are not supported", route.outputs.size()));
  }
  const int family = route.ipv6 ? AF_INET6 : AF_INET;
  rtmsg head{};
  head.rtm_family = static_cast<std::uint8_t>(family);
  head.rtm_table = static_cast<std::uint8_t>(route.table < 256 ? route.table : RT_TABLE_COMPAT);
  head.rtm_protocol = static_cast<std::uint8_t>(route.protocol);
  head.rtm_scope = static_cast<std::uint8_t>(route.scope);
  head.rtm_type = RTN_UNICAST;
  head.rtm_flags = route.onlink ? RTNH_F_ONLINK : 0U;
  std::string destination;
  if (route.destination != "default") {
    const auto slash = route.destination.find('/');
    destination = route.destination.substr(0, slash);
    const std::string host_length = route.ipv6 ? "128" : "32";
    const auto length = parse_unsigned(
        slash == std::string::npos ? host_length : route.destination.substr(slash + 1), 128);
    if (!length)
      return because(length.error(),
                     fmt::format("wrong destination '{}'", printable(route.destination)));
    head.rtm_dst_len = static_cast<std::uint8_t>(*length);
  }
  std::string body(bytes_of(head));
  auto appended = append_address(body, RTA_DST, family, destination);
  if (appended) appended = append_gateway(body, family, route.gateway);
  if (appended) appended = append_address(body, RTA_PREFSRC, family, route.source);
  if (!appended) return tl::unexpected<Error>(appended.error());
  append_attribute(body, RTA_OIF, bytes_of(static_cast<std::int32_t>(route.outputs.front())));
  append_attribute(body, RTA_TABLE, bytes_of(static_cast<std::uint32_t>(route.table)));
  if (route.metric != 0) append_attribute(body, RTA_PRIORITY, bytes_of(route.metric));
  return body;
}

}  // namespace manactl::os
