// SPDX-License-Identifier: MIT

#include "os/links.h"

#include <linux/if.h>
#include <linux/rtnetlink.h>

#include <algorithm>

#include "os/attributes.h"
#include "os/netlink.h"
#include "os/route_messages.h"

namespace manactl::os {
namespace {

// The whole table of one kind. Old kernels want the full structure of the kind in a dump request,
// not struct rtgenmsg alone.
template <class Head, class T>
Result<std::vector<T>> dump(unsigned request, std::optional<T> (*decode)(std::string_view)) {
  const Head head{};
  auto messages = ask_netlink(NETLINK_ROUTE,
                              encode_request(request, NLM_F_REQUEST | NLM_F_DUMP, bytes_of(head)));
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
    std::sort(found->begin(), found->end(), [](const Link& a, const Link& b) {
      return a.index < b.index;
    });
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
    ifinfomsg head{};
    head.ifi_index = index;
    head.ifi_change = IFF_UP;
    head.ifi_flags = up ? unsigned{IFF_UP} : 0U;
    return change(RTM_NEWLINK,
                  0,
                  std::string(bytes_of(head)),
                  fmt::format("cannot set interface {} {}", index, up ? "up" : "down"));
  }

  Result<> set_mtu(int index, unsigned mtu) override {
    ifinfomsg head{};
    head.ifi_index = index;
    std::string body(bytes_of(head));
    append_attribute(body, IFLA_MTU, bytes_of(static_cast<std::uint32_t>(mtu)));
    return change(
        RTM_NEWLINK, 0, body, fmt::format("cannot set the MTU of interface {} to {}", index, mtu));
  }

  Result<> rename(int index, const InterfaceName& name) override {
    ifinfomsg head{};
    head.ifi_index = index;
    std::string body(bytes_of(head));
    append_attribute(body, IFLA_IFNAME, name.str() + '\0');
    return change(
        RTM_NEWLINK, 0, body, fmt::format("cannot rename interface {} to '{}'", index, name.str()));
  }

  Result<> add_address(const Address& address) override {
    return change(RTM_NEWADDR,
                  NLM_F_CREATE | NLM_F_EXCL,
                  encode_address(address),
                  "cannot add the address " + address.text);
  }

  Result<> remove_address(const Address& address) override {
    return change(RTM_DELADDR, 0, encode_address(address), "cannot remove " + address.text);
  }

  Result<> add_route(const Route& route) override {
    return change(RTM_NEWROUTE,
                  NLM_F_CREATE | NLM_F_EXCL,
                  encode_route(route),
                  "cannot add the route to " + route.destination);
  }

  Result<> remove_route(const Route& route) override {
    return change(
        RTM_DELROUTE, 0, encode_route(route), "cannot remove the route to " + route.destination);
  }

 private:
  // NLM_F_ACK: without it the kernel answers errors alone, and silence would have to be timed.
  static Result<> change(unsigned type,
                         unsigned flags,
                         const Result<std::string>& body,
                         std::string_view doing) {
    if (!body) return because(body.error(), doing);
    const auto answer =
        ask_netlink(NETLINK_ROUTE, encode_request(type, NLM_F_REQUEST | NLM_F_ACK | flags, *body));
    if (!answer) return because(answer.error(), doing);
    return {};
  }
};

tl::unexpected<Error> only_looked_at() {
  return fail(Errc::unsupported, "this system can only be looked at");
}

}  // namespace

Result<> Links::set_up(int /*index*/, bool /*up*/) {
  return only_looked_at();
}

Result<> Links::set_mtu(int /*index*/, unsigned /*mtu*/) {
  return only_looked_at();
}

Result<> Links::rename(int /*index*/, const InterfaceName& /*name*/) {
  return only_looked_at();
}

Result<> Links::add_address(const Address& /*address*/) {
  return only_looked_at();
}

Result<> Links::remove_address(const Address& /*address*/) {
  return only_looked_at();
}

Result<> Links::add_route(const Route& /*route*/) {
  return only_looked_at();
}

Result<> Links::remove_route(const Route& /*route*/) {
  return only_looked_at();
}

bool Route::comes_back() const {
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
