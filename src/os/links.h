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

namespace manactl::os {

struct Link {
  int index = 0;
  std::string name;
  std::vector<std::string> alternative_names;
  unsigned flags = 0;     // IFF_*, linux/if.h
  std::string operstate;  // "up", "down", "lowerlayerdown", ...
  unsigned mtu = 0;
  MacAddress mac;             // zero if the link has no address of 6 bytes
  std::optional<int> master;  // IFLA_MASTER
  std::optional<int> lower;   // IFLA_LINK: the interface below a VLAN
  std::string kind;  // IFLA_INFO_KIND: "bond", "bridge", "vlan", "veth"; empty for hardware
  std::uint64_t rx_packets = 0, tx_packets = 0;  // IFLA_STATS64

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
};

struct Route {
  std::string destination;   // "default", "10.0.0.0/24"
  std::string gateway;       // empty if directly connected
  std::vector<int> outputs;  // interface index of each next hop
  unsigned table = 0;        // 254 is the main table
  std::uint32_t metric = 0;
  unsigned protocol = 0;    // RTPROT_*: 2 is RTPROT_KERNEL
  unsigned scope = 0;       // RT_SCOPE_*
  std::string source = {};  // preferred source address
  bool onlink = false;      // RTNH_F_ONLINK
  bool ipv6 = false;

  // True for routes that the kernel added by itself (RTPROT_KERNEL, _REDIRECT, _RA).
  bool is_recreated_by_kernel() const;
};

class Links {
 public:
  virtual ~Links() = default;
  virtual Result<std::vector<Link>> links() const = 0;  // ordered by index
  virtual Result<std::vector<Address>> addresses() const = 0;
  virtual Result<std::vector<Route>> routes() const = 0;

  // These functions change the system. By default they fail with Errc::unsupported, because
  // captured systems are read-only.
  virtual Result<> set_up(int index, bool up);
  virtual Result<> set_mtu(int index, unsigned mtu);
  virtual Result<> rename(int index, const InterfaceName& name);
  virtual Result<> add_address(const Address& address);  // EEXIST if it exists
  virtual Result<> remove_address(const Address& address);
  virtual Result<> add_route(const Route& route);  // exactly one next hop; EEXIST if it exists
  virtual Result<> remove_route(const Route& route);
};

std::unique_ptr<Links> open_links();

}  // namespace manactl::os
