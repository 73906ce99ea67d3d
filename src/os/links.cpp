// SPDX-License-Identifier: MIT

#include "os/links.h"

#include <linux/if.h>
#include <linux/rtnetlink.h>

#include <algorithm>

#include "os/attributes.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"

namespace manactl::os {
namespace {

// Requests all entries of a kernel table. `Header` is the header structure of that table, because
// old kernels reject the shorter struct rtgenmsg.
template <class Header, class T>
Result<std::vector<T>> dump(unsigned request, std::optional<T> (*decode)(std::string_view)) {
  const Header header{};
  auto messages = send_netlink_request(
      NETLINK_ROUTE, encode_request(request, NLM_F_REQUEST | NLM_F_DUMP, bytes_of(header)));
  if (!messages) return tl::unexpected<Error>(std::move(messages.error()));
  std::vector<T> found;
  for (const auto& message : *messages) {
    if (auto one = decode(message.body)) found.push_back(std::move(*one));
  }
  return found;
}

class RouteLinks final : public Links {
 public:
  Result<std::vector<Link>> links() const override {
    auto found = dump<ifinfomsg>(RTM_GETLINK, decode_link);
    if (!found) return because(found.error(), "cannot list the interfaces");
    std::ranges::sort(*found, {}, &Link::index);
    return found;
  }

  Result<std::vector<Address>> addresses() const override {
    auto found = dump<ifaddrmsg>(RTM_GETADDR, decode_address);
    if (!found) return because(found.error(), "cannot list the addresses");
    return found;
  }

  Result<std::vector<Route>> routes() const override {
    auto found = dump<rtmsg>(RTM_GETROUTE, decode_route);
    if (!found) return because(found.error(), "cannot list the routes");
    return found;
  }

  Result<> set_up(int index, bool up) override {
    ifinfomsg header{};
    header.ifi_index = index;
    header.ifi_change = IFF_UP;
    header.ifi_flags = up ? unsigned{IFF_UP} : 0U;
    return change(RTM_NEWLINK,
                  std::string(bytes_of(header)),
                  fmt::format("cannot set interface index {} {}", index, up ? "up" : "down"));
  }

  Result<> set_mtu(int index, unsigned mtu) override {
    ifinfomsg header{};
    header.ifi_index = index;
    std::string body(bytes_of(header));
    append_attribute(body, IFLA_MTU, bytes_of(static_cast<std::uint32_t>(mtu)));
    return change(RTM_NEWLINK,
                  body,
                  fmt::format("cannot set the MTU of interface index {} to {}", index, mtu));
  }

  Result<> rename(int index, const InterfaceName& name) override {
    ifinfomsg header{};
    header.ifi_index = index;
    std::string body(bytes_of(header));
    append_attribute(body, IFLA_IFNAME, name.str() + '\0');
    return change(RTM_NEWLINK,
                  body,
                  fmt::format("cannot rename interface index {} to '{}'", index, name.str()));
  }

  Result<> add_address(const Address& address) override {
    return change(RTM_NEWADDR,
                  encode_address(address),
                  "cannot add the address " + address.text,
                  NLM_F_CREATE | NLM_F_EXCL);
  }

  Result<> remove_address(const Address& address) override {
    return change(
        RTM_DELADDR, encode_address(address), "cannot remove the address " + address.text);
  }

  Result<> add_route(const Route& route) override {
    return change(RTM_NEWROUTE,
                  encode_route(route),
                  "cannot add the route to " + route.destination,
                  NLM_F_CREATE | NLM_F_EXCL);
  }

  Result<> remove_route(const Route& route) override {
    return change(
        RTM_DELROUTE, encode_route(route), "cannot remove the route to " + route.destination);
  }

 private:
  // Requests an acknowledgment (NLM_F_ACK): otherwise the kernel replies only to failed requests.
  static Result<> change(unsigned type,
                         const Result<std::string>& body,
                         std::string_view doing,
                         unsigned flags = 0) {
    if (!body) return because(body.error(), doing);
    const auto reply = send_netlink_request(
        NETLINK_ROUTE, encode_request(type, NLM_F_REQUEST | NLM_F_ACK | flags, *body));
    if (!reply) return because(reply.error(), doing);
    return {};
  }
};

tl::unexpected<Error> read_only_error() {
  return fail(Errc::unsupported, "a captured system cannot be changed");
}

}  // namespace

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

bool Route::is_recreated_by_kernel() const {
  return protocol == RTPROT_KERNEL || protocol == RTPROT_REDIRECT || protocol == RTPROT_RA;
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
