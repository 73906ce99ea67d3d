// SPDX-License-Identifier: MIT

#include "os/devices.h"

#include <gtest/gtest.h>

#include "os/memory_files.h"

namespace manactl::os {
namespace {

TEST(TreeDevices, FindsOnlyNetworkFunctions) {
  MemoryFiles files;
  const auto add = [&](const std::string& address, const char* class_text) {
    const auto path = "sys/devices/pci/" + address;
    files.add_link("sys/bus/pci/devices/" + address, "../../../devices/pci/" + address);
    files.add_file(path + "/class", class_text);
    files.add_file(path + "/vendor", "0x1414\n");
    files.add_file(path + "/device", "0x00ba\n");
    files.add_file(path + "/numa_node", "-1\n");
  };
  add("7870:00:00.0", "0x020000\n");
  add("0001:00:00.0", "0x020000\n");
  add("0000:00:01.0", "0x010802\n");
  add("0000:00:02.0", "");
  add("junk", "0x020000\n");
  files.add_link("sys/devices/pci/7870:00:00.0/driver", "../../../bus/pci/drivers/mana");
  const auto devices = open_tree_devices(files)->pci_network();
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 2U);
  EXPECT_EQ(devices->front().address.str(), "0001:00:00.0");
  EXPECT_EQ(devices->front().driver, "");
  const auto& mana = devices->back();
  EXPECT_EQ(mana.address.str(), "7870:00:00.0");
  EXPECT_EQ(mana.vendor, 0x1414);
  EXPECT_EQ(mana.device, 0x00ba);
  EXPECT_EQ(mana.class_code, 0x020000U);
  EXPECT_EQ(mana.driver, "mana");
  EXPECT_EQ(mana.numa_node, -1);
  EXPECT_EQ(mana.path, "sys/devices/pci/7870:00:00.0");
}

TEST(TreeDevices, FindsSyntheticNics) {
  MemoryFiles files;
  const std::string id = "6045bdc0-bd67-6045-bdc0-bd676045bdc0";
  const std::string dir = "sys/bus/vmbus/devices/";
  files.add_file(dir + id + "/class_id", "{f8615163-df3e-46c5-913f-f2d2f965ed0e}\n");
  files.add_link(dir + id + "/driver", "../../drivers/hv_netvsc");
  files.add_file(dir + "00000000-0000-8899-0000-000000000000/class_id",
                 "{32412632-86cb-44a2-9b5c-50d1417354f5}\n");
  const auto devices = open_tree_devices(files)->vmbus_network();
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 1U);
  EXPECT_EQ(devices->front().id.str(), id);
  EXPECT_EQ(devices->front().driver, "hv_netvsc");
}

TEST(TreeDevices, AreEmptyWithoutABus) {
  const MemoryFiles files;
  EXPECT_TRUE(open_tree_devices(files)->pci_network()->empty());
  EXPECT_TRUE(open_tree_devices(files)->vmbus_network()->empty());
}

TEST(Devices, AreEqualFromLibudevAndFromSysfs) {
  const auto files = open_files("/");
  ASSERT_TRUE(files);
  const auto from_tree = open_tree_devices(**files)->pci_network();
  const auto from_udev = open_udev_devices()->pci_network();
  ASSERT_TRUE(from_tree && from_udev);
  ASSERT_EQ(from_tree->size(), from_udev->size());
  for (std::size_t i = 0; i < from_tree->size(); ++i) {
    EXPECT_EQ((*from_tree)[i].address, (*from_udev)[i].address);
    EXPECT_EQ((*from_tree)[i].device, (*from_udev)[i].device);
    EXPECT_EQ((*from_tree)[i].driver, (*from_udev)[i].driver);
    EXPECT_EQ((*from_tree)[i].numa_node, (*from_udev)[i].numa_node);
    EXPECT_EQ((*from_tree)[i].path, (*from_udev)[i].path);
  }
}

}  // namespace
}  // namespace manactl::os
