// SPDX-License-Identifier: MIT

#include "setup/saved_routes.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>
#include <span>
#include <tuple>

#include "base/text.h"
#include "setup/addresses.h"

namespace manactl::setup {
namespace {

constexpr std::string_view kNextHops = "nexthop";
constexpr std::string_view kRoutes = "route";

bool leaves_by(const os::Route& route, int index) {
  return std::find(route.outputs.begin(), route.outputs.end(), index) != route.outputs.end();
}

// Whether the kernel or a router adds the route again: with an address of the interface, with the
// interface itself, or with a message of the router.
bool is_recreated(const os::Route& route, const std::vector<os::Address>& own_addresses) {
  if (route.is_of_router()) return true;
  const bool is_known = route.protocol != 0;  // a captured machine lacks the protocols
  if (is_known && !route.is_of_kernel()) return false;
  if (route.is_in_local_table()) return true;
  if (route.destination == "fe80::/64" || route.destination == "ff00::/8") return true;
  return std::ranges::any_of(own_addresses,
                             [&](const auto& it) { return is_connected_route(route, it); });
}

// The next-hop objects that the kernel removes with the interface, and the groups that contain
// them. Groups come last.
Result<std::vector<os::NextHop>> next_hops_of(const os::Links& links, int index) {
  auto all = links.next_hops();
  if (!all && all.error().code == Errc::unsupported) return std::vector<os::NextHop>{};
  if (!all) return all;
  std::set<std::uint32_t> own;
  for (const auto& hop : *all) {
    if (hop.output == index) own.insert(hop.id);
  }
  std::erase_if(*all, [&](const os::NextHop& hop) {
    return !own.contains(hop.id) &&
           std::ranges::none_of(hop.group, [&](auto id) { return own.contains(id); });
  });
  std::stable_partition(
      all->begin(), all->end(), [](const auto& hop) { return hop.group.empty(); });
  return all;
}

bool has_several_hops(const os::Route& route) {
  return route.outputs.size() > 1 && route.next_hop_id == 0;
}

constexpr std::string_view kDevices = " devices ";

// text_of(), and for a route with several next hops the names of their interfaces: the other
// interfaces may have other indexes when the route is restored. No name contains a slash.
std::string text_of_route(const os::Route& route, const std::vector<os::Link>& links) {
  auto text = text_of(route);
  if (!has_several_hops(route)) return text;
  std::vector<std::string> names;
  for (const int output : route.outputs) {
    const auto link = std::ranges::find(links, output, &os::Link::index);
    names.push_back(link == links.end() ? "" : link->name);
  }
  return fmt::format("{}{}{}", text, kDevices, join(names, "/"));
}

// The kernel removed members of a group together with their interface.
bool lacks_members(const os::NextHop& present, const os::NextHop& saved) {
  return !present.group.empty() && std::ranges::all_of(present.group, [&](auto id) {
    return std::ranges::find(saved.group, id) != saved.group.end();
  });
}

// Removes the entries of `values` for which `is_selected` is true, and returns them.
std::vector<std::string> take(std::vector<std::string>& values,
                              bool (*is_selected)(const std::string&)) {
  const auto rest = std::stable_partition(values.begin(), values.end(), is_selected);
  std::vector<std::string> taken(std::make_move_iterator(values.begin()),
                                 std::make_move_iterator(rest));
  values.erase(values.begin(), rest);
  return taken;
}

bool has_no_gateway(const std::string& text) {
  return text.find(" via ") == std::string::npos;
}

bool is_plain(const std::string& text) {
  return has_no_gateway(text) && text.find(" request ") == std::string::npos;
}

// Adds routes and next-hop objects. Goes on after an error, and keeps the first one.
class RouteRestorer {
 public:
  RouteRestorer(const StepContext& context, std::string former_name, int index)
      : links_(context.system.links),
        clock_(context.clock),
        former_name_(std::move(former_name)),
        index_(index) {}

  Result<> restore(std::vector<std::string> routes, const std::vector<std::string>& next_hops) {
    // The kernel accepts a gateway only if a route leads to it.
    add_routes(take(routes, is_plain));
    add_next_hops(next_hops);
    add_routes(take(routes, has_no_gateway));
    add_routes(routes);
    if (result_ && !added_.empty()) result_ = verify();
    return result_;
  }

 private:
  void keep(const Error& error) {
    if (result_) result_ = tl::unexpected<Error>(error);
  }

  void add_routes(const std::vector<std::string>& wanted) {
    if (wanted.empty()) return;
    auto routes = links_.routes();
    if (!routes) return keep(routes.error());
    present_ = std::move(*routes);
    std::ranges::sort(present_, {}, &os::Route::destination);
    const auto interfaces = links_.links();
    if (!interfaces) return keep(interfaces.error());
    std::set<std::string> there;
    for (const auto& route : present_) {
      if (leaves_by(route, index_)) there.insert(text_of_route(route, *interfaces));
    }
    for (const auto& text : wanted) {
      if (there.contains(text)) continue;
      const auto added = add_route(text, *interfaces);
      if (!added) keep(added.error());
    }
  }

  Result<> add_route(const std::string& text, const std::vector<os::Link>& interfaces) {
    const auto devices = text.find(kDevices);
    auto route = route_of(text.substr(0, devices), index_);
    if (!route) return tl::unexpected<Error>(route.error());
    if (devices != std::string::npos) {
      const auto found = find_outputs(text.substr(devices + kDevices.size()), *route, interfaces);
      if (!found) return found;
    }
    auto added = links_.add_route(*route);
    // The kernel refuses a source address until it has verified that no other machine has it.
    if (!added && route->ipv6 && !route->source.empty()) {
      (void)wait_until(clock_, time_for_detection(), [&] {
        if (added || added.error().sys != EINVAL) return true;
        added = links_.add_route(*route);
        return added.has_value();
      });
    }
    if (added) added_.push_back(*route);
    return !added && added.error().sys == EEXIST ? accept_own_route(*route) : added;
  }

  // Whether the interface has the routes that the kernel accepted.
  Result<> verify() const {
    const auto key = [](const os::Route& route) {
      return std::tuple(route.ipv6, route.table, route.metric, route.destination);
    };
    const auto routes = links_.routes();
    if (!routes) return tl::unexpected<Error>(routes.error());
    std::set<decltype(key(routes->front()))> there;
    for (const auto& route : *routes) {
      if (leaves_by(route, index_)) there.insert(key(route));
    }
    for (const auto& route : added_) {
      if (there.contains(key(route))) continue;
      return fail(Errc::io,
                  fmt::format("the kernel accepted the route to {}, but the interface lacks it",
                              route.destination));
    }
    return {};
  }

  // All routes together wait for 5 seconds, in which the kernel verifies all addresses.
  std::chrono::milliseconds time_for_detection() {
    constexpr std::chrono::milliseconds kDetection{5000};
    if (!detected_by_) detected_by_ = clock_.now() + kDetection;
    return std::max(*detected_by_ - clock_.now(), std::chrono::milliseconds{0});
  }

  // Sets the outputs of a route with several next hops.
  Result<> find_outputs(const std::string& names,
                        os::Route& route,
                        const std::vector<os::Link>& interfaces) const {
    route.outputs.clear();
    for (const auto name : split(names, '/')) {
      const auto link = std::ranges::find(interfaces, name, &os::Link::name);
      const int other = link == interfaces.end() ? 0 : link->index;
      route.outputs.push_back(name == former_name_ ? index_ : other);
      if (route.outputs.back() != 0 || route.ipv6) continue;
      return fail(Errc::busy,
                  fmt::format("the route to {} also needs '{}': restore that NIC, and repeat this "
                              "restore",
                              route.destination,
                              printable(name)));
    }
    return route.ipv6 ? keep_own_hops(route) : Result<>();
  }

  // When an interface vanishes, an IPv6 route keeps the next hops of the others. Fails if the route
  // has next hops that were not saved, because the kernel would add ours to them.
  Result<> keep_own_hops(os::Route& route) const {
    for (const auto& present : present_to(route.destination)) {
      const bool is_foreign =
          is_same(present, route) && !std::ranges::all_of(present.outputs, [&](int output) {
            return leaves_by(route, output);
          });
      if (is_foreign) return fail_other_route(route);
    }
    std::ranges::replace_if(route.outputs, [&](int output) { return output != index_; }, 0);
    return {};
  }

  // There may be a hundred thousand routes.
  std::span<const os::Route> present_to(const std::string& destination) const {
    const auto of = &os::Route::destination;
    return {std::ranges::lower_bound(present_, destination, {}, of),
            std::ranges::upper_bound(present_, destination, {}, of)};
  }

  static bool is_same(const os::Route& present, const os::Route& wanted) {
    return present.ipv6 == wanted.ipv6 && present.destination == wanted.destination &&
           present.table == wanted.table && present.metric == wanted.metric;
  }

  static tl::unexpected<Error> fail_other_route(const os::Route& wanted) {
    return fail(Errc::busy,
                fmt::format("the route to {} leads to another interface now: delete that route, "
                            "and repeat the restore",
                            wanted.destination));
  }

  // The kernel has a route to the same destination with the same metric. It may have created that
  // route for this interface, with other attributes, or the route may lead to another interface.
  Result<> accept_own_route(const os::Route& wanted) const {
    for (const auto& route : present_to(wanted.destination)) {
      if (is_same(route, wanted) && leaves_by(route, index_)) return {};
    }
    return fail_other_route(wanted);
  }

  void add_next_hops(const std::vector<std::string>& wanted) {
    if (wanted.empty()) return;
    const auto now = links_.next_hops();
    if (!now) return keep(now.error());
    for (const auto& text : wanted) {
      const auto added = add_next_hop(text, *now);
      if (!added) keep(added.error());
    }
  }

  Result<> add_next_hop(const std::string& text, const std::vector<os::NextHop>& now) {
    const auto hop = next_hop_of(text, index_);
    if (!hop) return tl::unexpected<Error>(hop.error());
    const auto present = std::ranges::find(now, hop->id, &os::NextHop::id);
    if (present == now.end()) return links_.add_next_hop(*hop);
    const bool leaves_by_another = hop->group.empty() && present->output != index_;
    if (text_of(*present) == text && !leaves_by_another) return {};
    if (lacks_members(*present, *hop)) return links_.add_next_hop(*hop);
    return fail(Errc::busy,
                fmt::format("the next-hop object {} is another one now: delete it, and repeat the "
                            "restore",
                            hop->id));
  }

  os::Links& links_;
  Clock& clock_;
  const std::string former_name_;
  const int index_;
  std::vector<os::Route> present_;  // when add_routes() began, ordered by destination
  std::vector<os::Route> added_;
  std::optional<std::chrono::milliseconds> detected_by_;
  Result<> result_;
};

}  // namespace

Result<> save_routes(const os::Links& links,
                     int index,
                     const std::vector<os::Address>& addresses,
                     Values& target) {
  const auto routes = links.routes();
  if (!routes) return tl::unexpected<Error>(routes.error());
  const auto next_hops = next_hops_of(links, index);
  if (!next_hops) return tl::unexpected<Error>(next_hops.error());
  const auto interfaces = links.links();
  if (!interfaces) return tl::unexpected<Error>(interfaces.error());
  std::size_t count = 0;
  for (const auto& hop : *next_hops) target.emplace(list_key(kNextHops, count++), text_of(hop));
  count = 0;
  for (const auto& route : *routes) {
    if (!leaves_by(route, index) || is_recreated(route, addresses)) continue;
    target.emplace_hint(
        target.end(), list_key(kRoutes, count++), text_of_route(route, *interfaces));
  }
  return {};
}

Result<> restore_routes(const StepContext& context,
                        const std::string& former_name,
                        int index,
                        const Values& saved) {
  return RouteRestorer(context, former_name, index)
      .restore(list_of(saved, kRoutes), list_of(saved, kNextHops));
}

std::vector<std::string> route_commands(const Values& saved, const std::string& device) {
  std::vector<std::string> commands;
  for (const auto& text : list_of(saved, kRoutes)) {
    const bool ipv6 = text.starts_with("inet6 ");
    commands.push_back(fmt::format(
        "ip {}route replace {} dev {}", ipv6 ? "-6 " : "", route_arguments(text), device));
  }
  return commands;
}

}  // namespace manactl::setup
