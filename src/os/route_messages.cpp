// SPDX-License-Identifier: MIT

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/if_tunnel.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/route.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "os/attributes.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"
#include "os/owned.h"

namespace manactl::os {
namespace {

using Message = Owned<nl_msg, nlmsg_free>;
using Object = Owned<nl_object, nl_object_put>;
using RouteObject = Owned<rtnl_route, rtnl_route_put>;

// Parses the message about a link or an address; empty if it is malformed. The caches of
// libnl-route-3 are not used: a message that the library does not understand ends its dump, and no
// cache keeps the attributes that the library does not know.
Object parse(unsigned type, std::string_view body) {
  auto bytes = encode_request(type, 0, body);
  const Message message(nlmsg_convert(reinterpret_cast<nlmsghdr*>(bytes.data())));
  Object found;
  if (!message) return found;
  nlmsg_set_proto(message.get(), NETLINK_ROUTE);
  const auto keep = [](nl_object* object, void* result) {
    nl_object_get(object);
    static_cast<Object*>(result)->reset(object);
  };
  nl_msg_parse(message.get(), keep, &found);
  return found;
}

// The message about a link without IFLA_LINKINFO. libnl-route-3 rejects a link if it does not
// understand the details of its kind.
std::string without_details(std::string_view body) {
  std::string plain(body.substr(0, sizeof(ifinfomsg)));
  for (auto rest = after(body, sizeof(ifinfomsg)); const auto attribute = next_attribute(rest);) {
    if (attribute->type == IFLA_LINKINFO) continue;
    append_attribute(plain, attribute->type, attribute->data);
  }
  return plain;
}

RouteObject parse_route(std::string_view body) {
  auto bytes = encode_request(RTM_NEWROUTE, 0, body);
  rtnl_route* route = nullptr;
  rtnl_route_parse(reinterpret_cast<nlmsghdr*>(bytes.data()), &route);
  return RouteObject(route);
}

std::string operstate_name(unsigned char state) {
  std::array<char, 32> name{};
  return rtnl_link_operstate2str(state, name.data(), name.size());
}

// Returns the text of an IP address; empty for null and for other addresses.
std::string address_text(const nl_addr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = address != nullptr ? nl_addr_get_family(address) : AF_UNSPEC;
  const std::size_t length = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  if (address != nullptr && nl_addr_get_len(address) == length) {
    inet_ntop(family, nl_addr_get_binary_addr(address), text.data(), text.size());
  }
  return text.data();
}

bool is_ip(int family) {
  return family == AF_INET || family == AF_INET6;
}

std::optional<int> as_index(int index) {
  return index > 0 ? std::optional(index) : std::nullopt;
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

// Returns the lower interface that the data of this kind names; empty if there is none.
std::optional<int> lower_in(std::string_view data, std::string_view kind) {
  for (const auto& [name, type] : kLowerAttributes) {
    auto rest = name == kind ? data : std::string_view();
    while (const auto attribute = next_attribute(rest)) {
      if (attribute->type == type) return as_index(static_cast<int>(attribute->u32().value_or(0)));
    }
  }
  return std::nullopt;
}

// Reads what libnl-route-3 3.7 does not: the names, the device, the kind of a link whose details it
// does not understand, and for kinds such as erspan the lower interface.
void read_other_attributes(std::string_view attributes, Link& link) {
  while (const auto attribute = next_attribute(attributes)) {
    if (attribute->type == IFLA_PROP_LIST) read_alternative_names(attribute->data, link);
    if (attribute->type == IFLA_PARENT_DEV_NAME) link.device = attribute->text();
    auto info = attribute->type == IFLA_LINKINFO ? attribute->data : std::string_view();
    while (const auto part = next_attribute(info)) {
      if (part->type == IFLA_INFO_KIND) link.kind = part->text();
      const bool has_lower = part->type == IFLA_INFO_DATA && !link.lower;
      if (has_lower) link.lower = lower_in(part->data, link.kind);
    }
  }
}

MacAddress mac_of(rtnl_link* link) {
  MacAddress mac;
  const auto* address = rtnl_link_get_addr(link);
  // The length is 20 with InfiniBand and 4 with tunnels.
  if (address != nullptr && nl_addr_get_len(address) == mac.bytes.size()) {
    std::memcpy(mac.bytes.data(), nl_addr_get_binary_addr(address), mac.bytes.size());
  }
  return mac;
}

void read_next_hops(rtnl_route* from, Route& route) {
  const auto read = [](rtnl_nexthop* hop, void* target) {
    auto& to = *static_cast<Route*>(target);
    const int index = rtnl_route_nh_get_ifindex(hop);
    if (index > 0) to.outputs.push_back(index);
    if (to.gateway.empty()) to.gateway = address_text(rtnl_route_nh_get_gateway(hop));
    if (to.gateway.empty()) to.gateway = address_text(rtnl_route_nh_get_via(hop));
  };
  rtnl_route_foreach_nexthop(from, read, &route);
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
  auto object = parse(RTM_NEWLINK, body);
  if (!object) object = parse(RTM_NEWLINK, without_details(body));
  auto* from = reinterpret_cast<rtnl_link*>(object.get());
  if (from == nullptr) return std::nullopt;
  Link link;
  link.index = rtnl_link_get_ifindex(from);
  link.name = rtnl_link_get_name(from);
  link.flags = rtnl_link_get_flags(from);
  link.operstate = operstate_name(rtnl_link_get_operstate(from));
  link.mtu = rtnl_link_get_mtu(from);
  link.mac = mac_of(from);
  link.master = as_index(rtnl_link_get_master(from));
  link.lower = as_index(rtnl_link_get_link(from));
  link.rx_packets = rtnl_link_get_stat(from, RTNL_LINK_RX_PACKETS);
  link.tx_packets = rtnl_link_get_stat(from, RTNL_LINK_TX_PACKETS);
  link.drops = rtnl_link_get_stat(from, RTNL_LINK_RX_DROPPED) +
               rtnl_link_get_stat(from, RTNL_LINK_TX_DROPPED);
  link.missed = rtnl_link_get_stat(from, RTNL_LINK_RX_MISSED_ERR);
  read_other_attributes(after(body, sizeof(ifinfomsg)), link);
  std::int32_t nsid = 0;
  const bool is_foreign = rtnl_link_get_link_netnsid(from, &nsid) == 0;
  // The peer of a veth is not a lower link.
  if (link.kind == "veth" || (!is_foreign && link.lower == link.index)) link.lower.reset();
  if (is_foreign && link.lower) link.foreign_lower = ForeignLower{*link.lower, nsid};
  if (is_foreign) link.lower.reset();
  if (link.index <= 0 || link.name.empty()) return std::nullopt;
  return link;
}

std::optional<Address> decode_address(std::string_view body) {
  const auto object = parse(RTM_NEWADDR, body);
  auto* from = reinterpret_cast<rtnl_addr*>(object.get());
  if (from == nullptr) return std::nullopt;
  Address address;
  address.index = rtnl_addr_get_ifindex(from);
  address.text = address_text(rtnl_addr_get_local(from));
  address.prefix_length = static_cast<unsigned>(rtnl_addr_get_prefixlen(from));
  address.scope = static_cast<unsigned>(rtnl_addr_get_scope(from));
  address.flags = rtnl_addr_get_flags(from);
  address.broadcast = address_text(rtnl_addr_get_broadcast(from));
  address.peer = address_text(rtnl_addr_get_peer(from));
  if (const auto* label = rtnl_addr_get_label(from)) address.label = label;
  address.valid = rtnl_addr_get_valid_lifetime(from);
  address.preferred = rtnl_addr_get_preferred_lifetime(from);
  // libnl-route-3 3.7 does not read the metric.
  for (auto rest = after(body, sizeof(ifaddrmsg)); const auto attribute = next_attribute(rest);) {
    if (attribute->type == IFA_RT_PRIORITY) address.metric = attribute->u32().value_or(0);
  }
  if (address.text.empty()) return std::nullopt;
  return address;
}

std::optional<Route> decode_route(std::string_view body) {
  auto object = parse_route(body);
  if (!object) object = parse_route(without_encapsulation(body));
  if (!object) return std::nullopt;
  auto* from = object.get();
  const bool cached = (rtnl_route_get_flags(from) & RTM_F_CLONED) != 0;
  const bool unicast = rtnl_route_get_type(from) == RTN_UNICAST;
  // The kernel adds routes for its addresses by itself. Other types, such as RTN_BLACKHOLE, have no
  // interface.
  const bool added_by_others =
      rtnl_route_get_protocol(from) > RTPROT_KERNEL && rtnl_route_get_type(from) <= RTN_MULTICAST;
  if (!is_ip(rtnl_route_get_family(from)) || cached || (!unicast && !added_by_others))
    return std::nullopt;
  auto* destination = rtnl_route_get_dst(from);
  const auto text = address_text(destination);
  const auto length = nl_addr_get_prefixlen(destination);
  // A missing destination must not be mistaken for the default route.
  if (length != 0 && text.empty()) return std::nullopt;
  Route route;
  route.destination = length == 0 ? "default" : fmt::format("{}/{}", text, length);
  route.table = rtnl_route_get_table(from);
  route.metric = rtnl_route_get_priority(from);
  route.protocol = rtnl_route_get_protocol(from);
  route.scope = rtnl_route_get_scope(from);
  route.source = address_text(rtnl_route_get_pref_src(from));
  route.onlink = (rtnl_route_get_flags(from) & RTNH_F_ONLINK) != 0;
  route.ipv6 = rtnl_route_get_family(from) == AF_INET6;
  route.unicast = unicast;
  read_next_hops(from, route);
  bool described = unicast && rtnl_route_get_tos(from) == 0 && rtnl_route_get_src(from) == nullptr;
  for (auto rest = after(body, sizeof(rtmsg)); const auto attribute = next_attribute(rest);) {
    if (attribute->type == RTA_NH_ID) route.next_hop_id = attribute->u32().value_or(0);
    described = described && is_described(*attribute);
  }
  if (!described) route.request = request_of_route(body);
  return route;
}

bool is_any(std::string_view /*body*/) {
  return true;
}

bool is_ip_address(std::string_view body) {
  const auto head = leading<ifaddrmsg>(body);
  if (!head || !is_ip(head->ifa_family)) return false;
  // The kernel omits the address 0.0.0.0.
  for (auto rest = after(body, sizeof *head); const auto attribute = next_attribute(rest);) {
    if (attribute->type == IFA_LOCAL || attribute->type == IFA_ADDRESS) return true;
  }
  return false;
}

bool is_unicast_route(std::string_view body) {
  const auto head = leading<rtmsg>(body);
  return head && is_ip(head->rtm_family) && head->rtm_type == RTN_UNICAST &&
         (head->rtm_flags & RTM_F_CLONED) == 0;
}

bool is_local_route(std::string_view body) {
  const auto head = leading<rtmsg>(body);
  return head && head->rtm_type == RTN_LOCAL;
}

}  // namespace manactl::os
