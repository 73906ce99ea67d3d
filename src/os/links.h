// SPDX-License-Identifier: MIT
//
// rtnetlink (linux/rtnetlink.h, linux/if_link.h): interfaces, addresses and routes of this network
// namespace. Dumps that the kernel marks as interrupted are repeated.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace manactl::os {

struct Link {
  int index = 0;
  std::string name;
  std::vector<std::string> alternative_names;
  unsigned flags = 0;     // IFF_*, linux/if.h
  std::string operstate;  // "up", "down", "lowerlayerdown", ...
  unsigned mtu = 0;
  MacAddress mac;             // zero when the link has none of 6 bytes
  std::optional<int> master;  // IFLA_MASTER
  std::optional<int> lower;   // IFLA_LINK: of a VLAN, the interface below
  std::string kind;  // IFLA_INFO_KIND: "bond", "bridge", "vlan", "veth"; empty for hardware
  std::uint64_t rx_packets = 0, tx_packets = 0;  // IFLA_STATS64

  bool is_up() const;       // IFF_UP: the administrator's wish
  bool is_running() const;  // IFF_LOWER_UP: carrier
};

struct Address {
  int index = 0;     // of the interface
  std::string text;  // "10.0.0.4", "fe80::1"
  unsigned prefix_length = 0;
  unsigned scope = 0;  // RT_SCOPE_*: 0 is the whole world, 253 the link
  unsigned flags = 0;  // IFA_F_*, linux/if_addr.h
  std::string broadcast = {};
  std::string peer = {};   // the other end of a point-to-point link
  std::string label = {};  // IPv4 alone has one
  std::uint32_t valid = UINT32_MAX, preferred = UINT32_MAX;  // seconds; UINT32_MAX is for ever
};

struct Route {
  std::string destination;   // "default", "10.0.0.0/24"
  std::string gateway;       // empty when directly connected
  std::vector<int> outputs;  // interface of each next hop
  unsigned table = 0;        // 254 is main
  std::uint32_t metric = 0;
  unsigned protocol = 0;    // RTPROT_*: 2 is the kernel's own
  unsigned scope = 0;       // RT_SCOPE_*
  std::string source = {};  // preferred source address
  bool onlink = false;      // RTNH_F_ONLINK
  bool ipv6 = false;

  // The kernel, an ICMP redirect or a router advertisement made it and makes it again.
  bool comes_back() const;
};

class Links {
 public:
  virtual ~Links() = default;
  virtual Result<std::vector<Link>> links() const = 0;  // by index
  virtual Result<std::vector<Address>> addresses() const = 0;
  virtual Result<std::vector<Route>> routes() const = 0;

  // What follows changes the machine. By default it answers Errc::unsupported: a captured system
  // can only be looked at.
  virtual Result<> set_up(int index, bool up);
  virtual Result<> set_mtu(int index, unsigned mtu);
  virtual Result<> rename(int index, const InterfaceName& name);
  virtual Result<> add_address(const Address& address);  // EEXIST when it is there
  virtual Result<> remove_address(const Address& address);
  virtual Result<> add_route(const Route& route);  // one output; EEXIST when it is there
  virtual Result<> remove_route(const Route& route);
};

std::unique_ptr<Links> open_links();

}  // namespace manactl::os
