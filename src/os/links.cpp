// SPDX-License-Identifier: MIT

#include "os/links.h"

#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "os/attachments.h"
#include "os/attributes.h"
#include "os/interface_settings.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"
#include "os/network_namespaces.h"

namespace manactl::os {
namespace {

// Requests all entries of a kernel table. `Header` is the header structure of that table, because
// old kernels reject the shorter struct rtgenmsg.
template <class Header, class T>
Result<std::vector<T>> dump(unsigned request,
                            std::optional<T> (*decode)(std::string_view),
                            bool (*is_wanted)(std::string_view)) {
  const Header header{};
  auto messages = send_netlink_request(
      NETLINK_ROUTE, encode_request(request, NLM_F_REQUEST | NLM_F_DUMP, bytes_of(header)));
  if (!messages) return tl::unexpected<Error>(std::move(messages.error()));
  return decode_all(*messages, decode, is_wanted);
}

class RouteLinks final : public Links {
 public:
  Result<std::vector<Link>> links() const override {
    auto found = dump<ifinfomsg>(RTM_GETLINK, decode_link, is_any);
    if (!found) return because(found.error(), "cannot list the interfaces");
    std::ranges::sort(*found, {}, &Link::index);
    return found;
  }

  Result<std::vector<Address>> addresses() const override {
    auto found = dump<ifaddrmsg>(RTM_GETADDR, decode_address, is_ip_address);
    if (!found) return because(found.error(), "cannot list the addresses");
    return found;
  }

  Result<std::vector<Route>> routes() const override {
    auto found = dump<rtmsg>(RTM_GETROUTE, decode_route, is_unicast_route);
    if (!found) return because(found.error(), "cannot list the routes");
    resolve(*found);
    return found;
  }

  Result<std::vector<NextHop>> next_hops() const override {
    auto found = dump<nhmsg>(RTM_GETNEXTHOP, decode_next_hop, is_any);
    if (!found) return because(found.error(), "cannot list the next-hop objects");
    return found;
  }

  Result<std::vector<int>> find_outputs(const RouteQuery& query) const override {
    const auto body = encode_route_query(query);
    const auto reply =
        body ? send_netlink_request(NETLINK_ROUTE, encode_request(RTM_GETROUTE, kQuery, *body))
             : tl::unexpected<Error>(body.error());
    // A socket that is bound to an interface needs no route (ip_route_output_key_hash_rcu).
    if (!reply && query.bound_to != 0) return std::vector<int>{query.bound_to};
    if (!reply) {
      return because(reply.error(), "cannot find the route to " + printable(query.destination));
    }
    std::vector<Route> routes;
    for (const auto& message : *reply) {
      if (is_local_route(message.body)) return std::vector<int>{};
      if (auto route = decode_route(message.body)) routes.push_back(std::move(*route));
    }
    resolve(routes);
    if (routes.empty() || routes.front().outputs.empty()) {
      return fail(Errc::not_found,
                  fmt::format("the route to {} has no interface", printable(query.destination)));
    }
    return routes.front().outputs;
  }

  Result<ForeignUppers> foreign_uppers() const override {
    const auto files = open_files("/");
    if (!files) return tl::unexpected<Error>(files.error());
    return find_foreign_uppers(**files);
  }

  Result<InterfaceSettings> settings(int index) const override {
    const auto name = name_of(index);
    if (!name) return tl::unexpected<Error>(name.error());
    const auto ethtool = read_ethtool_settings(*name);
    const auto link = ethtool ? read_link_settings(index) : ethtool;
    if (!link) return link;
    InterfaceSettings all;
    for (const auto& [key, value] : *ethtool)
      all.emplace_back(std::string(kEthtoolSettings) + key, value);
    for (const auto& [key, value] : *link)
      all.emplace_back(std::string(kLinkSettings) + key, value);
    return all;
  }

  Result<InterfaceSettings> limits(int index) const override {
    const auto name = name_of(index);
    if (!name) return tl::unexpected<Error>(name.error());
    auto limits = read_ethtool_limits(*name);
    if (!limits) return limits;
    for (auto& [key, value] : *limits) key.insert(0, kEthtoolSettings);
    return limits;
  }

  Result<std::vector<std::string>> attachments(int index) const override {
    const auto name = name_of(index);
    if (!name) return tl::unexpected<Error>(name.error());
    return find_attachments(index, name->str());
  }

  Result<> set(int index, const std::string& key, const std::string& value) override {
    const auto own = key.substr(key.find('/') + 1);
    if (key.starts_with(kLinkSettings)) return write_link_setting(index, own, value);
    const auto name = name_of(index);
    if (!name) return tl::unexpected<Error>(name.error());
    return write_ethtool_setting(*name, own, value);
  }

  Result<> set_up(int index, bool up) override {
    ifinfomsg header{};
    header.ifi_index = index;
    header.ifi_change = IFF_UP;
    header.ifi_flags = up ? unsigned{IFF_UP} : 0U;
    return send_route_change(
        RTM_NEWLINK,
        std::string(bytes_of(header)),
        fmt::format("cannot set interface index {} {}", index, up ? "up" : "down"));
  }

  Result<> set_mtu(int index, unsigned mtu) override {
    ifinfomsg header{};
    header.ifi_index = index;
    std::string body(bytes_of(header));
    append_attribute(body, IFLA_MTU, bytes_of(static_cast<std::uint32_t>(mtu)));
    return send_route_change(
        RTM_NEWLINK,
        body,
        fmt::format("cannot set the MTU of interface index {} to {}", index, mtu));
  }

  Result<> rename(int index, const InterfaceName& name) override {
    ifinfomsg header{};
    header.ifi_index = index;
    std::string body(bytes_of(header));
    append_attribute(body, IFLA_IFNAME, name.str() + '\0');
    return send_route_change(
        RTM_NEWLINK,
        body,
        fmt::format("cannot rename interface index {} to '{}'", index, name.str()));
  }

  Result<> add_address(const Address& address) override {
    return send_route_change(RTM_NEWADDR,
                             encode_address(address),
                             "cannot add the address " + address.text,
                             NLM_F_CREATE | NLM_F_EXCL);
  }

  Result<> remove_address(const Address& address) override {
    return send_route_change(
        RTM_DELADDR, encode_address(address), "cannot remove the address " + address.text);
  }

  Result<> add_route(const Route& route) override {
    const auto doing = "cannot add the route to " + route.destination;
    // When the interface of a next hop vanishes, an IPv6 route keeps its other next hops.
    if (route.ipv6 && route.outputs.size() > 1) return add_next_hops(route, doing);
    return send_route_change(RTM_NEWROUTE, encode_route(route), doing, NLM_F_CREATE | NLM_F_EXCL);
  }

  Result<> add_next_hop(const NextHop& hop) override {
    return send_route_change(
        RTM_NEWNEXTHOP,
        encode_next_hop(hop),
        fmt::format("cannot add the next-hop object {}", hop.id),
        unsigned{NLM_F_CREATE} | (hop.group.empty() ? NLM_F_EXCL : NLM_F_REPLACE));
  }

  Result<> remove_route(const Route& route) override {
    return send_route_change(
        RTM_DELROUTE, encode_route(route), "cannot remove the route to " + route.destination);
  }

 private:
  static constexpr unsigned kQuery = NLM_F_REQUEST | NLM_F_ACK;

  Result<InterfaceName> name_of(int index) const {
    const auto all = links();
    if (!all) return tl::unexpected<Error>(all.error());
    const auto link = std::ranges::find(*all, index, &Link::index);
    if (link == all->end()) {
      return fail_errno(ENODEV, fmt::format("there is no interface with index {}", index));
    }
    return InterfaceName::parse(link->name);
  }

  // Without the next-hop objects, routes that need them have no outputs.
  static void resolve(std::vector<Route>& routes) {
    const auto needs_object = [](const Route& route) {
      return route.next_hop_id != 0 && route.outputs.empty();
    };
    if (std::ranges::none_of(routes, needs_object)) return;
    if (const auto hops = dump<nhmsg>(RTM_GETNEXTHOP, decode_next_hop, is_any)) {
      resolve_next_hops(routes, *hops);
    }
  }

  static Result<> add_next_hops(const Route& route, const std::string& doing) {
    Result<> result;
    for (std::size_t i = 0; i < route.outputs.size(); ++i) {
      if (route.outputs[i] == 0) continue;
      const auto added = send_route_change(
          RTM_NEWROUTE, encode_one_hop(route, i), doing, NLM_F_CREATE | NLM_F_APPEND);
      if (!added && added.error().sys != EEXIST && result) result = added;
    }
    return result;
  }
};

tl::unexpected<Error> read_only_error() {
  return fail(Errc::unsupported, "a captured system cannot be changed");
}

}  // namespace

Result<std::vector<int>> Links::find_outputs(const RouteQuery& /*query*/) const {
  return fail(Errc::unsupported, "the policy rules of a captured system are not known");
}

Result<ForeignUppers> Links::foreign_uppers() const {
  return ForeignUppers{};
}

Result<std::vector<std::string>> Links::attachments(int /*index*/) const {
  return std::vector<std::string>{};
}

Result<InterfaceSettings> Links::settings(int /*index*/) const {
  return InterfaceSettings{};
}

Result<InterfaceSettings> Links::limits(int /*index*/) const {
  return InterfaceSettings{};
}

Result<> Links::set(int /*index*/, const std::string& /*key*/, const std::string& /*value*/) {
  return read_only_error();
}

Result<> Links::set_up(int /*index*/, bool /*up*/) {
  return read_only_error();
}

Result<> Links::set_mtu(int /*index*/, unsigned /*mtu*/) {
  return read_only_error();
}

Result<> Links::rename(int /*index*/, const InterfaceName& /*name*/) {
  return read_only_error();
}

Result<> Links::add_address(const Address& /*address*/) {
  return read_only_error();
}

Result<> Links::remove_address(const Address& /*address*/) {
  return read_only_error();
}

Result<> Links::add_route(const Route& /*route*/) {
  return read_only_error();
}

Result<> Links::remove_route(const Route& /*route*/) {
  return read_only_error();
}

Result<std::vector<NextHop>> Links::next_hops() const {
  return std::vector<NextHop>{};
}

Result<> Links::add_next_hop(const NextHop& /*hop*/) {
  return read_only_error();
}

bool Route::is_of_kernel() const {
  return protocol == RTPROT_KERNEL;
}

bool Route::is_of_router() const {
  return protocol == RTPROT_REDIRECT || protocol == RTPROT_RA;
}

bool Route::is_in_local_table() const {
  return table == RT_TABLE_LOCAL;
}

bool Address::has_connected_route() const {
  return (flags & IFA_F_NOPREFIXROUTE) == 0;
}

// The flag has another meaning for IPv4: IFA_F_SECONDARY.
bool Address::is_temporary() const {
  return text.find(':') != std::string::npos && (flags & IFA_F_TEMPORARY) != 0;
}

bool Link::is_up() const {
  return (flags & IFF_UP) != 0;
}

bool Link::is_running() const {
  return (flags & IFF_LOWER_UP) != 0;
}

std::unique_ptr<Links> open_links() {
  return std::make_unique<RouteLinks>();
}

}  // namespace manactl::os
