// SPDX-License-Identifier: MIT

#include "setup/sysfs.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "os/memory_files.h"
#include "setup/fake_vm.h"

namespace manactl::setup::sysfs_test {
namespace {

using test::FakeVm;

constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";

TEST(DriverOf, DistinguishesAnUnboundChannelFromAMissingOne) {
  FakeVm vm;
  const auto& files = vm.context().system.files;
  EXPECT_EQ(driver_of(files, kEth1), kNetvsc);
  vm.unreadable[device_path(kEth1) + "/driver"] = 0;
  EXPECT_EQ(driver_of(files, kEth1).error().code, Errc::io);
  vm.unreadable.clear();
  vm.state.channels[1].driver.clear();
  vm.rebuild();
  EXPECT_EQ(driver_of(files, kEth1), "");
  const auto missing = driver_of(files, "000d3a76");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_EQ(missing.error().message, "VMBus channel 000d3a76 does not exist");
}

TEST(OverrideOf, IsEmptyIfTheKernelPrintsANullPointer) {
  os::MemoryFiles files;
  EXPECT_EQ(override_of(files, kEth1).error().code, Errc::not_found);
  for (const auto& [text, expected] :
       {std::pair{"(null)\n", ""}, {"\n", ""}, {"uio_hv_generic\n", "uio_hv_generic"}}) {
    files.add_file(device_path(kEth1) + "/driver_override", text);
    EXPECT_EQ(override_of(files, kEth1), expected);
  }
}

TEST(UioOf, IsTheDeviceInTheDirectoryOfTheChannel) {
  os::MemoryFiles files;
  EXPECT_EQ(uio_of(files, kEth1), std::nullopt);
  EXPECT_EQ(interface_of(files, kEth1), std::nullopt);
  files.add_directory(device_path(kEth1) + "/uio");
  files.add_directory(device_path(kEth1) + "/net");
  EXPECT_EQ(uio_of(files, kEth1), std::nullopt);
  EXPECT_EQ(interface_of(files, kEth1), std::nullopt);
  files.add_file(device_path(kEth1) + "/uio/uio3/name", "");
  files.add_file(device_path(kEth1) + "/net/eth1/mtu", "");
  EXPECT_EQ(uio_of(files, kEth1), "uio3");
  EXPECT_EQ(interface_of(files, kEth1), "eth1");
}

TEST(BootId, IsReadWithoutBlanks) {
  FakeVm vm;
  const auto& files = vm.context().system.files;
  vm.boot_id = " 0b5c51d2 ";
  vm.rebuild();
  EXPECT_EQ(boot_id(files), "0b5c51d2");
  vm.unreadable["proc/sys/kernel/random/boot_id"] = 0;
  EXPECT_FALSE(boot_id(files));
}

TEST(FindLink, AcceptsAlternativeNames) {
  FakeVm vm;
  const auto& system = vm.context().system;
  vm.state.links.at(4).alternative_names = {"enx000d3a763bd1", "second"};
  for (const char* name : {"eth1", "enx000d3a763bd1", "second"}) {
    const auto link = find_link(system, name);
    ASSERT_TRUE(link) << name;
    EXPECT_EQ(link->index, 4);
  }
  const auto missing = find_link(system, "eth7\n");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_EQ(missing.error().message, "interface 'eth7\\x0a' does not exist");
  vm.unreadable["links"] = 0;
  EXPECT_EQ(find_link(system, "eth1").error().code, Errc::io);
}

}  // namespace
}  // namespace manactl::setup::sysfs_test
