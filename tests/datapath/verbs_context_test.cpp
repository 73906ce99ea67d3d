// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <utility>

#include "adapter/launch/sysfs_tree.h"
#include "datapath/in_child.h"
#include "datapath/verbs/context.h"
#include "datapath/verbs/device_files.h"
#include "datapath/verbs_simulated_port.h"

namespace manactl::datapath::verbs::verbs_context_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(DeviceFiles, ShowSlotAndPorts) {
  adapter::Config config;
  config.ports = 2;
  const auto tree = adapter::SysfsTree::make(config).value();
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

TEST(DeviceFiles, ShowInterfaceStateAndLinkSpeed) {
  for (const auto* fault : {"create_qp=errno:EBUSY", "create_qp_ex=errno:ENODEV"}) {
    const auto config = adapter::Config::parse(fmt::format("bps=25000000000 fault={}", fault));
    const auto tree = adapter::SysfsTree::make(config.value()).value();
    const auto found = interfaces_of(tree.root() + "/class/infiniband/mana_0");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].up, true);
    EXPECT_EQ(found[0].link_mbps, 25000U);
  }
}

TEST(DeviceFiles, MayBeMissing) {
  EXPECT_FALSE(slot_of("/nowhere/mana_0"));
  EXPECT_THAT(interfaces_of("/nowhere/mana_0"), IsEmpty());
}

// Opens a port and its queues with this fault and returns the error.
Error error_with(const std::string& fault) {
  SimulatedPort port("engine=inline " + fault);
  const auto context = port.open();
  if (!context) return context.error();
  const auto tx = SendQueue::make(**context, 64);
  if (!tx) return tx.error();
  const auto rx = ReceiveQueues::make(**context, 2, 64);
  if (!rx) return rx.error();
  const auto memory = Region::make(**context, 4096);
  if (!memory) return memory.error();
  return {Errc::io, 0, "nothing failed"};
}

struct Case {
  const char* fault;
  Errc code;
  int number;
  const char* message;
};

class VerbsFault : public testing::TestWithParam<Case> {};

// Everything created before the fault must be released: the checker reports leaks as violations.
TEST_P(VerbsFault, IsExplained) {
  EXPECT_TRUE(in_child([] {
    const auto error = error_with(std::string("fault=") + GetParam().fault);
    EXPECT_EQ(error.code, GetParam().code) << error.message;
    EXPECT_EQ(error.sys, GetParam().number);
    EXPECT_THAT(error.message, HasSubstr(GetParam().message));
    EXPECT_EQ(adapter::Simulator::get().adapter().checker().total(), 0U);
  }));
}

constexpr Case kCases[] = {
    {"open_device=errno:EACCES", Errc::denied, EACCES, "open_device of mana_0"},
    {"alloc_pd=errno:ENOMEM", Errc::io, ENOMEM, "alloc_pd"},
    {"alloc_parent_domain=errno:ENOMEM", Errc::io, ENOMEM, "alloc_parent_domain"},
    {"query_device_ex=errno:EIO", Errc::io, EIO, "query_device_ex"},
    {"set_context_attr=errno:EINVAL", Errc::invalid, EINVAL, "manadv_set_context_attr"},
    {"create_cq=errno:ENOMEM,after=1", Errc::io, ENOMEM, "create_cq"},
    {"create_cq=errno:ENOMEM,after=2", Errc::io, ENOMEM, "create_cq"},
    {"create_wq=errno:ENOMEM", Errc::io, ENOMEM, "create_wq"},
    {"init_obj=errno:EINVAL,after=1", Errc::invalid, EINVAL, "manadv_init_obj"},
    {"init_obj=errno:EINVAL,after=2", Errc::invalid, EINVAL, "manadv_init_obj"},
    {"reg_mr=errno:ENOMEM", Errc::io, ENOMEM, "reg_mr"},
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

INSTANTIATE_TEST_SUITE_P(All, VerbsFault, testing::ValuesIn(kCases));

TEST(Context, RejectsADeviceThatIsNotForEthernet) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline part=3");
    const auto context = port.open();
    EXPECT_FALSE(context.has_value());
    EXPECT_THAT(context.error().message, HasSubstr("is not an Ethernet device (vendor part 3"));
  }));
}

// The attributes that a device reports instead of its own.
std::uint32_t reported_part = 0, reported_caps = 0;
decltype(verbs_context::query_device_ex) real_query = nullptr;

int query_device_ex(ibv_context* context,
                    const ibv_query_device_ex_input* input,
                    ibv_device_attr_ex* attr,
                    std::size_t size) {
  const int number = real_query(context, input, attr, size);
  attr->orig_attr.vendor_part_id = reported_part;
  attr->raw_packet_caps = reported_caps;
  return number;
}

ibv_context* open_with_reported_attributes(ibv_device* device) {
  auto* context = ibv_open_device(device);
  auto* extended = verbs_get_ctx(context);
  real_query = std::exchange(extended->query_device_ex, query_device_ex);
  return context;
}

TEST(Context, RequiresRawPacketsIfTheKernelReportsTheVendorPart) {
  for (const auto& [part, caps, error] : {std::tuple{0U, 0U, ""},
                                          {0U, 1U, ""},
                                          {2U, 1U, ""},
                                          {2U, 4U, ""},
                                          {2U, 0U, "vendor part 2, raw packets 0x0"},
                                          {1U, 4U, "vendor part 1, raw packets 0x4"}}) {
    EXPECT_TRUE(in_child([&] {
      const SimulatedPort port("engine=inline");
      reported_part = part;
      reported_caps = caps;
      auto library = adapter_library();
      library.open_device = open_with_reported_attributes;
      auto** list = library.get_device_list(nullptr);
      const auto context =
          Context::open_port(library, list[0], {"mana_0", "7870:00:00.0", 1, "sim0", false});
      library.free_device_list(list);
      EXPECT_THAT(context ? "" : context.error().message, HasSubstr(error));
      EXPECT_EQ(context.has_value(), std::string_view(error).empty());
    }));
  }
}

TEST(Context, DetectsAFatalDeviceEvent) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline fault=device=fatal");
    const auto context = port.open().value();
    EXPECT_FALSE(context->is_lost());
    const auto tx = SendQueue::make(*context, 64).value();
    while (!context->is_lost()) std::this_thread::yield();
    EXPECT_TRUE(context->is_lost());
  }));
}

TEST(Region, IsZeroAndLargeEnough) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port;
    {
      const auto context = port.open().value();
      const auto region = Region::make(*context, 5000).value();
      EXPECT_EQ(std::ranges::count(std::span(region.data(), 5000), 0), 5000);
      EXPECT_NE(region.key(), 0U);
    }
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

}  // namespace
}  // namespace manactl::datapath::verbs::verbs_context_test
