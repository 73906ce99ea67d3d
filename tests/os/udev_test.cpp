// SPDX-License-Identifier: MIT
//
// libudev on the /sys of an Azure VM, which umockdev simulates. Runs under umockdev-wrapper.

#include <gtest/gtest.h>
#include <umockdev.h>

#include "os/devices.h"
#include "os/kernel_calls.h"
#include "os/owned.h"

namespace manactl::os::udev_test {
namespace {

using Testbed = Owned<UMockdevTestbed, g_object_unref>;
using Text = Owned<char, g_free>;

std::unique_ptr<Devices> live_devices() {
  static const auto files = open_files("/");
  return open_live_devices(**files);
}

constexpr const char* kNic = "6045bdc0-bd67-6045-bdc0-bd676045bdc0";

class AzureVm : public ::testing::Test {
 protected:
  AzureVm() : testbed_(umockdev_testbed_new()) {
    add_pci("7870:00:00.0", "0x020000", "0x00ba");
    add_pci("0001:00:00.0", "0x020000", "0x1016");
    add_pci("0000:00:01.0", "0x010802", "0x0001");
    add_vmbus(kNic, "{f8615163-df3e-46c5-913f-f2d2f965ed0e}");
    add_vmbus("00000000-0000-8899-0000-000000000000", "{32412632-86cb-44a2-9b5c-50d1417354f5}");
  }

  void add_pci(const char* address, const char* class_text, const char* device) {
    const Text path(umockdev_testbed_add_device(testbed_.get(),
                                                "pci",
                                                address,
                                                nullptr,
                                                "class",
                                                class_text,
                                                "vendor",
                                                "0x1414",
                                                "device",
                                                device,
                                                "numa_node",
                                                "0",
                                                nullptr,
                                                "PCI_SLOT_NAME",
                                                address,
                                                nullptr));
    ASSERT_TRUE(path);
    umockdev_testbed_set_attribute_link(
        testbed_.get(), path.get(), "driver", "../../bus/pci/drivers/mana");
  }

  void add_vmbus(const char* id, const char* class_id) {
    const Text path(umockdev_testbed_add_device(testbed_.get(),
                                                "vmbus",
                                                id,
                                                nullptr,
                                                "class_id",
                                                class_id,
                                                nullptr,
                                                "DEVTYPE",
                                                "vmbus",
                                                nullptr));
    ASSERT_TRUE(path);
    umockdev_testbed_set_attribute_link(
        testbed_.get(), path.get(), "driver", "../../bus/vmbus/drivers/hv_netvsc");
  }

  Testbed testbed_;
};

TEST_F(AzureVm, ListsNetworkFunctionsInOrder) {
  const auto devices = live_devices()->pci_network();
  ASSERT_TRUE(devices) << devices.error().message;
  ASSERT_EQ(devices->size(), 2U);
  EXPECT_EQ(devices->front().address.str(), "0001:00:00.0");
  const auto& mana = devices->back();
  EXPECT_EQ(mana.address.str(), "7870:00:00.0");
  EXPECT_EQ(mana.vendor, 0x1414);
  EXPECT_EQ(mana.device, 0x00ba);
  EXPECT_EQ(mana.class_code, 0x020000U);
  EXPECT_EQ(mana.driver, "mana");
  EXPECT_EQ(mana.numa_node, 0);
  EXPECT_EQ(mana.path, "sys/devices/7870:00:00.0");
}

TEST_F(AzureVm, ListsTheSyntheticNic) {
  const auto devices = live_devices()->vmbus_network();
  ASSERT_TRUE(devices) << devices.error().message;
  ASSERT_EQ(devices->size(), 1U);
  EXPECT_EQ(devices->front().id.str(), kNic);
  EXPECT_EQ(devices->front().driver, "hv_netvsc");
}

TEST_F(AzureVm, ListsNicsInOrder) {
  add_vmbus("00000002-bd67-6045-bdc0-bd676045bdc0", "{f8615163-df3e-46c5-913f-f2d2f965ed0e}");
  add_vmbus("00000001-bd67-6045-bdc0-bd676045bdc0", "{f8615163-df3e-46c5-913f-f2d2f965ed0e}");
  const auto devices = live_devices()->vmbus_network();
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 3U);
  EXPECT_TRUE(devices->at(0).id < devices->at(1).id && devices->at(1).id < devices->at(2).id);
}

TEST_F(AzureVm, OmitsARemovedDevice) {
  test::KernelCalls calls;
  calls.udev_device_new_from_syspath = [](udev*, const char* path) -> std::optional<udev_device*> {
    if (!std::string_view(path).ends_with("7870:00:00.0")) return std::nullopt;
    return nullptr;
  };
  const auto devices = live_devices()->pci_network();
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 1U);
  EXPECT_EQ(devices->front().address.str(), "0001:00:00.0");
}

TEST_F(AzureVm, ReportsFailuresOfLibudev) {
  const auto message = [] { return live_devices()->pci_network().error().message; };
  const auto error = [](int number) { return [=](auto&&...) { return -number; }; };
  test::KernelCalls calls;
  calls.udev_enumerate_scan_devices = error(EACCES);
  EXPECT_EQ(message(), "libudev cannot list the pci bus: Permission denied");
  calls.udev_enumerate_add_match_sysattr = error(ENOMEM);
  EXPECT_EQ(message(), "libudev cannot list the pci bus: Cannot allocate memory");
  calls.udev_enumerate_add_match_subsystem = error(EINVAL);
  EXPECT_EQ(message(), "libudev cannot list the pci bus: Invalid argument");
  EXPECT_EQ(live_devices()->vmbus_network().error().message,
            "libudev cannot list the vmbus bus: Invalid argument");
  calls.udev_enumerate_new = test::null_with(ENOMEM);
  EXPECT_EQ(message(), "libudev cannot start a search");
  calls.udev_new = test::null_with(ENOMEM);
  EXPECT_EQ(message(), "cannot initialize libudev");
}

TEST_F(AzureVm, ListsTheSameFunctionsFromSysfs) {
  const Text root(umockdev_testbed_get_root_dir(testbed_.get()));
  const auto files = open_files(root.get());
  ASSERT_TRUE(files);
  const auto from_tree = open_tree_devices(**files)->pci_network();
  const auto from_udev = live_devices()->pci_network();
  ASSERT_TRUE(from_tree && from_udev);
  ASSERT_EQ(from_tree->size(), from_udev->size());
  for (std::size_t i = 0; i < from_tree->size(); ++i) {
    EXPECT_EQ((*from_tree)[i].address, (*from_udev)[i].address);
    EXPECT_EQ((*from_tree)[i].driver, (*from_udev)[i].driver);
    EXPECT_EQ((*from_tree)[i].path, (*from_udev)[i].path);
  }
}

}  // namespace
}  // namespace manactl::os::udev_test
