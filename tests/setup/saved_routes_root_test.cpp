// SPDX-License-Identifier: MIT
//
// Saves and restores routes with the real kernel, in the network namespace of a child process.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "os/in_namespace.h"
#include "os/scratch.h"
#include "setup/saved_routes.h"

namespace manactl::setup::saved_routes_root_test {
namespace {

using os::test::ip;
using os::test::run_in_network_namespace;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

int index_of(const os::Links& links, const std::string& name) {
  const auto all = links.links();
  for (const auto& link : *all) {
    if (link.name == name) return link.index;
  }
  return 0;
}

void add_interface(const std::string& name) {
  ip("link add " + name + " type veth peer name peer-" + name);
  ip("link set peer-" + name + " up");
  ip("link set " + name + " up");
}

void add_one() {
  add_interface("one");
  ip("address add 10.0.0.4/24 dev one");
  ip("address add 10.4.0.4/24 dev one noprefixroute");
  ip("address add fd00::4/64 dev one nodad");
}

Values saved_routes(const os::Links& links) {
  const int index = index_of(links, "one");
  auto addresses = *links.addresses();
  std::erase_if(addresses, [&](const auto& address) { return address.index != index; });
  Values saved;
  const auto done = save_routes(links, index, addresses, saved);
  EXPECT_TRUE(done) << done.error().message;
  return saved;
}

Result<> restore(const os::Links& links, const Values& saved) {
  auto live = os::LiveSystem::open();
  const auto clock = make_boot_clock();
  return restore_routes({live->system(), *clock}, "one", index_of(links, "one"), saved);
}

// Removes the interface "one" and adds it again, with another index.
void replace_one() {
  ip("link del one");
  add_interface("filler");
  add_one();
}

void restore_after_the_interface_was_replaced(const std::vector<std::string>& commands,
                                              std::size_t routes,
                                              std::size_t next_hops) {
  const auto links = os::open_links();
  add_interface("two");
  ip("address add 10.5.0.4/24 dev two");
  ip("address add fd05::4/64 dev two nodad");
  add_one();
  for (const auto& command : commands) ip(command);
  const auto saved = saved_routes(*links);
  EXPECT_THAT(list_of(saved, "route"), SizeIs(routes));
  EXPECT_THAT(list_of(saved, "nexthop"), SizeIs(next_hops));
  replace_one();
  EXPECT_NE(saved_routes(*links), saved);
  for (int round = 0; round < 2; ++round) {
    const auto restored = restore(*links, saved);
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(saved_routes(*links), saved);
  }
}

TEST(SavedRoutes, HaveAllAttributes) {
  run_in_network_namespace([] {
    restore_after_the_interface_was_replaced(
        {"route add 10.1.0.0/16 via 10.0.0.1 dev one mtu 1400 initcwnd 20 rto_min 50ms",
         "route add 10.2.0.0/16 tos 0x10 via 10.0.0.1 dev one",
         "route add 10.2.0.0/16 via 10.0.0.1 dev one metric 7 table 1000",
         "route add 10.6.0.0/16 via inet6 fd00::1 dev one realm 5",
         "-6 route add default from 2001:db8:1::/64 via fd00::1 dev one",
         "-6 route add fd07::/64 via fd00::1 dev one pref high",
         "route add multicast 224.0.5.0/24 dev one",
         "route add local 10.7.0.0/24 dev one",
         "-6 route add local fd08::/64 dev one"},
        9,
        0);
  });
}

void add_many_routes(const std::string& attributes) {
  std::string commands;
  for (unsigned i = 0; i < 100'000; ++i) {
    commands += fmt::format("route add 11.{}.{}.{}/32 via 10.0.0.1 dev one {}\n",
                            i >> 16U,
                            i >> 8U & 255U,
                            i & 255U,
                            attributes);
  }
  const manactl::test::Scratch scratch;
  scratch.file("routes", commands);
  ip("-batch " + (scratch.path() / "routes").string());
}

TEST(SavedRoutes, MayBeAHundredThousand) {
  run_in_network_namespace([] {
    const auto links = os::open_links();
    add_one();
    add_many_routes("proto 186");
    const auto saved = saved_routes(*links);
    EXPECT_THAT(list_of(saved, "route"), SizeIs(100'000));
    replace_one();
    ASSERT_TRUE(restore(*links, saved));
    EXPECT_EQ(saved_routes(*links), saved);
  });
}

TEST(SavedRoutes, MayBeAHundredThousandThatADaemonHasAdded) {
  run_in_network_namespace([] {
    const auto links = os::open_links();
    add_one();
    add_many_routes("proto 186");
    const auto saved = saved_routes(*links);
    replace_one();
    add_many_routes("proto 187");
    ASSERT_TRUE(restore(*links, saved));
  });
}

// The kernel verifies for a second that no other machine has a new IPv6 address.
TEST(SavedRoutes, WaitUntilTheirSourceAddressIsUsable) {
  run_in_network_namespace([] {
    const auto links = os::open_links();
    add_one();
    ip("address add fd09::4/64 dev one nodad");
    ip("-6 route add fd0a::/64 via fd00::1 dev one src fd09::4");
    const auto saved = saved_routes(*links);
    EXPECT_THAT(list_of(saved, "route"), SizeIs(1));
    replace_one();
    ip("address add fd09::4/64 dev one");
    const auto restored = restore(*links, saved);
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(saved_routes(*links), saved);
  });
}

TEST(SavedRoutes, AreNotMixedWithNextHopsOfOthers) {
  run_in_network_namespace([] {
    const auto links = os::open_links();
    add_interface("two");
    add_interface("three");
    ip("address add fd05::4/64 dev two nodad");
    ip("address add fd06::4/64 dev three nodad");
    add_one();
    ip("-6 route add fd08::/64 nexthop via fd00::1 dev one nexthop via fd05::1 dev two");
    const auto saved = saved_routes(*links);
    replace_one();
    ip("-6 route replace fd08::/64 via fd06::1 dev three");
    const auto restored = restore(*links, saved);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, Errc::busy);
    const auto routes = *links->routes();
    EXPECT_THAT(std::ranges::find(routes, "fd08::/64", &os::Route::destination)->outputs,
                ElementsAre(index_of(*links, "three")));
  });
}

TEST(SavedRoutes, IncludeConnectedRoutesThatTheKernelDoesNotAdd) {
  run_in_network_namespace([] {
    restore_after_the_interface_was_replaced(
        {"route add 10.4.0.0/24 dev one proto kernel scope link src 10.4.0.4 metric 100",
         "route add 10.7.0.0/16 via 10.4.0.1 dev one"},
        2,
        0);
  });
}

TEST(SavedRoutes, HaveSeveralNextHops) {
  run_in_network_namespace([] {
    restore_after_the_interface_was_replaced(
        {"route add 10.3.0.0/16 nexthop via 10.0.0.1 dev one weight 3 nexthop via 10.5.0.1 dev two",
         "route add 10.8.0.0/16 nexthop via 10.0.0.1 dev one nexthop via 10.0.0.2 dev one",
         "-6 route add fd08::/64 nexthop via fd00::1 dev one weight 2 nexthop via fd00::2 dev one"},
        3,
        0);
  });
}

// The kernel keeps the next hop of the other interface, so the order changes.
TEST(SavedRoutes, AddTheMissingNextHopsOfAnIpv6Route) {
  run_in_network_namespace([] {
    const auto links = os::open_links();
    add_interface("two");
    ip("address add fd05::4/64 dev two nodad");
    add_one();
    ip("-6 route add fd08::/64 nexthop via fd00::1 dev one nexthop via fd05::1 dev two");
    const auto saved = saved_routes(*links);
    replace_one();
    for (int round = 0; round < 2; ++round) {
      ASSERT_TRUE(restore(*links, saved));
      const auto routes = *links->routes();
      const auto route = std::ranges::find(routes, "fd08::/64", &os::Route::destination);
      ASSERT_NE(route, routes.end());
      EXPECT_THAT(route->outputs,
                  UnorderedElementsAre(index_of(*links, "one"), index_of(*links, "two")));
    }
  });
}

TEST(SavedRoutes, HaveTheirNextHopObjects) {
  run_in_network_namespace([] {
    restore_after_the_interface_was_replaced({"nexthop add id 5 via 10.0.0.1 dev one",
                                              "nexthop add id 6 via 10.5.0.1 dev two",
                                              "nexthop add id 9 group 5,3/6",
                                              "route add 10.9.0.0/16 nhid 9",
                                              "route add 10.10.0.0/16 nhid 5"},
                                             2,
                                             2);
  });
}

TEST(SavedRoutes, NameTheInterfaceThatIsMissing) {
  run_in_network_namespace([] {
    const auto links = os::open_links();
    add_interface("two");
    ip("address add 10.5.0.4/24 dev two");
    add_one();
    ip("route add 10.3.0.0/16 nexthop via 10.0.0.1 dev one nexthop via 10.5.0.1 dev two");
    const auto saved = saved_routes(*links);
    ip("link del two");
    replace_one();
    const auto restored = restore(*links, saved);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().message,
              "the route to 10.3.0.0/16 also needs 'two': restore that NIC, and repeat this "
              "restore");
  });
}

TEST(SavedRoutes, DoNotReplaceAnotherNextHopObject) {
  run_in_network_namespace([] {
    const auto links = os::open_links();
    add_interface("two");
    ip("address add 10.5.0.4/24 dev two");
    add_one();
    ip("nexthop add id 5 via 10.0.0.1 dev one");
    const auto saved = saved_routes(*links);
    replace_one();
    ip("nexthop add id 5 via 10.5.0.1 dev two");
    const auto restored = restore(*links, saved);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, Errc::busy);
    EXPECT_EQ(links->next_hops()->front().output, index_of(*links, "two"));
  });
}

}  // namespace
}  // namespace manactl::setup::saved_routes_root_test
