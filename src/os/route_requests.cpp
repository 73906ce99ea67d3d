// SPDX-License-Identifier: MIT

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <array>
#include <iterator>

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

template <class T>
void append_if_set(std::string& body, unsigned type, T value) {
  if (value != 0) append_attribute(body, type, bytes_of(value));
}

// Appends the attributes in `attributes` to `target`, with their flags. If `replace` returns true,
// it has appended other attributes instead of this one, or none.
template <class Replace>
void copy_attributes(std::string_view attributes, std::string& target, Replace replace) {
  for (auto rest = attributes; const auto attribute = next_attribute(rest);) {
    const auto whole = attributes.substr(0, attributes.size() - rest.size());
    if (!replace(*attribute)) target += whole;
    target.resize(netlink_aligned(target.size()));
    attributes = rest;
  }
}

// RTA_EXPIRES is in seconds, rta_expires in units of USER_HZ, which is 100.
void append_expiry(std::string& target, std::string_view cache_info) {
  const auto info = leading<rta_cacheinfo>(cache_info);
  if (!info || info->rta_expires <= 0) return;
  append_attribute(
      target, RTA_EXPIRES, bytes_of(static_cast<std::uint32_t>(info->rta_expires) / 100));
}

struct MultipathHop {
  rtnexthop head;
  std::string_view bytes;  // with the header and the attributes
};

// Removes the first next hop of RTA_MULTIPATH from `hops`; empty at the end or if it is malformed.
std::optional<MultipathHop> next_hop_of(std::string_view& hops) {
  const auto head = leading<rtnexthop>(hops);
  if (!head || head->rtnh_len < sizeof *head || head->rtnh_len > hops.size()) return std::nullopt;
  const MultipathHop hop{*head, hops.substr(0, head->rtnh_len)};
  hops = after(hops, head->rtnh_len);
  return hop;
}

// Flags of a next hop that a request may contain. The others are states.
constexpr unsigned kRequestFlags = unsigned{RTNH_F_ONLINK} | RTNH_F_PERVASIVE;

// Appends RTA_MULTIPATH with these outputs; 0 for those that are missing.
void append_hops(std::string& target, std::string_view hops, const std::vector<int>& outputs) {
  std::string changed;
  std::size_t number = 0;
  while (const auto hop = next_hop_of(hops)) {
    auto head = hop->head;
    head.rtnh_flags &= kRequestFlags;
    head.rtnh_ifindex = number < outputs.size() ? outputs[number] : 0;
    ++number;
    changed += bytes_of(head);
    changed += hop->bytes.substr(sizeof head);
    changed.resize(netlink_aligned(changed.size()));
  }
  append_attribute(target, RTA_MULTIPATH, changed);
}

// Sets the interface indexes of Route::request.
std::string with_outputs(const std::string& request, const std::vector<int>& outputs) {
  std::string body = request.substr(0, sizeof(rtmsg));
  copy_attributes(after(request, sizeof(rtmsg)), body, [&](const Attribute& attribute) {
    if (attribute.type == RTA_OIF && !outputs.empty()) {
      append_attribute(body, RTA_OIF, bytes_of(std::int32_t{outputs.front()}));
      return true;
    }
    if (attribute.type == RTA_MULTIPATH) append_hops(body, attribute.data, outputs);
    return attribute.type == RTA_MULTIPATH;
  });
  return body;
}

// The settings of a resilient group, without its state (NHA_RES_GROUP_UNBALANCED_TIME).
void append_resilience(std::string& target, std::string_view data) {
  std::string settings;
  copy_attributes(data, settings, [](const Attribute& attribute) {
    return attribute.type > NHA_RES_GROUP_UNBALANCED_TIMER;
  });
  append_attribute(target, unsigned{NHA_RES_GROUP} | NLA_F_NESTED, settings);
}

// Attributes of a next-hop object that can be copied. The kernel refuses a request that contains
// others, such as NHA_OP_FLAGS.
bool is_configuration(unsigned type) {
  constexpr unsigned kTypes[] = {NHA_ID,
                                 NHA_GROUP,
                                 NHA_GROUP_TYPE,
                                 NHA_BLACKHOLE,
                                 NHA_GATEWAY,
                                 NHA_ENCAP_TYPE,
                                 NHA_ENCAP,
                                 NHA_FDB};
  return std::ranges::find(kTypes, type) != std::end(kTypes);
}

}  // namespace

std::string request_of_route(std::string_view body) {
  auto head = leading<rtmsg>(body).value_or(rtmsg{});
  head.rtm_flags &= kRequestFlags;
  bool has_object = false;
  for (auto rest = after(body, sizeof head); const auto attribute = next_attribute(rest);) {
    has_object = has_object || attribute->type == RTA_NH_ID;
  }
  std::string request(bytes_of(head));
  copy_attributes(after(body, sizeof head), request, [&](const Attribute& attribute) {
    switch (attribute.type) {
      case RTA_CACHEINFO:
        append_expiry(request, attribute.data);
        return true;
      case RTA_GATEWAY:
      case RTA_VIA:
      case RTA_ENCAP:
      case RTA_ENCAP_TYPE:
        return has_object;  // The kernel copied it from the object.
      case RTA_OIF:
        if (!has_object) append_attribute(request, RTA_OIF, bytes_of(std::int32_t{0}));
        return true;
      case RTA_MULTIPATH:
        if (!has_object) append_hops(request, attribute.data, {});
        return true;
      default:
        return false;
    }
  });
  return request;
}

std::string without_encapsulation(std::string_view body) {
  const auto is_type = [](const Attribute& attribute) { return attribute.type == RTA_ENCAP_TYPE; };
  std::string plain(body.substr(0, sizeof(rtmsg)));
  copy_attributes(after(body, sizeof(rtmsg)), plain, [&](const Attribute& attribute) {
    if (attribute.type != RTA_MULTIPATH) return is_type(attribute);
    std::string hops;
    for (auto rest = attribute.data; const auto hop = next_hop_of(rest);) {
      std::string changed(bytes_of(hop->head));
      copy_attributes(hop->bytes.substr(sizeof hop->head), changed, is_type);
      const auto length = static_cast<decltype(rtnexthop::rtnh_len)>(changed.size());
      hops += changed.replace(0, sizeof length, bytes_of(length));  // rtnh_len is the first member
    }
    append_attribute(plain, RTA_MULTIPATH, hops);
    return true;
  });
  return plain;
}

std::string request_of_next_hop(std::string_view body) {
  auto head = leading<nhmsg>(body).value_or(nhmsg{});
  head.nh_flags &= RTNH_F_ONLINK;
  head.nh_scope = 0;
  std::string request(bytes_of(head));
  copy_attributes(after(body, sizeof head), request, [&](const Attribute& attribute) {
    if (attribute.type == NHA_OIF) append_attribute(request, NHA_OIF, bytes_of(std::int32_t{0}));
    if (attribute.type == NHA_RES_GROUP) append_resilience(request, attribute.data);
    return !is_configuration(attribute.type);
  });
  return request;
}

Result<std::string> encode_next_hop(const NextHop& hop) {
  std::string body = hop.request.substr(0, sizeof(nhmsg));
  copy_attributes(after(hop.request, sizeof(nhmsg)), body, [&](const Attribute& attribute) {
    if (attribute.type != NHA_OIF) return false;
    append_attribute(body, NHA_OIF, bytes_of(std::int32_t{hop.output}));
    return true;
  });
  return body;
}

Result<std::string> encode_one_hop(const Route& route, std::size_t hop) {
  auto whole = encode_route(route);
  if (!whole) return whole;
  std::string body = whole->substr(0, sizeof(rtmsg));
  copy_attributes(after(*whole, sizeof(rtmsg)), body, [&](const Attribute& attribute) {
    if (attribute.type != RTA_MULTIPATH) return false;
    auto hops = attribute.data;
    for (std::size_t i = 0; i < hop; ++i) (void)next_hop_of(hops);
    if (const auto own = next_hop_of(hops)) append_attribute(body, RTA_MULTIPATH, own->bytes);
    return true;
  });
  return body;
}

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
  append_if_set(body, IFA_RT_PRIORITY, address.metric);
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
  if (!route.request.empty()) return with_outputs(route.request, route.outputs);
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
  append_if_set(body, RTA_PRIORITY, route.metric);
  return body;
}

// RTM_F_FIB_MATCH: the kernel returns the route with all its next hops, not only the chosen one.
Result<std::string> encode_route_query(const RouteQuery& query) {
  const int family = family_of(query.destination);
  const unsigned bits = family == AF_INET ? 32 : 128;
  rtmsg head{};
  head.rtm_family = static_cast<std::uint8_t>(family);
  head.rtm_dst_len = static_cast<std::uint8_t>(bits);
  head.rtm_src_len = static_cast<std::uint8_t>(query.source.empty() ? 0 : bits);
  head.rtm_flags = RTM_F_FIB_MATCH;
  std::string body(bytes_of(head));
  for (const auto& [type, text] :
       {std::pair(RTA_DST, &query.destination), std::pair(RTA_SRC, &query.source)}) {
    const auto added = append_address(body, type, family, *text);
    if (!added) return tl::unexpected<Error>(added.error());
  }
  append_if_set(body, RTA_MARK, query.mark);
  append_if_set(body, RTA_OIF, query.bound_to);
  if (query.source_port != 0 && query.destination_port != 0) {
    append_attribute(body, RTA_IP_PROTO, bytes_of(std::uint8_t{IPPROTO_TCP}));
    append_attribute(body, RTA_SPORT, bytes_of(htons(query.source_port)));
    append_attribute(body, RTA_DPORT, bytes_of(htons(query.destination_port)));
  }
  return body;
}

}  // namespace manactl::os
