// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include <cerrno>

#include "setup/fake_vm.h"
#include "setup/steps.h"

namespace manactl::setup::save_addresses_test {
namespace {

using std::chrono::milliseconds;
using test::FakeVm;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SaveAddresses : public ::testing::Test {
 protected:
  std::string revert(Values before) {
    auto record = make_record(*step_, std::move(before));
    vm_.rebuild();
    const auto reverted = step_->revert(vm_.context(), {record, {}, false});
    return reverted ? "" : reverted.error().message;
  }

  // Removes the addresses and routes of eth1.
  void clear() {
    std::erase_if(vm_.state.addresses, [](const auto& address) { return address.index == 4; });
    std::erase_if(vm_.state.routes, [](const auto& route) { return route.outputs.at(0) == 4; });
  }

  FakeVm vm_;
  std::unique_ptr<Step> step_ = save_addresses({"eth1"});
};

TEST_F(SaveAddresses, RecordsWhatTheKernelDoesNotRecreate) {
  const auto observed = step_->observe(vm_.context().system);
  ASSERT_TRUE(observed);
  EXPECT_EQ(*observed,
            (Values{{"address.000000", "10.0.1.4/24 broadcast 10.0.1.255 scope 0 label eth1"},
                    {"address.000001", "2001:db8:1::4/64 scope 0"},
                    {"address.000002", "fe80::2/64 scope 253"},
                    {"index", "4"},
                    {"mtu", "1500"},
                    {"route.000000",
                     "inet 192.0.2.0/24 via 10.0.1.1 proto 4 scope 0 metric 50 table 254"},
                    {"setting.000000", "ethtool/channels 0 0 0 2"},
                    {"setting.000001", "proc/sys/net/ipv4/conf/@/rp_filter 2"},
                    {"setting.000002", "proc/sys/net/ipv6/conf/@/accept_ra 1"},
                    {"setting.000003", "sys/class/net/@/ifalias "},
                    {"setting.000004", "sys/class/net/@/queues/rx-0/rps_cpus 0"},
                    {"setting.000005", "link/flags multicast"},
                    {"state", "up"}}));
  EXPECT_THAT(saved_addresses(make_record(*step_, *observed)),
              ElementsAre("10.0.1.4/24 broadcast 10.0.1.255 scope 0 label eth1",
                          "2001:db8:1::4/64 scope 0",
                          "fe80::2/64 scope 253"));
  auto other = make_record(*set_down({"eth1"}), *observed);
  EXPECT_THAT(saved_addresses(other), IsEmpty());
}

// As NetworkManager configures addresses.
TEST_F(SaveAddresses, RecordsAConnectedRouteThatNoAddressCreates) {
  for (auto& address : vm_.state.addresses) {
    if (address.text == "10.0.1.4") address.flags = IFA_F_NOPREFIXROUTE;
  }
  EXPECT_EQ(value_at(*step_->observe(vm_.context().system), "route.000000"),
            "inet 10.0.1.0/24 proto 2 scope 253 src 10.0.1.4 table 254");
}

TEST_F(SaveAddresses, NumbersItsKeysInTheOrderOfTheKernel) {
  vm_.state.addresses.clear();
  for (int i = 0; i < 100001; ++i) vm_.state.addresses.push_back({4, std::to_string(i), 24});
  const auto observed = step_->observe(vm_.context().system);
  ASSERT_TRUE(observed);
  for (const auto& [key, value] : {std::pair{"address.000009", "9/"},
                                   {"address.000010", "10/"},
                                   {"address.010000", "10000/"},
                                   {"address.099999", "99999/"},
                                   {"address.100000", "100000/"}}) {
    EXPECT_THAT(value_at(*observed, key), ::testing::StartsWith(value));
  }
}

TEST_F(SaveAddresses, AddsWhatIsMissing) {
  const auto before = *step_->observe(vm_.context().system);
  const auto dump = vm_.dump();
  EXPECT_EQ(revert(before), "");
  EXPECT_EQ(vm_.changes(), 0U) << "nothing is missing";
  clear();
  const auto start = vm_.context().clock.now();
  EXPECT_EQ(revert(before), "");
  EXPECT_EQ(vm_.dump(), dump);
  EXPECT_EQ(vm_.context().clock.now() - start, milliseconds(2000))
      << "the kernel may add link-local addresses itself";
  EXPECT_THAT(vm_.log(),
              ElementsAre("ip eth1 address add 10.0.1.4",
                          "ip eth1 address add 2001:db8:1::4",
                          "ip eth1 address add fe80::2",
                          "ip eth1 route add 192.0.2.0/24"));
}

TEST_F(SaveAddresses, SetsTheMtuOfANewInterfaceOnly) {
  EXPECT_EQ(revert({{"index", "4"}, {"mtu", "1400"}}), "");
  EXPECT_EQ(vm_.link("eth1")->mtu, 1500U);
  EXPECT_EQ(revert({{"index", "3"}}), "");
  EXPECT_EQ(revert({{"index", "3"}, {"mtu", "1500"}}), "");
  EXPECT_EQ(vm_.changes(), 0U);
  EXPECT_EQ(revert({{"index", "3"}, {"mtu", "1400"}}), "");
  EXPECT_EQ(vm_.link("eth1")->mtu, 1400U);
  EXPECT_EQ(revert({{"index", "3"}, {"mtu", "9001"}}), "cannot set the MTU: Invalid argument");
}

TEST_F(SaveAddresses, ReportsTheFirstFailureAndAddsTheRest) {
  const auto before = *step_->observe(vm_.context().system);
  for (const char* failed :
       {"address add 10.0.1.4", "address add fe80::2", "route add 192.0.2.0/24"}) {
    clear();
    const auto command = fmt::format("ip eth1 {}", failed);
    vm_.refused = {{command, EIO}, {"ip eth1 address add 2001:db8:1::4", EPERM}};
    const auto error = revert(before);
    const bool first = command.find("10.0.1.4") != std::string::npos;
    EXPECT_EQ(error.find(first ? "cannot " + command : "cannot ip eth1 address add 2001:"), 0U)
        << error;
    EXPECT_EQ(vm_.log().back(), "ip eth1 route add 192.0.2.0/24");
  }
  clear();
  vm_.refused = {{"ip eth1 route add 192.0.2.0/24", EIO}};
  EXPECT_THAT(revert(before), HasSubstr("cannot ip eth1 route add"));
}

// A network manager may add the address first.
TEST_F(SaveAddresses, AcceptsAnAddressThatExistsOnlyIfTheInterfaceHasIt) {
  const auto before = *step_->observe(vm_.context().system);
  const auto addresses = vm_.state.addresses;
  clear();
  vm_.refused = {{"ip eth1 address add 2001:db8:1::4", EEXIST}};
  EXPECT_THAT(revert(before), HasSubstr("2001:db8:1::4/64, but the interface lacks it"));
  clear();
  vm_.after = [&](const std::string&) { vm_.state.addresses = addresses; };
  EXPECT_EQ(revert(before), "");
}

TEST_F(SaveAddresses, FailsIfTheAddressesCannotBeReadAfterTheWait) {
  const auto before = *step_->observe(vm_.context().system);
  clear();
  vm_.unreadable["addresses"] = 1;
  EXPECT_THAT(revert(before), HasSubstr("cannot read addresses"));
}

TEST_F(SaveAddresses, RejectsADamagedRecord) {
  EXPECT_EQ(revert({{"index", "4"}, {"address.000000", "x"}}), "cannot parse 'x' from the journal");
  EXPECT_EQ(revert({{"index", "4"}, {"address.000000", "fe80:x"}}),
            "cannot parse 'fe80:x' from the journal");
  EXPECT_EQ(revert({{"index", "4"}, {"route.000000", "x"}}), "cannot parse 'x' from the journal");
}

}  // namespace
}  // namespace manactl::setup::save_addresses_test
