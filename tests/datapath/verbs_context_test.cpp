// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "adapter/device_tree.h"
#include "datapath/in_child.h"
#include "datapath/verbs/context.h"
#include "datapath/verbs/device_files.h"
#include "datapath/verbs_machine.h"

namespace manactl::datapath::verbs {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(DeviceFiles, FindSlotAndPorts) {
  adapter::Config config;
  config.ports = 2;
  const auto tree = adapter::DeviceTree::make(config).value();
  const auto path = tree.root() + "/class/infiniband/mana_0";
  EXPECT_EQ(slot_of(path), PciAddress::parse(adapter::kSlot).value());
  auto found = interfaces_of(path);
  ASSERT_EQ(found.size(), 2U);
  std::ranges::sort(found, {}, &Interface::port);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found[i].port, i + 1);
    EXPECT_EQ(found[i].mac, config.mac_of(i));
    EXPECT_EQ(found[i].name, fmt::format("sim{}", i));
    EXPECT_EQ(found[i].up, false);
    EXPECT_EQ(found[i].link_mbps, 0U);
  }
}

TEST(DeviceFiles, TellWhoHasThePortAndHowFastItsLinkIs) {
  for (const auto* fault : {"create_qp=errno:EBUSY", "create_qp_ex=errno:ENODEV"}) {
    const auto config = adapter::Config::parse(fmt::format("bps=25000000000 fault={}", fault));
    const auto tree = adapter::DeviceTree::make(config.value()).value();
    const auto found = interfaces_of(tree.root() + "/class/infiniband/mana_0");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].up, true);
    EXPECT_EQ(found[0].link_mbps, 25000U);
  }
}

TEST(DeviceFiles, AreNotNeeded) {
  EXPECT_FALSE(slot_of("/nowhere/mana_0"));
  EXPECT_THAT(interfaces_of("/nowhere/mana_0"), IsEmpty());
}

// The error of a port that is opened with this fault, all the way to its queues.
Error error_with(const std::string& fault, bool foreign = false) {
  Machine port("engine=inline " + fault);
  const auto context = port.open();
  if (!context) return context.error();
  const auto tx = SendQueue::make(**context, 64);
  if (!tx) return tx.error();
  const auto rx = ReceiveQueues::make(**context, 2, 64);
  if (!rx) return rx.error();
  EXPECT_FALSE(foreign);
  return {Errc::io, 0, "nothing failed"};
}

struct Case {
  const char* fault;
  Errc code;
  int number;
  const char* says;
};

class VerbsFault : public testing::TestWithParam<Case> {};

// Whatever was made before is gone again: a leak would be a broken contract.
TEST_P(VerbsFault, IsExplained) {
  EXPECT_TRUE(in_child([] {
    const auto error = error_with(std::string("fault=") + GetParam().fault);
    EXPECT_EQ(error.code, GetParam().code) << error.message;
    EXPECT_EQ(error.sys, GetParam().number);
    EXPECT_THAT(error.message, HasSubstr(GetParam().says));
    EXPECT_EQ(adapter::Simulator::get().adapter().checker().total(), 0U);
  }));
}

constexpr Case kCases[] = {
    {"open_device=errno:EACCES", Errc::denied, EACCES, "open_device of mana_0"},
    {"alloc_pd=errno:ENOMEM", Errc::io, ENOMEM, "alloc_pd"},
    {"alloc_parent_domain=missing", Errc::unsupported, EOPNOTSUPP, "not libmana"},
    {"query_device_ex=missing", Errc::unsupported, EOPNOTSUPP, "not libmana"},
    {"set_context_attr=errno:EOPNOTSUPP", Errc::unsupported, EOPNOTSUPP, "not libmana"},
    {"create_cq=errno:ENOMEM", Errc::io, ENOMEM, "create_cq"},
    {"create_qp=errno:EBUSY", Errc::busy, EBUSY, "is in use (EBUSY)"},
    {"create_qp=errno:ENODEV", Errc::busy, ENODEV, "kernels before 7.2"},
    {"create_qp=errno:EPERM", Errc::denied, EPERM, "CAP_NET_RAW"},
    {"create_wq=errno:ENOMEM,after=1", Errc::io, ENOMEM, "create_wq"},
    {"create_rwq_ind_table=errno:EINVAL", Errc::invalid, EINVAL, "create_rwq_ind_table"},
    {"create_qp_ex=errno:EBUSY", Errc::busy, EBUSY, "in use"},
    {"init_obj=errno:EINVAL", Errc::invalid, EINVAL, "manadv_init_obj"},
};

INSTANTIATE_TEST_SUITE_P(Every, VerbsFault, testing::ValuesIn(kCases));

TEST(Context, RefusesTheDeviceOfAnotherFunction) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline part=3");
    const auto context = port.open();
    EXPECT_FALSE(context.has_value());
    EXPECT_THAT(context.error().message, HasSubstr("no Ethernet device (part 3"));
  }));
}

TEST(Context, HearsOfTheEndOfItsDevice) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline fault=device=fatal");
    const auto context = port.open().value();
    EXPECT_FALSE(context->lost());
    const auto tx = SendQueue::make(*context, 64).value();
    while (!context->lost()) std::this_thread::yield();
    EXPECT_TRUE(context->lost());
  }));
}

TEST(Region, IsZeroAndLargeEnough) {
  EXPECT_TRUE(in_child([] {
    Machine port;
    {
      const auto context = port.open().value();
      const auto region = Region::make(*context, 5000).value();
      EXPECT_EQ(std::ranges::count(std::span(region.data(), 5000), 0), 5000);
      EXPECT_NE(region.key(), 0U);
    }
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

}  // namespace
}  // namespace manactl::datapath::verbs
