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
};

}  // namespace

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
