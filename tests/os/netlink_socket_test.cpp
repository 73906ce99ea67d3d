// SPDX-License-Identifier: MIT
//
// Netlink requests to a simulated kernel: errors, lost and foreign datagrams.

#include <gmock/gmock.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <netlink/errno.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "os/links.h"
#include "os/memory_files.h"
#include "os/netlink.h"
#include "os/netlink_kernel.h"
#include "os/sockets.h"

namespace manactl::os::netlink_socket_test {
namespace {

using test::NetlinkKernel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Reply = NetlinkKernel::Reply;
using Request = NetlinkKernel::Request;

class NetlinkSocket : public ::testing::Test {
 protected:
  // Sends a request and returns the bodies of the reply, or the message of the error.
  std::string ask() {
    const auto reply = send_netlink_request(NETLINK_ROUTE, encode_request(18, 5, "what?"));
    error_ = reply ? Error{} : reply.error();
    if (!reply) return reply.error().message;
    std::string bodies;
    for (const auto& message : *reply) bodies += message.body + ';';
    return bodies;
  }

  NetlinkKernel kernel_;
  Error error_;
};

TEST_F(NetlinkSocket, SendsTheRequestAndReceivesAllDatagrams) {
  kernel_.answer = [&](const Request&) -> Reply {
    return {kernel_.message(16, "one!"), kernel_.message(17, "two!"), kernel_.status()};
  };
  EXPECT_EQ(ask(), "one!;two!;");
  ASSERT_EQ(kernel_.requests.size(), 1U);
  EXPECT_EQ(kernel_.requests[0].protocol, NETLINK_ROUTE);
  EXPECT_EQ(kernel_.requests[0].type, 18U);
  EXPECT_EQ(kernel_.requests[0].flags, 5U);
  EXPECT_EQ(kernel_.requests[0].body, "what?");
}

TEST_F(NetlinkSocket, IgnoresInterruptionsAndDatagramsOfOtherProcesses) {
  kernel_.answer = [&](const Request&) -> Reply {
    auto forged = kernel_.message(16, "bad!");
    forged.sender = 4711;
    return {{"", -NLE_INTR, EINTR}, forged, kernel_.message(16, "good"), kernel_.status()};
  };
  EXPECT_EQ(ask(), "good;");
}

TEST_F(NetlinkSocket, ReportsEachFailureOfTheSocket) {
  kernel_.answer = [&](const Request&) -> Reply { return {{"", -NLE_PERM, EPERM}}; };
  EXPECT_EQ(ask(), "cannot read from netlink: Operation not permitted");
  EXPECT_EQ(error_.sys, EPERM);
  kernel_.answer = [&](const Request&) -> Reply { return {{"", -NLE_NOMEM}}; };
  EXPECT_EQ(ask(), "cannot read from netlink: Out of memory");
  EXPECT_EQ(error_.code, Errc::io);
  EXPECT_EQ(error_.sys, 0);
  kernel_.answer = [&](const Request&) -> Reply { return {{""}}; };
  EXPECT_EQ(ask(), "cannot read from netlink: empty datagram");
  kernel_.calls.nl_sendto = [](auto&&...) { return -NLE_FAILURE; };
  EXPECT_THAT(ask(), HasSubstr("cannot send a netlink request: "));
  EXPECT_EQ(error_.sys, 0);
  kernel_.calls.nl_sendto = test::failing(ENETDOWN);
  EXPECT_EQ(ask(), "cannot send a netlink request: Network is down");
  kernel_.calls.nl_connect = [](nl_sock*, int) { return -NLE_BAD_SOCK; };
  EXPECT_THAT(ask(), HasSubstr("cannot open a netlink socket: "));
  EXPECT_EQ(error_.sys, 0);
  kernel_.calls.nl_connect = test::failing(EMFILE);
  EXPECT_EQ(ask(), "cannot open a netlink socket: Too many open files");
  kernel_.calls.nl_socket_alloc = test::null_with(ENOMEM);
  EXPECT_EQ(ask(), "cannot allocate a netlink socket");
}

TEST_F(NetlinkSocket, WaitsTenSecondsForADatagram) {
  timeval timeout{};
  kernel_.calls.setsockopt = [&](int, int level, int option, const void* value) {
    if (level == SOL_SOCKET && option == SO_RCVTIMEO) {
      timeout = *static_cast<const timeval*>(value);
    }
    return 0;
  };
  kernel_.answer = [&](const Request&) -> Reply { return {kernel_.status()}; };
  EXPECT_EQ(ask(), "");
  EXPECT_EQ(timeout.tv_sec, 10);
  EXPECT_EQ(timeout.tv_usec, 0);
}

TEST_F(NetlinkSocket, RepeatsAnIncompleteDump) {
  int failures = 0;
  kernel_.answer = [&](const Request&) -> Reply {
    if (failures-- > 0) {
      if (failures % 2 == 0) return {{"", -NLE_NOMEM, ENOBUFS}};
      return {kernel_.message(16, "part", NLM_F_DUMP_INTR), kernel_.status()};
    }
    return {kernel_.message(16, "full"), kernel_.status()};
  };
  failures = 7;
  EXPECT_EQ(ask(), "full;");
  EXPECT_EQ(kernel_.requests.size(), 8U);
  failures = 8;
  EXPECT_EQ(ask(), "8 netlink dumps were incomplete: tables changed or buffers overflowed");
  EXPECT_EQ(error_.code, Errc::busy);
  EXPECT_EQ(kernel_.requests.size(), 16U);
}

TEST_F(NetlinkSocket, ReportsTheErrnoOfTheKernel) {
  kernel_.answer = [&](const Request&) -> Reply { return {kernel_.status(EPERM)}; };
  EXPECT_EQ(ask(), "the kernel rejected the request: Operation not permitted");
  EXPECT_EQ(error_.code, Errc::denied);
  EXPECT_EQ(kernel_.requests.size(), 1U);
}

// Links.

TEST_F(NetlinkSocket, ListsLinksByIndex) {
  kernel_.answer = [&](const Request&) -> Reply {
    Reply reply;
    for (const int index : {7, 3}) {
      ifinfomsg head{};
      head.ifi_index = index;
      std::string body(bytes_of(head));
      append_attribute(body, IFLA_IFNAME, "eth" + std::to_string(index) + '\0');
      reply.push_back(kernel_.message(RTM_NEWLINK, body));
    }
    reply.push_back(kernel_.status());
    return reply;
  };
  const auto links = open_links()->links();
  ASSERT_TRUE(links);
  ASSERT_EQ(links->size(), 2U);
  EXPECT_EQ(links->front().name, "eth3");
  EXPECT_EQ(kernel_.requests[0].type, unsigned{RTM_GETLINK});
  EXPECT_EQ(kernel_.requests[0].flags, unsigned{NLM_F_REQUEST | NLM_F_DUMP});
  EXPECT_EQ(kernel_.requests[0].body, std::string(sizeof(ifinfomsg), '\0'));
}

TEST_F(NetlinkSocket, ReportsAMessageThatCannotBeDecoded) {
  std::string body;
  kernel_.answer = [&](const Request&) -> Reply {
    return {kernel_.message(16, body), kernel_.status()};
  };
  const auto links = open_links();
  const std::string why = ": message 1 of 1 from the kernel cannot be decoded";
  body = "short";
  EXPECT_EQ(links->links().error().message, "cannot list the interfaces" + why);
  EXPECT_EQ(links->next_hops().error().message, "cannot list the next-hop objects" + why);
  for (const int family : {AF_INET, AF_INET6, AF_UNSPEC}) {
    const bool is_ip = family != AF_UNSPEC;
    ifaddrmsg address{};
    address.ifa_family = static_cast<std::uint8_t>(family);
    body = bytes_of(address);
    EXPECT_TRUE(links->addresses()) << "the address 0.0.0.0 has no attribute";
    append_attribute(body, IFA_LOCAL, "x");
    const auto addresses = links->addresses();
    EXPECT_EQ(addresses ? "" : addresses.error().message,
              is_ip ? "cannot list the addresses" + why : "");
    rtmsg route{};
    route.rtm_family = static_cast<std::uint8_t>(family);
    route.rtm_dst_len = 8;
    route.rtm_type = RTN_UNICAST;
    body = bytes_of(route);
    const auto routes = links->routes();
    EXPECT_EQ(routes ? "" : routes.error().message, is_ip ? "cannot list the routes" + why : "");
  }
}

TEST_F(NetlinkSocket, FailsToListWithTheReason) {
  kernel_.answer = [&](const Request&) -> Reply { return {kernel_.status(EACCES)}; };
  const auto links = open_links();
  const std::string why = ": the kernel rejected the request: Permission denied";
  EXPECT_EQ(links->links().error().message, "cannot list the interfaces" + why);
  EXPECT_EQ(links->addresses().error().message, "cannot list the addresses" + why);
  EXPECT_EQ(links->routes().error().message, "cannot list the routes" + why);
  EXPECT_EQ(links->set_up(3, true).error().message, "cannot set interface index 3 up" + why);
  EXPECT_EQ(links->set_up(3, false).error().message, "cannot set interface index 3 down" + why);
  EXPECT_EQ(links->set_mtu(3, 1400).error().message,
            "cannot set the MTU of interface index 3 to 1400" + why);
  EXPECT_EQ(links->rename(3, *InterfaceName::parse("eth7")).error().message,
            "cannot rename interface index 3 to 'eth7'" + why);
  const Address address{.text = "10.0.0.4"};
  EXPECT_EQ(links->add_address(address).error().message, "cannot add the address 10.0.0.4" + why);
  EXPECT_EQ(links->remove_address(address).error().message,
            "cannot remove the address 10.0.0.4" + why);
  const Route route{.destination = "default", .gateway = "", .outputs = {3}};
  EXPECT_EQ(links->add_route(route).error().message, "cannot add the route to default" + why);
  EXPECT_EQ(links->remove_route(route).error().message, "cannot remove the route to default" + why);
  const auto sent = kernel_.requests.size();
  EXPECT_EQ(links->add_address({.text = "x"}).error().message,
            "cannot add the address x: 'x' is not an address");
  EXPECT_EQ(kernel_.requests.size(), sent) << "nothing is sent for a malformed address";
}

TEST_F(NetlinkSocket, EncodesChangesOfLinks) {
  kernel_.answer = [&](const Request&) -> Reply { return {kernel_.status()}; };
  const auto links = open_links();
  ASSERT_TRUE(links->set_up(3, true));
  ASSERT_TRUE(links->set_up(4, false));
  ASSERT_TRUE(links->set_mtu(5, 1400));
  ASSERT_TRUE(links->rename(6, *InterfaceName::parse("eth7")));
  const auto body_of = [](int index, unsigned flags, unsigned change) {
    ifinfomsg head{};
    head.ifi_index = index;
    head.ifi_flags = flags;
    head.ifi_change = change;
    return std::string(bytes_of(head));
  };
  std::string mtu = body_of(5, 0, 0);
  append_attribute(mtu, IFLA_MTU, bytes_of(std::uint32_t{1400}));
  std::string name = body_of(6, 0, 0);
  append_attribute(name, IFLA_IFNAME, std::string_view("eth7", 5));
  std::vector<std::string> bodies;
  for (const auto& request : kernel_.requests) {
    EXPECT_EQ(request.type, unsigned{RTM_NEWLINK});
    EXPECT_EQ(request.flags, unsigned{NLM_F_REQUEST | NLM_F_ACK});
    bodies.push_back(request.body);
  }
  EXPECT_THAT(bodies, ElementsAre(body_of(3, IFF_UP, IFF_UP), body_of(4, 0, IFF_UP), mtu, name));
}

TEST_F(NetlinkSocket, AddsOnlyNewAddressesAndRoutes) {
  kernel_.answer = [&](const Request&) -> Reply { return {kernel_.status()}; };
  const auto links = open_links();
  const Address address{.index = 3, .text = "10.0.0.4"};
  const Route route{.destination = "default", .gateway = "", .outputs = {3}};
  ASSERT_TRUE(links->add_address(address) && links->remove_address(address));
  ASSERT_TRUE(links->add_route(route) && links->remove_route(route));
  std::vector<std::pair<unsigned, unsigned>> seen;
  for (const auto& request : kernel_.requests) seen.emplace_back(request.type, request.flags);
  constexpr unsigned kChange = NLM_F_REQUEST | NLM_F_ACK;
  constexpr unsigned kNew = kChange | NLM_F_CREATE | NLM_F_EXCL;
  EXPECT_THAT(seen,
              ElementsAre(std::pair(unsigned{RTM_NEWADDR}, kNew),
                          std::pair(unsigned{RTM_DELADDR}, kChange),
                          std::pair(unsigned{RTM_NEWROUTE}, kNew),
                          std::pair(unsigned{RTM_DELROUTE}, kChange)));
}

TEST(CapturedLinks, CannotBeChanged) {
  class Captured final : public Links {
    Result<std::vector<Link>> links() const override { return std::vector<Link>{}; }

    Result<std::vector<Address>> addresses() const override { return std::vector<Address>{}; }

    Result<std::vector<Route>> routes() const override { return std::vector<Route>{}; }
  };

  Captured captured;
  Links& links = captured;
  for (const auto& changed : {links.set_up(1, true),
                              links.set_mtu(1, 1500),
                              links.rename(1, *InterfaceName::parse("eth7")),
                              links.add_address({}),
                              links.remove_address({}),
                              links.add_route({}),
                              links.add_next_hop({}),
                              links.remove_route({})}) {
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().code, Errc::unsupported);
  }
}

}  // namespace
}  // namespace manactl::os::netlink_socket_test
