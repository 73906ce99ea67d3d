// SPDX-License-Identifier: MIT

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/if_tunnel.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <array>

#include "os/attributes.h"
#include "os/netlink_messages.h"

namespace manactl::os {
namespace {

std::string operstate_name(std::string_view data) {
  // IF_OPER_* (linux/if.h) in the spelling of sysfs.
  constexpr std::array<std::string_view, 7> kNames = {
      "unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"};
  const auto state = leading<std::uint8_t>(data);
  if (!state || *state >= kNames.size()) return "unknown";
  return std::string(kNames[*state]);
}

// Returns the text of an address; empty if `data` is too short for an address of this family.
std::string address_text(int family, std::string_view data) {
  const std::size_t length = family == AF_INET ? 4 : 16;
  if (data.size() < length) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(family, data.data(), text.data(), text.size());
  return text.data();
}

void read_alternative_names(std::string_view properties, Link& link) {
  while (const auto property = next_attribute(properties)) {
    if (property->type == IFLA_ALT_IFNAME) link.alternative_names.push_back(property->text());
  }
}

// Kinds of interfaces that send through a given interface, and the attribute with its index. The
// kernel removes a VXLAN with this interface (vxlan_handle_lowerdev_unregister); the others keep an
// index that no longer exists.
struct LowerAttribute {
  std::string_view kind;
  unsigned type;
};

constexpr LowerAttribute kLowerAttributes[] = {
    {"vxlan", IFLA_VXLAN_LINK},
    {"gre", IFLA_GRE_LINK},
    {"gretap", IFLA_GRE_LINK},
    {"erspan", IFLA_GRE_LINK},
    {"ip6gre", IFLA_GRE_LINK},
    {"ip6gretap", IFLA_GRE_LINK},
    {"ip6erspan", IFLA_GRE_LINK},
    {"ipip", IFLA_IPTUN_LINK},
    {"sit", IFLA_IPTUN_LINK},
    {"ip6tnl", IFLA_IPTUN_LINK},
    {"vti", IFLA_VTI_LINK},
    {"vti6", IFLA_VTI_LINK},
    {"xfrm", IFLA_XFRM_LINK},
};

std::optional<int> as_index(const Attribute& attribute) {
  const auto index = leading<std::int32_t>(attribute.data);
  if (!index || *index <= 0) return std::nullopt;
  return index;
}

// Returns the lower interface that the data of this kind names; empty if there is none.
std::optional<int> lower_in(std::string_view data, std::string_view kind) {
  for (const auto& [name, type] : kLowerAttributes) {
    auto rest = name == kind ? data : std::string_view();
    while (const auto attribute = next_attribute(rest)) {
      if (attribute->type == type) return as_index(*attribute);
    }
  }
  return std::nullopt;
}

void read_kind(std::string_view info, Link& link) {
  std::string_view data;
  while (const auto part = next_attribute(info)) {
    if (part->type == IFLA_INFO_KIND) link.kind = part->text();
    if (part->type == IFLA_INFO_DATA) data = part->data;
  }
  if (!link.lower) link.lower = lower_in(data, link.kind);
}

void read_counters(std::string_view data, Link& link) {
  struct Leading {
    std::uint64_t rx_packets, tx_packets;
  };

  if (const auto stats = leading<Leading>(data)) {
    link.rx_packets = stats->rx_packets;
    link.tx_packets = stats->tx_packets;
  }
}

void read_mac(std::string_view data, Link& link) {
  if (data.size() != link.mac.bytes.size()) return;  // 20 bytes with InfiniBand, 4 with tunnels
  std::copy(data.begin(), data.end(), link.mac.bytes.begin());
}

void read_link_attribute(const Attribute& attribute, Link& link) {
  switch (attribute.type) {
    case IFLA_ADDRESS:
      return read_mac(attribute.data, link);
    case IFLA_IFNAME:
      link.name = attribute.text();
      return;
    case IFLA_MTU:
      link.mtu = attribute.u32().value_or(0);
      return;
    case IFLA_LINK:
      if (const auto index = as_index(attribute)) link.lower = index;
      return;
    case IFLA_MASTER:
      link.master = as_index(attribute);
      return;
    case IFLA_OPERSTATE:
      link.operstate = operstate_name(attribute.data);
      return;
    case IFLA_LINKINFO:
      return read_kind(attribute.data, link);
    case IFLA_STATS64:
      return read_counters(attribute.data, link);
    case IFLA_PROP_LIST:
      return read_alternative_names(attribute.data, link);
    case IFLA_PARENT_DEV_NAME:
      link.device = attribute.text();
      return;
    default:
      return;
  }
}

// Reads the next hops of a multipath route up to the end or the first malformed one.
void read_next_hops(std::string_view hops, int family, Route& route) {
  for (;;) {
    const auto hop = leading<rtnexthop>(hops);
    if (!hop || hop->rtnh_len < sizeof(rtnexthop) || hop->rtnh_len > hops.size()) return;
    if (hop->rtnh_ifindex > 0) route.outputs.push_back(hop->rtnh_ifindex);
    auto attributes = hops.substr(sizeof(rtnexthop), hop->rtnh_len - sizeof(rtnexthop));
    while (const auto attribute = next_attribute(attributes)) {
      const bool is_gateway = attribute->type == RTA_GATEWAY && route.gateway.empty();
      if (is_gateway) route.gateway = address_text(family, attribute->data);
    }
    hops = after(hops, hop->rtnh_len);
  }
}

void read_address_attribute(const Attribute& attribute,
                            int family,
                            Address& address,
                            std::string& other) {
  switch (attribute.type) {
    case IFA_LOCAL:
      address.text = address_text(family, attribute.data);
      return;
    case IFA_ADDRESS:
      other = address_text(family, attribute.data);
      return;
    case IFA_BROADCAST:
      address.broadcast = address_text(family, attribute.data);
      return;
    case IFA_LABEL:
      address.label = attribute.text();
      return;
    case IFA_FLAGS:  // 32 bits; ifa_flags has only 8
      address.flags = attribute.u32().value_or(address.flags);
      return;
    case IFA_RT_PRIORITY:
      address.metric = attribute.u32().value_or(0);
      return;
    case IFA_CACHEINFO:
      if (const auto times = leading<ifa_cacheinfo>(attribute.data)) {
        address.valid = times->ifa_valid;
        address.preferred = times->ifa_prefered;
      }
      return;
    default:
      return;
  }
}

std::string destination_text(const rtmsg& head, std::string_view data) {
  const auto text = address_text(head.rtm_family, data);
  if (head.rtm_dst_len == 0 || text.empty()) return "default";
  return fmt::format("{}/{}", text, head.rtm_dst_len);
}

std::string via_text(std::string_view data) {
  const auto family = leading<std::uint16_t>(data);
  if (!family || (*family != AF_INET && *family != AF_INET6)) return {};
  return address_text(*family, data.substr(sizeof(*family)));
}

void read_route_attribute(const Attribute& attribute, const rtmsg& head, Route& route) {
  switch (attribute.type) {
    case RTA_DST:
      route.destination = destination_text(head, attribute.data);
      return;
    case RTA_OIF:
      if (const auto index = as_index(attribute)) route.outputs.push_back(*index);
      return;
    case RTA_GATEWAY:
      route.gateway = address_text(head.rtm_family, attribute.data);
      return;
    case RTA_VIA:  // an IPv4 route with an IPv6 gateway: u16 family, then the address
      route.gateway = via_text(attribute.data);
      return;
    case RTA_PREFSRC:
      route.source = address_text(head.rtm_family, attribute.data);
      return;
    case RTA_PRIORITY:
      route.metric = attribute.u32().value_or(0);
      return;
    case RTA_TABLE:  // 32 bits; rtm_table has only 8
      route.table = attribute.u32().value_or(route.table);
      return;
    case RTA_NH_ID:
      route.next_hop_id = attribute.u32().value_or(0);
      return;
    case RTA_MULTIPATH:
      return read_next_hops(attribute.data, head.rtm_family, route);
    default:
      return;
  }
}

// Whether members of Route describe this attribute, or its value is the default.
bool is_described(const Attribute& attribute) {
  constexpr std::uint8_t kMediumPreference = 0;  // ICMPV6_ROUTER_PREF_MEDIUM
  switch (attribute.type) {
    case RTA_DST:
    case RTA_OIF:
    case RTA_GATEWAY:
    case RTA_VIA:
    case RTA_PREFSRC:
    case RTA_PRIORITY:
    case RTA_TABLE:
      return true;
    case RTA_PREF:
      return leading<std::uint8_t>(attribute.data) == kMediumPreference;
    case RTA_CACHEINFO: {
      const auto info = leading<rta_cacheinfo>(attribute.data);
      return !info || info->rta_expires == 0;
    }
    default:
      return false;
  }
}

}  // namespace

std::optional<Link> decode_link(std::string_view body) {
  const auto head = leading<ifinfomsg>(body);
  if (!head) return std::nullopt;
  Link link;
  link.index = head->ifi_index;
  link.flags = head->ifi_flags;
  link.operstate = "unknown";
  std::optional<std::int32_t> nsid;
  auto attributes = after(body, sizeof(ifinfomsg));
  while (const auto attribute = next_attribute(attributes)) {
    read_link_attribute(*attribute, link);
    if (attribute->type == IFLA_LINK_NETNSID) nsid = leading<std::int32_t>(attribute->data);
  }
  // The peer of a veth is not a lower link.
  if (link.kind == "veth" || (!nsid && link.lower == link.index)) link.lower.reset();
  if (nsid && link.lower) link.foreign_lower = ForeignLower{*link.lower, *nsid};
  if (nsid) link.lower.reset();
  if (link.index <= 0 || link.name.empty()) return std::nullopt;
  return link;
}

std::optional<Address> decode_address(std::string_view body) {
  const auto head = leading<ifaddrmsg>(body);
  if (!head || (head->ifa_family != AF_INET && head->ifa_family != AF_INET6)) return std::nullopt;
  Address address;
  address.index = static_cast<int>(head->ifa_index);
  address.prefix_length = head->ifa_prefixlen;
  address.scope = head->ifa_scope;
  address.flags = head->ifa_flags;
  std::string other;
  auto attributes = after(body, sizeof(ifaddrmsg));
  while (const auto attribute = next_attribute(attributes)) {
    read_address_attribute(*attribute, head->ifa_family, address, other);
  }
  // On a point-to-point link, IFA_LOCAL is the local address and IFA_ADDRESS the peer.
  if (address.text.empty()) {
    address.text = other;
  } else if (!other.empty() && other != address.text) {
    address.peer = other;
  }
  if (address.text.empty()) return std::nullopt;
  return address;
}

std::optional<Route> decode_route(std::string_view body) {
  const auto head = leading<rtmsg>(body);
  if (!head || (head->rtm_family != AF_INET && head->rtm_family != AF_INET6)) return std::nullopt;
  const bool cached = (head->rtm_flags & RTM_F_CLONED) != 0;
  const bool unicast = head->rtm_type == RTN_UNICAST;
  // The kernel adds routes for its addresses by itself. Other types, such as RTN_BLACKHOLE, have no
  // interface.
  const bool added_by_others =
      head->rtm_protocol > RTPROT_KERNEL && head->rtm_type <= RTN_MULTICAST;
  if (cached || (!unicast && !added_by_others)) return std::nullopt;
  Route route;
  route.destination = "default";
  route.table = head->rtm_table;
  route.protocol = head->rtm_protocol;
  route.scope = head->rtm_scope;
  route.onlink = (head->rtm_flags & RTNH_F_ONLINK) != 0;
  route.ipv6 = head->rtm_family == AF_INET6;
  route.unicast = unicast;
  auto attributes = after(body, sizeof(rtmsg));
  bool described = unicast && head->rtm_tos == 0 && head->rtm_src_len == 0;
  while (const auto attribute = next_attribute(attributes)) {
    read_route_attribute(*attribute, *head, route);
    described = described && is_described(*attribute);
  }
  if (!described) route.request = request_of_route(body);
  // A missing or truncated destination must not be mistaken for the default route.
  if (head->rtm_dst_len != 0 && route.destination == "default") return std::nullopt;
  return route;
}

bool is_local_route(std::string_view body) {
  const auto head = leading<rtmsg>(body);
  return head && head->rtm_type == RTN_LOCAL;
}

}  // namespace manactl::os
