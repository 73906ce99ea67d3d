// SPDX-License-Identifier: MIT
//
// Saves and restores the addresses that the kernel derives from a router advertisement, in the
// network namespace of a child process.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>

#include "os/in_namespace.h"
#include "os/owned.h"
#include "setup/steps.h"

namespace manactl::setup::temporary_addresses_root_test {
namespace {

using os::test::ip;
using os::test::run;
using os::test::run_in_network_namespace;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Advertises fd00:5::/64 to the neighbors of the interface, as a router does. Returns false while
// the interface has no link-local address yet.
bool advertise(const char* interface) {
  struct {
    nd_router_advert head;
    nd_opt_prefix_info prefix;
  } message{};

  message.head.nd_ra_type = ND_ROUTER_ADVERT;
  message.prefix.nd_opt_pi_type = ND_OPT_PREFIX_INFORMATION;
  message.prefix.nd_opt_pi_len = sizeof(message.prefix) / 8;
  message.prefix.nd_opt_pi_prefix_len = 64;
  message.prefix.nd_opt_pi_flags_reserved = ND_OPT_PI_FLAG_ONLINK | ND_OPT_PI_FLAG_AUTO;
  message.prefix.nd_opt_pi_valid_time = htonl(7200);
  message.prefix.nd_opt_pi_preferred_time = htonl(3600);
  inet_pton(AF_INET6, "fd00:5::", &message.prefix.nd_opt_pi_prefix);
  const os::Descriptor socket(::socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6));
  const int hops = 255;  // the kernel ignores advertisements that a router has forwarded
  setsockopt(socket.get(), IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof(hops));
  sockaddr_in6 all_nodes{};
  all_nodes.sin6_family = AF_INET6;
  all_nodes.sin6_scope_id = if_nametoindex(interface);
  inet_pton(AF_INET6, "ff02::1", &all_nodes.sin6_addr);
  const auto* to = reinterpret_cast<const sockaddr*>(&all_nodes);
  return sendto(socket.get(), &message, sizeof(message), 0, to, sizeof(all_nodes)) > 0;
}

class Machine {
 public:
  Machine() : live_(os::LiveSystem::open()), clock_(make_boot_clock()) {}

  StepContext context() { return {live_->system(), *clock_}; }

  std::vector<std::string> temporary() {
    std::vector<std::string> found;
    const auto addresses = live_->system().links.addresses();
    for (const auto& address : *addresses) {
      if (address.is_temporary()) found.push_back(address.text);
    }
    return found;
  }

  // Adds "one", which accepts advertisements. Its MAC address, and with it its address, stays.
  void add_one() {
    ip("link add one address 02:00:00:00:00:01 type veth peer name router");
    run("sysctl -qw net.ipv6.conf.one.use_tempaddr=2 net.ipv6.conf.one.accept_dad=0 "
        "net.ipv6.conf.router.accept_dad=0");
    ip("link set router up");
    ip("link set one up");
  }

 private:
  Result<os::LiveSystem> live_;
  std::unique_ptr<Clock> clock_;
};

TEST(TemporaryAddresses, AreNotCopied) {
  run_in_network_namespace([] {
    Machine machine;
    machine.add_one();
    const auto context = machine.context();
    EXPECT_TRUE(wait_until(context.clock, std::chrono::minutes(5), [&] {
      return advertise("router") && !machine.temporary().empty();
    }));
    const auto former = machine.temporary();
    ASSERT_THAT(former, SizeIs(1));
    const auto step = save_addresses({"one"});
    const auto saved = step->observe(context.system);
    ASSERT_TRUE(saved);
    const auto addresses = list_of(*saved, "address");
    EXPECT_THAT(addresses, Contains(AllOf(StartsWith("fd00:5::ff:fe00:1/64"), HasSubstr("valid"))));
    EXPECT_THAT(addresses, Not(Contains(StartsWith(former[0]))));
    ip("link del one");
    machine.add_one();
    auto record = make_record(*step, *saved);
    const auto reverted = step->revert(context, {record, {}, false});
    EXPECT_TRUE(reverted) << reverted.error().message;
    EXPECT_EQ(list_of(*step->observe(context.system), "address").size(), addresses.size());
    // The kernel creates another one for the address that restore has added.
    ASSERT_THAT(machine.temporary(), SizeIs(1));
    EXPECT_NE(machine.temporary(), former);
  });
}

}  // namespace
}  // namespace manactl::setup::temporary_addresses_root_test
