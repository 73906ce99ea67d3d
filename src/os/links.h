// SPDX-License-Identifier: MIT
//
// Interfaces, addresses and routes of this network namespace through rtnetlink (rtnetlink(7),
// linux/if_link.h). netlink_messages.h converts the messages.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "os/interface_settings.h"

namespace manactl::os {

// The lower interface of a link whose lower interface is in another network namespace.
struct ForeignLower {
  int index = 0;  // in that namespace
  int nsid = 0;   // IFLA_LINK_NETNSID: the id of that namespace; -1: it has none here
};

struct Link {
  int index = 0;
  std::string name;
  std::vector<std::string> alternative_names;
  unsigned flags = 0;     // IFF_*, linux/if.h
  std::string operstate;  // "up", "down", "lowerlayerdown", ...
  unsigned mtu = 0;
  MacAddress mac;             // zero if the link has no address of 6 bytes
  std::optional<int> master;  // IFLA_MASTER
  // The interface below a VLAN or another virtual interface: IFLA_LINK, else the attribute of the
  // kind, such as IFLA_VXLAN_LINK. Empty if it is in another network namespace.
  std::optional<int> lower;
  std::string kind;  // IFLA_INFO_KIND: "bond", "bridge", "vlan", "veth"; empty for hardware
  std::uint64_t rx_packets = 0, tx_packets = 0;  // IFLA_STATS64
  std::optional<ForeignLower> foreign_lower = {};
  // IFLA_PARENT_DEV_NAME: a PCI address or a VMBus id. Empty before Linux 5.14, and for virtual
  // interfaces.
  std::string device = {};
  std::uint64_t drops = 0;   // rx_dropped and tx_dropped of IFLA_STATS64
  std::uint64_t missed = 0;  // rx_missed_errors of IFLA_STATS64

  bool is_up() const;       // IFF_UP: administratively up
  bool is_running() const;  // IFF_LOWER_UP: carrier
};

struct Address {
  int index = 0;     // interface
  std::string text;  // "10.0.0.4", "fe80::1"
  unsigned prefix_length = 0;
  unsigned scope = 0;  // RT_SCOPE_*: 0 is global, 253 is link
  unsigned flags = 0;  // IFA_F_*, linux/if_addr.h
  std::string broadcast = {};
  std::string peer = {};   // the other end of a point-to-point link
  std::string label = {};  // IPv4 only
  std::uint32_t valid = UINT32_MAX, preferred = UINT32_MAX;  // seconds; UINT32_MAX: no limit
  std::uint32_t metric = 0;  // of the connected route; 0: the default of the kernel

  // False with IFA_F_NOPREFIXROUTE: the kernel adds no connected route.
  bool has_connected_route() const;
  bool is_temporary() const;  // an IPv6 address with which the kernel hides the MAC address
};

struct Route {
  std::string destination;   // "default", "10.0.0.0/24"
  std::string gateway;       // empty if directly connected
  std::vector<int> outputs;  // interface index of each next hop; empty if it cannot be determined
  unsigned table = 0;        // 254 is the main table
  std::uint32_t metric = 0;
  unsigned protocol = 0;    // RTPROT_*: 2 is RTPROT_KERNEL
  unsigned scope = 0;       // RT_SCOPE_*
  std::string source = {};  // preferred source address
  bool onlink = false;      // RTNH_F_ONLINK
  bool ipv6 = false;
  bool unicast =
      true;  // false: local, multicast, ..., and neither the kernel nor a router added it
  std::uint32_t next_hop_id = 0;  // of a next-hop object (ip-nexthop(8)); 0: none

  bool is_of_kernel() const;  // RTPROT_KERNEL
  bool is_of_router() const;  // RTPROT_RA or RTPROT_REDIRECT
  bool is_in_local_table() const;

  // If the other members describe only a part of the route (metrics, TOS, source prefix, several
  // next hops, encapsulation, ...): the body of the RTM_NEWROUTE request that adds it, in which
  // each interface index is 0. Otherwise empty.
  std::string request = {};
};

// A next-hop object or a group of them (ip-nexthop(8)).
struct NextHop {
  std::uint32_t id = 0;
  int output = 0;                    // 0 for groups and blackholes
  std::vector<std::uint32_t> group;  // the ids of its members
  std::string request = {};          // body of RTM_NEWNEXTHOP; the interface index is 0
};

// The packets for which find_outputs() looks up the route. Addresses have no scope id.
struct RouteQuery {
  std::string destination;
  std::string source = {};  // empty: any
  std::uint32_t mark = 0;   // the firewall mark that ip-rule(8) compares
  int bound_to = 0;         // index of the interface to which the socket is bound; 0: none
  std::uint16_t source_port = 0, destination_port = 0;  // TCP; 0: unknown
};

// An interface of another network namespace that is stacked on an interface of this one.
struct ForeignUpper {
  Link link;          // `lower` is an index of this namespace
  std::string where;  // "network namespace /run/netns/blue"
};

struct ForeignUppers {
  std::vector<ForeignUpper> links;
  std::vector<std::string> unsearched;  // namespaces that were not searched, with the reason
};

class Links {
 public:
  virtual ~Links() = default;
  virtual Result<std::vector<Link>> links() const = 0;  // ordered by index
  virtual Result<std::vector<Address>> addresses() const = 0;
  virtual Result<std::vector<Route>> routes() const = 0;

  // Errc::unsupported before Linux 5.3. By default none, because a captured system has no record of
  // them.
  virtual Result<std::vector<NextHop>> next_hops() const;

  // The indexes of the interfaces of each next hop that the kernel can use for these packets
  // (RTM_GETROUTE), with policy rules, marks and VRFs. Empty if the destination is on this machine.
  // By default, fails with Errc::unsupported: the rules of a captured system are not known.
  virtual Result<std::vector<int>> find_outputs(const RouteQuery& query) const;

  // Searches all network namespaces for interfaces that are stacked on one of this namespace. By
  // default finds none, because a captured system has only one namespace.
  virtual Result<ForeignUppers> foreign_uppers() const;

  // The attachments of the interface: see attachments.h. By default none.
  virtual Result<std::vector<std::string>> attachments(int index) const;

  // Settings of the interface that neither procfs nor sysfs shows, with keys such as
  // "ethtool/channels" and "link/altname/data0". By default none.
  virtual Result<InterfaceSettings> settings(int index) const;

  // The largest values that the driver accepts for settings such as "ethtool/rings". By default
  // none.
  virtual Result<InterfaceSettings> limits(int index) const;

  // These functions change the system. By default they fail with Errc::unsupported, because
  // captured systems are read-only.
  virtual Result<> set(int index, const std::string& key, const std::string& value);
  virtual Result<> set_up(int index, bool up);
  virtual Result<> set_mtu(int index, unsigned mtu);
  virtual Result<> rename(int index, const InterfaceName& name);
  virtual Result<> add_address(const Address& address);  // EEXIST if it exists
  virtual Result<> remove_address(const Address& address);
  virtual Result<> remove_route(const Route& route);

  // EEXIST if the route exists. Without Route::request, exactly one next hop. Of an IPv6 route with
  // several next hops, adds those that are missing; an output of 0 is left out.
  virtual Result<> add_route(const Route& route);

  // EEXIST if an object has this id. Replaces a group.
  virtual Result<> add_next_hop(const NextHop& hop);
};

std::unique_ptr<Links> open_links();

}  // namespace manactl::os
