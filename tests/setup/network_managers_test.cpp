// SPDX-License-Identifier: MIT

#include "setup/network_managers.h"

#include <gtest/gtest.h>

#include "os/memory_files.h"
#include "setup/fake_vm.h"

namespace manactl::setup::network_managers_test {
namespace {

// Whether the interface 7 counts as set up, without a wait.
bool is_ready(const std::vector<std::pair<std::string, std::string>>& present) {
  os::MemoryFiles files;
  for (const auto& [path, text] : present) files.add_file(path, text);
  test::FakeVm vm;
  const auto system = vm.system_with(files);
  auto& clock = vm.context().clock;
  const auto start = clock.now();
  await_network_managers({system, clock}, 7);
  const auto waited = clock.now() - start;
  EXPECT_TRUE(waited.count() == 0 || waited >= std::chrono::seconds(3));
  return waited.count() == 0;
}

TEST(NetworkManagers, AreAwaitedOnlyIfTheyRun) {
  EXPECT_TRUE(is_ready({}));
  EXPECT_FALSE(is_ready({{"run/udev/control", ""}}));
  EXPECT_FALSE(is_ready({{"run/udev/control", ""}, {"run/udev/data/n77", "I:1\n"}}));
  EXPECT_TRUE(is_ready({{"run/udev/control", ""}, {"run/udev/data/n7", "I:1\n"}}));
  EXPECT_FALSE(
      is_ready({{"run/udev/control", ""}, {"run/udev/data/n7", "I:1\n"}, {"run/udev/queue", ""}}));
  EXPECT_FALSE(is_ready({{"run/NetworkManager/devices/3", ""}}));
  EXPECT_TRUE(is_ready({{"run/NetworkManager/devices/7", ""}}));
}

TEST(NetworkManagers, AreAwaitedWhileNetworkdConfigures) {
  const auto with = [](const char* state) {
    return is_ready({{"run/systemd/netif/links/7",
                      std::string("# private\nADMIN_STATE=") + state + "\nOPER_STATE=routable\n"}});
  };
  for (const char* state : {"pending", "initialized", "configuring"}) EXPECT_FALSE(with(state));
  for (const char* state : {"configured", "unmanaged", "failed"}) EXPECT_TRUE(with(state));
}

}  // namespace
}  // namespace manactl::setup::network_managers_test
