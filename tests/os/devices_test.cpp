// SPDX-License-Identifier: MIT

#include "os/devices.h"

#include <gmock/gmock.h>

#include <map>

#include "os/memory_files.h"
#include "os/sysfs_device.h"

namespace manactl::os::devices_test {
namespace {

TEST(LiveDevices, AreReadFromSysfsWithoutLibudev) {
  MemoryFiles files;
  const std::string address = "7870:00:00.0", path = "sys/devices/pci/" + address;
  files.add_link("sys/bus/pci/devices/" + address, "../../../devices/pci/" + address);
  for (const auto& [name, value] : {std::pair{"class", "0x020000"}, {"vendor", "0x1414"}}) {
    files.add_file(fmt::format("{}/{}", path, name), value);
  }
  files.add_file(path + "/device", "0x00ba\n");
  const auto devices = open_live_devices(files, [] { return std::string("no libudev.so.1"); });
  const auto found = devices->pci_network();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().address.str(), address);
  EXPECT_EQ(devices->fallback_reason(),
            "devices are read from sysfs, because libudev is not available (no libudev.so.1)");
  EXPECT_EQ(open_live_devices(files, [] { return std::string(); })->fallback_reason(), "");
  EXPECT_EQ(open_tree_devices(files)->fallback_reason(), "");
}

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

// A device whose attributes are those of the map.
SysfsDevice device(const std::string& name, std::map<std::string, std::string> attributes) {
  SysfsDevice result;
  result.name = name;
  result.path = "sys/devices/x";
  result.driver = "mana";
  result.attribute = [attributes](const char* attribute) {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? std::string() : found->second;
  };
  return result;
}

TEST(SysfsDevices, NeedEachAttributeInItsRange) {
  const std::map<std::string, std::string> whole = {
      {"vendor", "0xffff"}, {"device", "0xfffe"}, {"class", "0xffffff"}, {"numa_node", "65535"}};
  const auto good = pci_device(device("7870:00:00.0", whole));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->vendor, 0xffff);
  EXPECT_EQ(good->device, 0xfffe);
  EXPECT_EQ(good->class_code, 0xffffffU);
  EXPECT_EQ(good->numa_node, 65535);
  EXPECT_EQ(good->driver, "mana");
  EXPECT_EQ(good->path, "sys/devices/x");
  EXPECT_FALSE(pci_device(device("junk", whole)));
  for (const auto& [name, text] : {std::pair{"vendor", "0x10000"},
                                   {"vendor", ""},
                                   {"device", "0x10000"},
                                   {"device", ""},
                                   {"class", "0x1000000"},
                                   {"class", ""}}) {
    auto changed = whole;
    changed[name] = text;
    EXPECT_FALSE(pci_device(device("7870:00:00.0", changed))) << name << text;
  }
  for (const char* node : {"-1", "65536", ""}) {
    auto changed = whole;
    changed["numa_node"] = node;
    EXPECT_EQ(pci_device(device("7870:00:00.0", changed))->numa_node, -1) << node;
  }
}

TEST(SysfsDevices, OfTheVmbusNeedTwoIds) {
  const std::string id = "6045bdc0-bd67-6045-bdc0-bd676045bdc0";
  const std::string nic(kNetworkClassId);
  const auto good = vmbus_device(device(id, {{"class_id", nic}}));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->id.str(), id);
  EXPECT_EQ("{" + good->class_id.str() + "}", nic);
  EXPECT_EQ(good->path, "sys/devices/x");
  const auto old = vmbus_device(device("vmbus_0_1", {{"class_id", nic}, {"device_id", id}}));
  ASSERT_TRUE(old) << "a kernel before 4.14";
  EXPECT_EQ(old->id.str(), id);
  EXPECT_FALSE(vmbus_device(device("vmbus_0_1", {{"class_id", nic}})));
  EXPECT_FALSE(vmbus_device(device(id, {{"class_id", "x"}})));
}

TEST(NetworkClass, HasTheBaseClass02) {
  for (const char* text : {"0x020000", "0x02ffff"}) EXPECT_TRUE(is_network_class(text)) << text;
  for (const char* text : {"0x01ffff", "0x030000", "0x1020000", "2", "", "x", "0x1000000"}) {
    EXPECT_FALSE(is_network_class(text)) << text;
  }
}

TEST(TreeDevices, AreSorted) {
  MemoryFiles files;
  const std::string dir = "sys/bus/vmbus/devices/";
  const std::string id = "-bd67-6045-bdc0-bd676045bdc0";
  // The name of one directory is not its id.
  files.add_file(dir + "vmbus_0_1/class_id", kNetworkClassId.data());
  files.add_file(dir + "vmbus_0_1/device_id", "{00000002" + id + "}");
  files.add_file(dir + "00000003" + id + "/class_id", kNetworkClassId.data());
  files.add_file(dir + "00000001" + id + "/class_id", kNetworkClassId.data());
  files.add_directory(dir + "without-class");
  const auto devices = open_tree_devices(files)->vmbus_network();
  ASSERT_TRUE(devices);
  std::vector<std::string> starts;
  for (const auto& one : *devices) starts.push_back(one.id.str().substr(0, 8));
  EXPECT_THAT(starts, ::testing::ElementsAre("00000001", "00000002", "00000003"));
}

TEST(TreeDevices, AreReportedIfTheyCannotBeListed) {
  MemoryFiles files;
  for (const char* bus : {"pci", "vmbus"}) {
    const auto dir = fmt::format("sys/bus/{}/devices", bus);
    files.add_link(dir, "devices");  // a loop
  }
  EXPECT_EQ(open_tree_devices(files)->pci_network().error().code, Errc::invalid);
  EXPECT_EQ(open_tree_devices(files)->vmbus_network().error().code, Errc::invalid);
}

TEST(TreeDevices, HaveAttributesOfAtMostOnePage) {
  MemoryFiles files;
  const std::string dir = "sys/bus/pci/devices/7870:00:00.0/";
  const auto blanks = [](std::size_t length) { return std::string(length, ' '); };
  for (const char* name : {"class", "vendor", "device"}) {
    files.add_file(dir + name, "0x020000" + blanks(4096 - 8));
  }
  files.add_file(dir + "vendor", "0x1414");
  files.add_file(dir + "device", "0x00ba" + blanks(4090));
  EXPECT_EQ(open_tree_devices(files)->pci_network()->size(), 1U);
  files.add_file(dir + "device", "0x00ba" + blanks(4091));
  EXPECT_TRUE(open_tree_devices(files)->pci_network()->empty());
}

TEST(Devices, HaveNoAttributesByDefault) {
  const PciDevice none;
  EXPECT_EQ(none.vendor + none.device, 0);
  EXPECT_EQ(none.class_code, 0U);
  EXPECT_EQ(none.numa_node, -1);
}

TEST(Devices, AreEqualFromLibudevAndFromSysfs) {
  const auto files = open_files("/");
  ASSERT_TRUE(files);
  const auto from_tree = open_tree_devices(**files)->pci_network();
  const auto from_udev = open_live_devices(**files)->pci_network();
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
}  // namespace manactl::os::devices_test
