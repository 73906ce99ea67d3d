// SPDX-License-Identifier: MIT

#include "setup/settings.h"

#include <gmock/gmock.h>

#include "os/memory_files.h"
#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace manactl::setup::settings_test {
namespace {

using test::FakeVm;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* kAlias = "sys/class/net/@/ifalias";
constexpr const char* kFilter = "proc/sys/net/ipv4/conf/@/rp_filter";
constexpr const char* kQueue = "sys/class/net/@/queues/rx-0/rps_cpus";

TEST(Settings, AreReadFromFilesThatExist) {
  os::MemoryFiles files;
  files.add_file("proc/sys/net/ipv4/conf/eth1.5/rp_filter", "2\n");
  files.add_file("proc/sys/net/ipv4/conf/eth1/rp_filter", "1\n");
  files.add_file("sys/class/net/eth1.5/ifalias", "a b\n");
  files.add_file("sys/class/net/eth1.5/mtu", "1500\n");
  files.add_file("sys/class/net/eth1.5/queues/tx-1/xps_cpus", "3\n");
  files.add_file("sys/class/net/eth1.5/queues/tx-1/byte_queue_limits/limit_max", "7\n");
  files.add_file("sys/class/net/eth1.5/queues/tx-1/byte_queue_limits/hold_time", "7\n");
  EXPECT_THAT(read_settings(files, "eth1.5"),
              ElementsAre(Pair(kFilter, "2"),
                          Pair(kAlias, "a b"),
                          Pair("sys/class/net/@/queues/tx-1/byte_queue_limits/limit_max", "7"),
                          Pair("sys/class/net/@/queues/tx-1/xps_cpus", "3")));
}

class SavedSettings : public ::testing::Test {
 protected:
  SavedSettings() {
    vm_.state.settings[4] = {{kFilter, "2"}, {kAlias, "a b"}, {kQueue, "3"}};
    vm_.rebuild();
    save_settings(vm_.context().system.files, "eth1", saved_);
    vm_.state.settings.clear();
    vm_.rebuild();
  }

  std::string restore() {
    const auto restored = restore_settings(vm_.context(), "eth1", saved_);
    return restored ? "" : restored.error().message;
  }

  FakeVm vm_;
  Values saved_;
};

TEST_F(SavedSettings, AreWrittenOnlyIfTheyDiffer) {
  EXPECT_EQ(restore(), "");
  EXPECT_EQ(vm_.setting("eth1", kFilter), "2");
  EXPECT_EQ(vm_.setting("eth1", kAlias), "a b");
  EXPECT_EQ(vm_.setting("eth1", kQueue), "3");
  EXPECT_EQ(vm_.changes(), 3U);
  EXPECT_EQ(restore(), "");
  EXPECT_EQ(vm_.changes(), 3U);
}

TEST_F(SavedSettings, ThatTheKernelRefusesAreReported) {
  vm_.refused = {{"echo 2 > proc/sys/net/ipv4/conf/eth1/rp_filter", EINVAL}};
  EXPECT_EQ(restore(),
            "/proc/sys/net/ipv4/conf/eth1/rp_filter was '2', and is '0' now: cannot echo 2 > "
            "proc/sys/net/ipv4/conf/eth1/rp_filter: Invalid argument");
  EXPECT_EQ(vm_.setting("eth1", kAlias), "a b");
  vm_.refused["echo 3 > sys/class/net/eth1/queues/rx-0/rps_cpus"] = EINVAL;
  vm_.state.settings.clear();
  vm_.rebuild();
  EXPECT_THAT(restore(), HasSubstr("; other settings that differ: 1"));
}

TEST_F(SavedSettings, WaitForFilesThatAppearLate) {
  saved_.emplace(list_key("setting", 98), "sys/class/net/@/queues/rx-7/rps_cpus 3");
  EXPECT_EQ(restore(), "") << "there are fewer queues now";
  saved_.emplace(list_key("setting", 99), "proc/sys/net/ipv4/conf/@/other 3");
  EXPECT_EQ(restore(), "/proc/sys/net/ipv4/conf/eth1/other was '3', and does not exist now");
  EXPECT_GE(vm_.context().clock.now(), std::chrono::seconds(2));
}

TEST(PreparedNic, HasItsSettingsAfterRestore) {
  FakeVm vm;
  vm.state.settings[4][kAlias] = "backend";
  vm.rebuild();
  const auto before = vm.dump();
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  ASSERT_TRUE(restore({"eth1"}, vm.context())->front().is_complete());
  EXPECT_EQ(vm.dump(), before);
  EXPECT_THAT(before, HasSubstr("setting eth1 sys/class/net/@/ifalias backend"));
}

}  // namespace
}  // namespace manactl::setup::settings_test
