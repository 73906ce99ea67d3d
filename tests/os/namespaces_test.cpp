// SPDX-License-Identifier: MIT
//
// Routes and interfaces of other network namespaces with the real kernel. These tests need root and
// the program `ip`.

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <fstream>

#include "os/in_namespace.h"
#include "os/links.h"

namespace manactl::os::namespaces_test {
namespace {

using test::ip;
using test::run_in_network_namespace;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

int index_of(const std::string& name) {
  const auto links = open_links()->links();
  for (const auto& link : *links) {
    if (link.name == name) return link.index;
  }
  ADD_FAILURE() << "no interface " << name;
  return 0;
}

// A process with a network namespace of its own, which ends with this object.
class OtherNamespace {
 public:
  OtherNamespace() {
    int ready[2] = {}, end[2] = {};
    EXPECT_EQ(pipe(ready) + pipe(end), 0);
    pid_ = fork();
    if (pid_ == 0) {
      close(end[1]);
      char result = unshare(CLONE_NEWNET) == 0 ? 'y' : 'n';
      (void)!write(ready[1], &result, 1);
      (void)!read(end[0], &result, 1);
      _exit(0);
    }
    char result = 'n';
    EXPECT_EQ(read(ready[0], &result, 1), 1);
    EXPECT_EQ(result, 'y') << "unshare(CLONE_NEWNET) failed";
    close(ready[0]);
    close(ready[1]);
    close(end[0]);
    end_ = end[1];
  }

  // Not by a signal, because this process may have given up its rights.
  ~OtherNamespace() {
    close(end_);
    waitpid(pid_, nullptr, 0);
  }

  OtherNamespace(const OtherNamespace&) = delete;
  OtherNamespace& operator=(const OtherNamespace&) = delete;

  std::string pid() const { return std::to_string(pid_); }

 private:
  pid_t pid_ = -1;
  int end_ = -1;
};

void find_interfaces_elsewhere() {
  ip("link add left type veth peer name right");
  const OtherNamespace other;
  ip("link add link right name moved0 type macvlan");
  ip("link set moved0 netns " + other.pid());
  ip("link add link right name made0 netns " + other.pid() + " type macvlan");
  ip("link add link right name own0 type macvlan");
  ip("link add pair0 type veth peer name pair1 netns " + other.pid());
  const auto found = open_links()->foreign_uppers();
  ASSERT_TRUE(found) << found.error().message;
  std::vector<std::string> texts;
  for (const auto& [link, where] : found->links) {
    EXPECT_EQ(link.lower, index_of("right"));
    EXPECT_THAT(where, ::testing::StartsWith("network namespace of process "));
    texts.push_back(link.kind + " " + link.name);
  }
  EXPECT_THAT(texts, UnorderedElementsAre("macvlan moved0", "macvlan made0"));
}

void report_namespaces_that_cannot_be_read() {
  const OtherNamespace other;
  ASSERT_EQ(setgid(65534), 0);
  ASSERT_EQ(setuid(65534), 0);
  const auto found = open_links()->foreign_uppers();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->unsearched, Not(IsEmpty()));
}

void follow_policy_rules() {
  ip("link add one type veth peer name other");
  ip("addr add 10.0.0.4/24 dev one");
  ip("addr add 10.1.0.4/24 dev other");
  ip("link set lo up");
  ip("link set one up");
  ip("link set other up");
  ip("route add default via 10.0.0.1");
  ip("route add default via 10.1.0.1 table 1000");
  ip("route add 10.7.0.0/16 nexthop via 10.0.0.1 dev one nexthop via 10.1.0.1 dev other");
  ip("rule add fwmark 7 table 1000");
  ip("rule add from 10.1.0.4 table 1000");
  ip("rule add ipproto tcp sport 2222 table 1000");
  const int one = index_of("one"), second = index_of("other");
  const std::string far = "192.0.2.9";
  const auto text = [](const RouteQuery& query) {
    const auto outputs = open_links()->find_outputs(query);
    return outputs ? fmt::format("{}", fmt::join(*outputs, " ")) : outputs.error().message;
  };
  const auto first = std::to_string(one), other = std::to_string(second);
  EXPECT_EQ(text({.destination = far}), first);
  EXPECT_EQ(text({.destination = far, .mark = 7}), other);
  EXPECT_EQ(text({.destination = far, .source = "10.1.0.4"}), other);
  EXPECT_EQ(text({.destination = far, .bound_to = second}), other);
  EXPECT_EQ(text({.destination = far, .source_port = 2222, .destination_port = 9}), other);
  EXPECT_EQ(text({.destination = "10.7.1.1"}), first + " " + other);
  EXPECT_EQ(text({.destination = "10.1.0.4"}), "") << "an address of this machine";
  EXPECT_EQ(text({.destination = "fd00::1"}),
            "cannot find the route to fd00::1: the kernel rejected the request: Network is "
            "unreachable");
  EXPECT_EQ(text({.destination = "name"}),
            "cannot find the route to name: 'name' is not an address");
}

void resolve_objects() {
  ip("link add one type veth peer name other");
  ip("addr add 10.0.0.4/24 dev one");
  ip("link set one up");
  ip("link set other up");
  ip("nexthop add id 5 via 10.0.0.1 dev one");
  ip("nexthop add id 6 group 5");
  std::ofstream("/proc/sys/net/ipv4/nexthop_compat_mode") << "0\n";
  ip("route add 10.5.0.0/16 nhid 5");
  ip("route add 10.6.0.0/16 nhid 6");
  std::vector<std::vector<int>> outputs;
  const auto routes = open_links()->routes();
  ASSERT_TRUE(routes);
  for (const auto& route : *routes) {
    if (route.next_hop_id != 0) outputs.push_back(route.outputs);
  }
  const std::vector<int> one{index_of("one")};
  EXPECT_THAT(outputs, ElementsAre(one, one));
  EXPECT_EQ(*open_links()->find_outputs({.destination = "10.6.0.1"}), one);
}

TEST(NetworkNamespaces, AreSearchedForInterfacesOnThisOne) {
  run_in_network_namespace(find_interfaces_elsewhere);
}

TEST(NetworkNamespaces, AreReportedIfTheyCannotBeRead) {
  run_in_network_namespace(report_namespaces_that_cannot_be_read);
}

TEST(FindOutputs, FollowsPolicyRulesAndListsEveryNextHop) {
  run_in_network_namespace(follow_policy_rules);
}

TEST(NextHopObjects, AreResolvedToTheirInterfaces) {
  run_in_network_namespace(resolve_objects);
}

}  // namespace
}  // namespace manactl::os::namespaces_test
