// SPDX-License-Identifier: MIT

#include <arpa/inet.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/text.h"
#include "os/attributes.h"
#include "os/files.h"
#include "os/interface_settings.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"
#include "os/owned.h"
#include "os/queueing.h"

namespace manactl::os {
namespace {

constexpr std::string_view kMac = "mac";
constexpr std::string_view kFlags = "flags";
constexpr std::string_view kToken = "ipv6-token";
constexpr std::string_view kAlternativeName = "altname/";
constexpr std::string_view kNeighbor = "neighbor/";
constexpr std::string_view kProxy = "proxy/";
constexpr std::string_view kForwarding = "fdb/";
constexpr std::string_view kMulticast = "multicast/";

struct NumberAttribute {
  std::string_view key;
  unsigned type;  // a u32 attribute of a link
};

constexpr NumberAttribute kNumberAttributes[] = {
    {"gso-max-size", IFLA_GSO_MAX_SIZE},
    {"gso-max-segs", IFLA_GSO_MAX_SEGS},
    {"gro-max-size", IFLA_GRO_MAX_SIZE},
    {"gso-ipv4-max-size", 63},  // IFLA_GSO_IPV4_MAX_SIZE, which older headers lack
    {"gro-ipv4-max-size", 64},  // IFLA_GRO_IPV4_MAX_SIZE
};

struct LinkFlag {
  std::string_view name;
  unsigned bit;
};

// The kernel reports promiscuity and allmulti only if ip(8) or SIOCSIFFLAGS set them
// (dev_get_flags).
constexpr LinkFlag kLinkFlags[] = {
    {"promisc", IFF_PROMISC},
    {"allmulti", IFF_ALLMULTI},
    {"noarp", IFF_NOARP},
    {"multicast", IFF_MULTICAST},
};

unsigned all_flags() {
  unsigned bits = 0;
  for (const auto& flag : kLinkFlags) bits |= flag.bit;
  return bits;
}

std::string text_of_flags(unsigned bits) {
  std::vector<std::string> names;
  for (const auto& flag : kLinkFlags) {
    if ((bits & flag.bit) != 0) names.emplace_back(flag.name);
  }
  return join(names, " ");
}

std::string text_of_ip(int family, std::string_view bytes) {
  char text[INET6_ADDRSTRLEN] = {};
  const std::size_t length = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  if (bytes.size() == length) inet_ntop(family, bytes.data(), text, sizeof(text));
  return text;
}

std::string text_of_mac(std::string_view bytes) {
  MacAddress mac;
  if (bytes.size() != mac.bytes.size()) return {};
  std::copy(bytes.begin(), bytes.end(), mac.bytes.begin());
  return mac.str();
}

std::optional<std::string> mac_bytes(std::string_view text) {
  const auto mac = MacAddress::parse(text);
  if (!mac) return std::nullopt;
  return std::string(mac->bytes.begin(), mac->bytes.end());
}

// The token in IFLA_AF_SPEC, which has an attribute for each family.
std::string token_in(std::string_view families) {
  while (const auto family = next_attribute(families)) {
    auto rest = family->type == AF_INET6 ? family->data : std::string_view();
    while (const auto attribute = next_attribute(rest)) {
      if (attribute->type == IFLA_INET6_TOKEN) return text_of_ip(AF_INET6, attribute->data);
    }
  }
  return {};
}

void read_link(std::string_view body, InterfaceSettings& target) {
  const auto link = decode_link(body);
  if (!link) return;
  target.emplace_back(kFlags, text_of_flags(link->flags));
  if (link->mac != MacAddress{}) target.emplace_back(kMac, link->mac.str());
  for (const auto& name : link->alternative_names) {
    target.emplace_back(std::string(kAlternativeName) + name, "");
  }
  auto rest = after(body, sizeof(ifinfomsg));
  while (const auto attribute = next_attribute(rest)) {
    const auto number =
        std::ranges::find(kNumberAttributes, attribute->type, &NumberAttribute::type);
    if (number != std::end(kNumberAttributes)) {
      target.emplace_back(number->key, std::to_string(attribute->u32().value_or(0)));
    }
    const bool has_token = attribute->type == IFLA_AF_SPEC;
    const auto token = has_token ? token_in(attribute->data) : std::string();
    if (!token.empty()) target.emplace_back(kToken, token);
  }
}

struct Neighbor {
  ndmsg head{};
  std::string destination, mac;  // bytes
  unsigned protocol = 0;
};

std::optional<Neighbor> decode_neighbor(std::string_view body) {
  const auto head = leading<ndmsg>(body);
  if (!head) return std::nullopt;
  Neighbor neighbor{*head, {}, {}, 0};
  auto rest = after(body, sizeof(ndmsg));
  while (const auto attribute = next_attribute(rest)) {
    if (attribute->type == NDA_DST) neighbor.destination = attribute->data;
    if (attribute->type == NDA_LLADDR) neighbor.mac = attribute->data;
    if (attribute->type == NDA_PROTOCOL) {
      neighbor.protocol = leading<std::uint8_t>(attribute->data).value_or(0);
    }
  }
  return neighbor;
}

// The neighbors of the interface in one of the kernel's tables: those of IP, the proxies
// (NTF_PROXY), or the forwarding database (AF_BRIDGE).
Result<std::vector<Neighbor>> neighbors_of(int index, int family, unsigned flags) {
  ndmsg head{};
  head.ndm_family = static_cast<std::uint8_t>(family);
  head.ndm_flags = static_cast<std::uint8_t>(flags);
  const auto messages = send_netlink_request(
      NETLINK_ROUTE, encode_request(RTM_GETNEIGH, NLM_F_REQUEST | NLM_F_DUMP, bytes_of(head)));
  if (!messages) return because(messages.error(), "cannot list the neighbors");
  std::vector<Neighbor> found;
  for (const auto& message : *messages) {
    auto neighbor = decode_neighbor(message.body);
    if (neighbor && neighbor->head.ndm_ifindex == index) found.push_back(std::move(*neighbor));
  }
  return found;
}

// "MAC flags N protocol N"; the MAC is "-" for a proxy.
std::string text_of_neighbor(const Neighbor& neighbor) {
  const auto mac = text_of_mac(neighbor.mac);
  return fmt::format("{} flags {} protocol {}",
                     mac.empty() ? "-" : mac,
                     neighbor.head.ndm_flags,
                     neighbor.protocol);
}

Result<> read_neighbors(int index, InterfaceSettings& target) {
  const auto permanent = neighbors_of(index, AF_UNSPEC, 0);
  const auto proxies = neighbors_of(index, AF_UNSPEC, NTF_PROXY);
  for (const auto* list : {&permanent, &proxies}) {
    if (!*list) return tl::unexpected<Error>(list->error());
    for (const auto& neighbor : **list) {
      const bool is_proxy = (neighbor.head.ndm_flags & NTF_PROXY) != 0;
      if (!is_proxy && neighbor.head.ndm_state != NUD_PERMANENT) continue;
      const auto address = text_of_ip(neighbor.head.ndm_family, neighbor.destination);
      if (address.empty()) continue;
      target.emplace_back(std::string(is_proxy ? kProxy : kNeighbor) + address,
                          text_of_neighbor(neighbor));
    }
  }
  return {};
}

// Unicast addresses that the interface accepts in addition to its own. The multicast addresses in
// this table do not show who added them.
Result<> read_forwarding(int index, InterfaceSettings& target) {
  const auto entries = neighbors_of(index, AF_BRIDGE, 0);
  if (!entries) return tl::unexpected<Error>(entries.error());
  for (const auto& entry : *entries) {
    const auto mac = MacAddress::parse(text_of_mac(entry.mac));
    const bool is_self = (entry.head.ndm_flags & NTF_SELF) != 0;
    if (!mac || mac->is_multicast() || !is_self) continue;
    target.emplace_back(std::string(kForwarding) + mac->str(), "");
  }
  return {};
}

// "4 eth1 1 1 01005e010203": the index, the name, how many users the address has, and 1 if
// SIOCADDMULTI (ip maddress) added it (dev_mc_seq_show in net/core/dev_addr_lists.c).
void read_multicast(int index, InterfaceSettings& target) {
  const auto files = open_files("/");
  const auto text = files ? (*files)->read("proc/net/dev_mcast") : Result<std::string>();
  if (!text) return;
  for (const auto line : split(*text, '\n')) {
    const auto parts = words(line);
    if (parts.size() != 5 || parts[0] != std::to_string(index) || parts[3] != "1") continue;
    const auto mac = from_hex(parts[4]).map(text_of_mac);
    if (mac && !mac->empty()) target.emplace_back(std::string(kMulticast) + *mac, "");
  }
}

tl::unexpected<Error> bad_setting(const std::string& key, const std::string& value) {
  return fail(Errc::invalid,
              fmt::format("'{}' with the value '{}' is not a setting of an interface",
                          printable(key),
                          printable(value)));
}

std::string nested(unsigned type, std::string_view content) {
  std::string bytes;
  append_attribute(bytes, type | NLA_F_NESTED, content);
  return bytes;
}

Result<> change_link(int index,
                     std::string_view attributes,
                     const std::string& doing,
                     unsigned message = RTM_NEWLINK) {
  ifinfomsg head{};
  head.ifi_index = index;
  return send_route_change(message, std::string(bytes_of(head)) + std::string(attributes), doing);
}

Result<> write_mac(int index, const std::string& value) {
  const auto bytes = mac_bytes(value);
  if (!bytes) return bad_setting(std::string(kMac), value);
  std::string attribute;
  append_attribute(attribute, IFLA_ADDRESS, *bytes);
  return change_link(index, attribute, "cannot set the MAC address to " + value);
}

Result<> write_flags(int index, const std::string& value) {
  ifinfomsg head{};
  head.ifi_index = index;
  head.ifi_change = all_flags();
  for (const auto word : words(value)) {
    const auto flag = std::ranges::find(kLinkFlags, word, &LinkFlag::name);
    if (flag == std::end(kLinkFlags)) return bad_setting(std::string(kFlags), value);
    head.ifi_flags |= flag->bit;
  }
  return send_route_change(
      RTM_NEWLINK, std::string(bytes_of(head)), "cannot set the flags of the interface");
}

Result<> write_token(int index, const std::string& value) {
  in6_addr token{};
  if (inet_pton(AF_INET6, value.c_str(), &token) != 1) {
    return bad_setting(std::string(kToken), value);
  }
  std::string attribute;
  append_attribute(attribute, IFLA_INET6_TOKEN, bytes_of(token));
  return change_link(
      index, nested(IFLA_AF_SPEC, nested(AF_INET6, attribute)), "cannot set the IPv6 token");
}

Result<> write_name(int index, const std::string& name) {
  std::string attribute;
  append_attribute(attribute, IFLA_ALT_IFNAME, name + '\0');
  return change_link(index,
                     nested(IFLA_PROP_LIST, attribute),
                     fmt::format("cannot add the alternative name '{}'", printable(name)),
                     RTM_NEWLINKPROP);
}

Result<> add_neighbor(const Neighbor& neighbor, const std::string& doing) {
  std::string body(bytes_of(neighbor.head));
  if (!neighbor.destination.empty()) append_attribute(body, NDA_DST, neighbor.destination);
  if (!neighbor.mac.empty()) append_attribute(body, NDA_LLADDR, neighbor.mac);
  const auto protocol = static_cast<std::uint8_t>(neighbor.protocol);
  if (protocol != 0) append_attribute(body, NDA_PROTOCOL, bytes_of(protocol));
  return send_route_change(RTM_NEWNEIGH, body, doing, NLM_F_CREATE | NLM_F_REPLACE);
}

Result<> write_neighbor(int index,
                        const std::string& key,
                        const std::string& address,
                        const std::string& value) {
  const auto parts = words(value);
  if (parts.size() != 5) return bad_setting(key, value);
  const auto mac = mac_bytes(parts[0]);
  const auto flags = parse_unsigned(parts[2], UINT8_MAX);
  const auto protocol = parse_unsigned(parts[4], UINT8_MAX);
  const int family = address.find(':') == std::string::npos ? AF_INET : AF_INET6;
  in6_addr bytes{};
  const bool is_address = inet_pton(family, address.c_str(), &bytes) == 1;
  if ((!mac && parts[0] != "-") || !flags || !protocol || !is_address) {
    return bad_setting(key, value);
  }
  Neighbor neighbor;
  neighbor.head.ndm_family = static_cast<std::uint8_t>(family);
  neighbor.head.ndm_ifindex = index;
  neighbor.head.ndm_state = NUD_PERMANENT;
  neighbor.head.ndm_flags = static_cast<std::uint8_t>(*flags);
  neighbor.destination =
      bytes_of(bytes).substr(0, family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr));
  neighbor.mac = mac.value_or("");
  neighbor.protocol = static_cast<unsigned>(*protocol);
  return add_neighbor(neighbor, "cannot add the neighbor " + address);
}

Result<> write_forwarding(int index, const std::string& mac) {
  const auto bytes = mac_bytes(mac);
  if (!bytes) return bad_setting(std::string(kForwarding) + mac, "");
  Neighbor neighbor;
  neighbor.head.ndm_family = AF_BRIDGE;
  neighbor.head.ndm_ifindex = index;
  neighbor.head.ndm_state = NUD_PERMANENT;
  neighbor.head.ndm_flags = NTF_SELF;
  neighbor.mac = *bytes;
  return add_neighbor(neighbor, "cannot accept packets for " + mac);
}

Result<> write_multicast(int index, const std::string& mac) {
  const auto bytes = mac_bytes(mac);
  if (!bytes) return bad_setting(std::string(kMulticast) + mac, "");
  // The unit of --persist may open no other sockets. The ioctl works on any socket.
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  request.ifr_ifindex = index;
  const bool named = socket && ioctl(socket.get(), SIOCGIFNAME, &request) == 0;
  request.ifr_hwaddr = {};
  request.ifr_hwaddr.sa_family = AF_UNSPEC;
  std::memcpy(request.ifr_hwaddr.sa_data, bytes->data(), bytes->size());
  if (named && ioctl(socket.get(), SIOCADDMULTI, &request) == 0) return {};
  return fail_errno(errno, "cannot add the multicast address " + mac);
}

}  // namespace

Result<InterfaceSettings> read_link_settings(int index) {
  ifinfomsg head{};
  head.ifi_index = index;
  const auto reply = send_netlink_request(
      NETLINK_ROUTE, encode_request(RTM_GETLINK, NLM_F_REQUEST | NLM_F_ACK, bytes_of(head)));
  if (!reply) return because(reply.error(), "cannot read the settings of the interface");
  InterfaceSettings settings;
  for (const auto& message : *reply) read_link(message.body, settings);
  auto neighbors = read_neighbors(index, settings);
  if (neighbors) neighbors = read_forwarding(index, settings);
  if (neighbors) neighbors = read_queueing_setting(index, settings);
  if (!neighbors) return tl::unexpected<Error>(neighbors.error());
  read_multicast(index, settings);
  return settings;
}

Result<> write_link_setting(int index, const std::string& key, const std::string& value) {
  if (key == kMac) return write_mac(index, value);
  if (key == kFlags) return write_flags(index, value);
  if (key == kToken) return write_token(index, value);
  if (key == kQueueingSetting) return write_queueing_setting(index, value);
  const auto attribute = std::ranges::find(kNumberAttributes, key, &NumberAttribute::key);
  if (attribute != std::end(kNumberAttributes)) {
    const auto number = parse_unsigned(value, UINT32_MAX);
    if (!number) return bad_setting(key, value);
    std::string bytes;
    append_attribute(bytes, attribute->type, bytes_of(static_cast<std::uint32_t>(*number)));
    return change_link(index, bytes, fmt::format("cannot set {} to {}", key, *number));
  }
  const auto name_after = [&](std::string_view prefix) { return key.substr(prefix.size()); };
  if (key.starts_with(kAlternativeName)) return write_name(index, name_after(kAlternativeName));
  if (key.starts_with(kNeighbor)) return write_neighbor(index, key, name_after(kNeighbor), value);
  if (key.starts_with(kProxy)) return write_neighbor(index, key, name_after(kProxy), value);
  if (key.starts_with(kForwarding)) return write_forwarding(index, name_after(kForwarding));
  if (key.starts_with(kMulticast)) return write_multicast(index, name_after(kMulticast));
  return bad_setting(key, value);
}

}  // namespace manactl::os
