// SPDX-License-Identifier: MIT
//
// Tests of rtnetlink and ethtool with the real kernel, in the network namespace of a child process.
// They need root and the program `ip`.

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <iterator>
#include <vector>

#include "base/text.h"
#include "os/ethtool.h"
#include "os/in_namespace.h"
#include "os/links.h"

namespace manactl::os::network_test {
namespace {

using test::ip;
using test::run_in_network_namespace;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

const Link* find(const std::vector<Link>& links, std::string_view name) {
  const auto it =
      std::find_if(links.begin(), links.end(), [&](const Link& link) { return link.name == name; });
  return it == links.end() ? nullptr : &*it;
}

void list_interfaces() {
  ip("link add left type veth peer name right");
  ip("link add br0 type bridge");
  ip("link set left master br0 address 00:0d:3a:76:3b:d0");
  ip("link add link right name above type macvlan");
  ip("link property add dev right altname a-rather-long-alternative-name");
  ip("link set right mtu 1400 up");
  const auto links = open_links()->links();
  ASSERT_TRUE(links) << links.error().message;
  const auto* left = find(*links, "left");
  const auto* right = find(*links, "right");
  const auto* bridge = find(*links, "br0");
  const auto* above = find(*links, "above");
  ASSERT_TRUE(left && right && bridge && above);
  EXPECT_EQ(left->master, bridge->index);
  EXPECT_EQ(left->kind, "veth");
  EXPECT_EQ(left->mac.str(), "00:0d:3a:76:3b:d0");
  EXPECT_FALSE(left->is_up());
  EXPECT_FALSE(left->lower);
  EXPECT_EQ(bridge->kind, "bridge");
  EXPECT_FALSE(bridge->master);
  EXPECT_EQ(above->lower, right->index);
  EXPECT_EQ(above->kind, "macvlan");
  EXPECT_EQ(right->mtu, 1400U);
  EXPECT_TRUE(right->is_up());
  EXPECT_FALSE(right->is_running());
  EXPECT_EQ(right->operstate, "lowerlayerdown");
  EXPECT_THAT(right->alternative_names, ElementsAre("a-rather-long-alternative-name"));
}

bool kernel_has_vlans() {
  pid_t child = fork();
  if (child == 0) {
    const bool own = unshare(CLONE_NEWNET) == 0;
    ip("link add left type veth peer name right");
    execlp(
        "ip", "ip", "link", "add", "link", "left", "name", "v", "type", "vlan", "id", "7", nullptr);
    _exit(own ? 1 : 2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

void list_vlan() {
  ip("link add left type veth peer name right");
  ip("link add link right name right.7 type vlan id 7");
  const auto links = open_links()->links();
  ASSERT_TRUE(links);
  const auto* vlan = find(*links, "right.7");
  ASSERT_TRUE(vlan);
  EXPECT_EQ(vlan->lower, find(*links, "right")->index);
  EXPECT_EQ(vlan->kind, "vlan");
}

void list_addresses_and_routes() {
  ip("link add one type veth peer name other");
  ip("addr add 10.0.0.4/24 dev one");
  ip("addr add 10.1.0.4/24 dev other");
  ip("-6 addr add fd00::4/64 dev one nodad");
  ip("link set one up");
  ip("link set other up");
  ip("route add default via 10.0.0.1 metric 100");
  ip("route add 10.9.0.0/16 table 1000 nexthop via 10.0.0.1 dev one nexthop via 10.1.0.1 dev "
     "other");
  ip("route add blackhole 10.8.0.0/16");
  const auto system = open_links();
  const auto links = system->links();
  const auto addresses = system->addresses();
  const auto routes = system->routes();
  ASSERT_TRUE(links && addresses && routes);
  const int a = find(*links, "one")->index;
  const int b = find(*links, "other")->index;
  std::vector<std::string> of_a;
  for (const auto& address : *addresses) {
    const bool link_local = address.text.starts_with("fe80:");
    if (address.index == a && !link_local) {
      of_a.push_back(fmt::format("{}/{}", address.text, address.prefix_length));
    }
  }
  EXPECT_THAT(of_a, UnorderedElementsAre("10.0.0.4/24", "fd00::4/64"));
  const auto route = [&](std::string_view destination) {
    const auto it = std::find_if(routes->begin(), routes->end(), [&](const Route& one) {
      return one.destination == destination;
    });
    return it == routes->end() ? Route{} : *it;
  };
  EXPECT_EQ(route("default").gateway, "10.0.0.1");
  EXPECT_EQ(route("default").metric, 100U);
  EXPECT_EQ(route("default").table, 254U);
  EXPECT_THAT(route("default").outputs, ElementsAre(a));
  EXPECT_EQ(route("10.0.0.0/24").gateway, "");
  EXPECT_THAT(route("10.9.0.0/16").outputs, UnorderedElementsAre(a, b));
  EXPECT_EQ(route("10.9.0.0/16").table, 1000U);
  EXPECT_EQ(route("10.8.0.0/16").destination, "") << "blackhole routes are not unicast";
}

void list_many_interfaces() {
  for (int i = 0; i < 50; ++i) ip(fmt::format("link add many{} type veth peer name peer{}", i, i));
  const auto links = open_links()->links();
  ASSERT_TRUE(links);
  EXPECT_EQ(links->size(), 101U);
  EXPECT_TRUE(std::is_sorted(links->begin(), links->end(), [](const Link& x, const Link& y) {
    return x.index < y.index;
  }));
}

void read_drivers() {
  ip("link add left type veth peer name right");
  const auto ethtool = open_ethtool();
  const auto name = InterfaceName::parse("left");
  const auto driver = ethtool->driver(*name);
  ASSERT_TRUE(driver) << driver.error().message;
  EXPECT_EQ(driver->driver, "veth");
  const auto counters = ethtool->counters(*name);
  ASSERT_TRUE(counters) << counters.error().message;
  ASSERT_FALSE(counters->empty());
  EXPECT_EQ(counters->front().first, "peer_ifindex");
  EXPECT_GT(counters->front().second, 0U);
  EXPECT_EQ(ethtool->driver(*InterfaceName::parse("absent")).error().code, Errc::not_found);
  const auto alternative = InterfaceName::parse("a-rather-long-alternative-name");
  EXPECT_EQ(ethtool->driver(*alternative).error().code, Errc::invalid);
}

void change_links() {
  ip("link add one type veth peer name other");
  const auto system = open_links();
  const int index = find(*system->links(), "one")->index;
  const int peer = find(*system->links(), "other")->index;
  ASSERT_TRUE(system->set_mtu(index, 1400));
  ASSERT_TRUE(system->rename(index, *InterfaceName::parse("eth7")));
  ASSERT_TRUE(system->set_up(index, true));
  ASSERT_TRUE(system->set_up(peer, true));
  const auto links = system->links();
  const auto* changed = find(*links, "eth7");
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->mtu, 1400U);
  EXPECT_TRUE(changed->is_up());
  EXPECT_EQ(system->set_mtu(index, 1U << 30).error().sys, EINVAL);
  EXPECT_EQ(system->set_up(9999, true).error().sys, ENODEV);
  ASSERT_TRUE(system->set_up(index, false));
  EXPECT_FALSE(find(*system->links(), "eth7")->is_up());
}

// Checks that addresses and routes that were read can be added again without loss.
void restore_addresses_and_routes() {
  ip("link add one type veth peer name other");
  ip("link set other up");
  ip("link set one up");
  ip("address add 10.0.0.4/24 brd 10.0.0.255 dev one metric 300");
  ip("address add fd00::4/64 dev one nodad");
  ip("route add default via 10.0.0.1 dev one proto static metric 100");
  ip("route add 10.9.0.0/16 via 10.0.9.1 dev one onlink src 10.0.0.4 table 1000");
  ip("route add fd01::/64 via fd00::1 dev one metric 7");
  const auto system = open_links();
  const int index = find(*system->links(), "one")->index;
  const auto own = [&](const auto& all, const auto& is_ours) {
    std::decay_t<decltype(all)> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), is_ours);
    return found;
  };
  const auto is_own_address = [&](const Address& address) {
    return address.index == index && !address.text.starts_with("fe80:");
  };
  const auto is_own_route = [&](const Route& route) {
    constexpr unsigned kRtprotKernel = 2;
    return route.outputs == std::vector<int>{index} && route.protocol != kRtprotKernel;
  };
  const auto addresses = own(*system->addresses(), is_own_address);
  const auto routes = own(*system->routes(), is_own_route);
  ASSERT_EQ(addresses.size(), 2U);
  ASSERT_EQ(routes.size(), 3U);
  for (const auto& route : routes) ASSERT_TRUE(system->remove_route(route)) << route.destination;
  for (const auto& address : addresses) ASSERT_TRUE(system->remove_address(address));
  EXPECT_TRUE(own(*system->addresses(), is_own_address).empty());
  EXPECT_TRUE(own(*system->routes(), is_own_route).empty());
  for (const auto& address : addresses) ASSERT_TRUE(system->add_address(address)) << address.text;
  for (const auto& route : routes) {
    const auto added = system->add_route(route);
    ASSERT_TRUE(added) << route.destination << ": " << added.error().message;
  }
  const auto again = own(*system->routes(), is_own_route);
  ASSERT_EQ(again.size(), routes.size());
  for (std::size_t i = 0; i < routes.size(); ++i) {
    EXPECT_EQ(again[i].destination, routes[i].destination);
    EXPECT_EQ(again[i].gateway, routes[i].gateway);
    EXPECT_EQ(again[i].metric, routes[i].metric);
    EXPECT_EQ(again[i].table, routes[i].table);
    EXPECT_EQ(again[i].protocol, routes[i].protocol);
    EXPECT_EQ(again[i].source, routes[i].source);
    EXPECT_EQ(again[i].onlink, routes[i].onlink);
  }
  EXPECT_EQ(own(*system->addresses(), is_own_address).front().broadcast, "10.0.0.255");
  EXPECT_EQ(own(*system->addresses(), is_own_address).front().metric, 300U);
  EXPECT_EQ(system->add_address(addresses.front()).error().sys, EEXIST);
}

TEST(Network, ChangesLinksAndReportsErrors) {
  run_in_network_namespace(change_links);
}

TEST(Network, RestoresAddressesAndRoutes) {
  run_in_network_namespace(restore_addresses_and_routes);
}

TEST(Network, ListsMastersLowerInterfacesAndAlternativeNames) {
  run_in_network_namespace(list_interfaces);
}

TEST(Network, ListsTheInterfaceBelowAVlan) {
  if (!kernel_has_vlans()) GTEST_SKIP() << "this kernel has no VLANs (CONFIG_VLAN_8021Q)";
  run_in_network_namespace(list_vlan);
}

TEST(Network, ListsAddressesAndEveryOutputOfARoute) {
  run_in_network_namespace(list_addresses_and_routes);
}

TEST(Network, ListsMoreInterfacesThanFitIntoOneDatagram) {
  run_in_network_namespace(list_many_interfaces);
}

TEST(Network, ReadsDriversAndCounters) {
  run_in_network_namespace(read_drivers);
}

}  // namespace
}  // namespace manactl::os::network_test
