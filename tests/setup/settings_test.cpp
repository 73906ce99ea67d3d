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
constexpr const char* kIpv6Mtu = "proc/sys/net/ipv6/conf/@/mtu";
constexpr const char* kQueue = "sys/class/net/@/queues/rx-0/rps_cpus";

constexpr const char* kChannels = "ethtool/channels";
constexpr const char* kName = "link/altname/data0";

TEST(Settings, AreReadInTheOrderInWhichTheyCanBeSet) {
  os::MemoryFiles files;
  files.add_file("proc/sys/net/ipv4/conf/eth1/rp_filter", "2\n");
  files.add_file("proc/sys/net/ipv4/conf/eth1.5/rp_filter", "1\n");
  files.add_file("sys/class/net/eth1/ifalias", "a b\n");
  files.add_file("sys/class/net/eth1/mtu", "1500\n");
  files.add_file("sys/class/net/eth1/queues/tx-1/xps_cpus", "3\n");
  files.add_file("sys/class/net/eth1/queues/tx-1/byte_queue_limits/limit_max", "7\n");
  files.add_file("sys/class/net/eth1/queues/tx-1/byte_queue_limits/hold_time", "7\n");
  FakeVm vm;
  vm.state.settings[4][kName] = "";
  const auto system = vm.system_with(files);
  auto link = *vm.link("eth1");
  EXPECT_THAT(*read_settings(system, link),
              ElementsAre(Pair(kChannels, "0 0 0 2"),
                          Pair(kFilter, "2"),
                          Pair(kAlias, "a b"),
                          Pair("sys/class/net/@/queues/tx-1/xps_cpus", "3"),
                          Pair("sys/class/net/@/queues/tx-1/byte_queue_limits/limit_max", "7"),
                          Pair(kName, ""),
                          Pair("link/flags", "multicast")));
}

TEST(Settings, AreReadAgainIfTheInterfaceIsRenamedMeanwhile) {
  FakeVm vm;
  vm.state.settings[4] = {{kFilter, "2"}, {kQueue, "3"}};
  auto link = *vm.link("eth1");
  const auto expected = *read_settings(vm.context().system, link);
  vm.while_reading = [&vm] {
    vm.rename("eth1", "lan1");
    vm.rebuild();
  };
  EXPECT_EQ(*read_settings(vm.context().system, link), expected);
  EXPECT_EQ(link.name, "lan1");
}

TEST(Settings, OfAnInterfaceThatVanishesMeanwhileCannotBeRead) {
  FakeVm vm;
  auto link = *vm.link("eth1");
  vm.while_reading = [&vm] {
    vm.state.links.erase(4);
    vm.rebuild();
  };
  EXPECT_EQ(read_settings(vm.context().system, link).error().message,
            "'eth1' has vanished: No such device");
}

class SavedSettings : public ::testing::Test {
 protected:
  SavedSettings() {
    vm_.state.settings[4] = {
        {kChannels, "0 0 0 1"}, {kFilter, "2"}, {kAlias, "a b"}, {kQueue, "3"}, {kName, ""}};
    vm_.rebuild();
    EXPECT_TRUE(save_settings(vm_.context().system, *vm_.link("eth1"), saved_));
    vm_.state.settings.clear();
    vm_.rebuild();
  }

  std::string restore(Lost lost = Lost::all_settings) {
    const auto restored =
        restore_settings(vm_.context(), *vm_.link("eth1"), saved_, lost, managed_);
    return restored ? "" : restored.error().message;
  }

  FakeVm vm_;
  Values saved_;
  ManagedSettings managed_;
};

TEST_F(SavedSettings, StayAsANetworkManagerHasSetThem) {
  managed_.at_return = {{kFilter, "0"}, {kAlias, "old"}, {kQueue, "0"}};
  vm_.state.settings[4] = {{kFilter, "1"}, {kAlias, "a b"}};
  vm_.rebuild();
  EXPECT_EQ(restore(), "");
  EXPECT_EQ(vm_.setting("eth1", kFilter), "1");
  EXPECT_EQ(vm_.setting("eth1", kQueue), "3") << "nothing else has set it";
  EXPECT_THAT(
      managed_.kept,
      ElementsAre("/proc/sys/net/ipv4/conf/eth1/rp_filter was '2', but something set it to '1' "
                  "when the interface returned"));
}

TEST_F(SavedSettings, AreWrittenOnlyIfTheyDiffer) {
  EXPECT_EQ(restore(), "");
  EXPECT_EQ(vm_.setting("eth1", kChannels), "0 0 0 1");
  EXPECT_EQ(vm_.setting("eth1", kFilter), "2");
  EXPECT_EQ(vm_.setting("eth1", kAlias), "a b");
  EXPECT_EQ(vm_.setting("eth1", kQueue), "3");
  EXPECT_TRUE(vm_.state.settings[4].contains(kName));
  EXPECT_EQ(vm_.changes(), 5U);
  EXPECT_EQ(restore(), "");
  EXPECT_EQ(vm_.changes(), 5U);
}

TEST_F(SavedSettings, AreOnlyComparedIfTheyWereWrittenBefore) {
  EXPECT_THAT(restore(Lost::nothing), HasSubstr("ethtool/channels was '0 0 0 1'"));
  EXPECT_EQ(restore(Lost::neighbors), "");
  EXPECT_EQ(vm_.changes(), 0U);
}

TEST_F(SavedSettings, OfWhichTheJournalCannotStoreOneAreNotSaved) {
  vm_.state.settings[4][kAlias] = "a\xff";
  vm_.rebuild();
  const auto saved = save_settings(vm_.context().system, *vm_.link("eth1"), saved_);
  EXPECT_EQ(saved.error().message,
            "the journal cannot store the setting sys/class/net/@/ifalias 'a\\xff' of eth1: change "
            "it, for example with ip-link(8)");
}

TEST_F(SavedSettings, ThatTheKernelRefusesAreReported) {
  vm_.refused = {{"echo 2 > proc/sys/net/ipv4/conf/eth1/rp_filter", EINVAL}};
  EXPECT_EQ(restore(),
            "/proc/sys/net/ipv4/conf/eth1/rp_filter was '2', and is '0' now: cannot echo 2 > "
            "proc/sys/net/ipv4/conf/eth1/rp_filter: Invalid argument (set it with echo 2 "
            ">/proc/sys/net/ipv4/conf/eth1/rp_filter)");
  EXPECT_EQ(vm_.setting("eth1", kAlias), "a b");
  vm_.refused["echo 3 > sys/class/net/eth1/queues/rx-0/rps_cpus"] = EINVAL;
  vm_.refused["echo a b > sys/class/net/eth1/ifalias"] = EINVAL;
  vm_.refused["ip eth1 ethtool/channels 0 0 0 1"] = EINVAL;
  vm_.state.settings.clear();
  vm_.rebuild();
  EXPECT_THAT(restore(),
              HasSubstr("the setting ethtool/channels was '0 0 0 1', and is '0 0 0 2' "));
  EXPECT_THAT(restore(),
              HasSubstr("; /sys/class/net/eth1/queues/rx-0/rps_cpus was '3', and is '0'"));
}

TEST_F(SavedSettings, WaitForFilesThatAppearLate) {
  saved_.emplace(list_key("setting", 98), "sys/class/net/@/queues/rx-7/rps_cpus 3");
  EXPECT_EQ(restore(), "/sys/class/net/eth1/queues/rx-7/rps_cpus was '3', and does not exist now");
  EXPECT_GE(vm_.context().clock.now(), std::chrono::seconds(2));
}

// Without udev, restore cannot wait for the final name.
TEST_F(SavedSettings, AreWrittenIfTheInterfaceIsRenamedMeanwhile) {
  const auto link = *vm_.link("eth1");
  vm_.rename("eth1", "lan1");
  const auto restored = restore_settings(vm_.context(), link, saved_, Lost::all_settings, managed_);
  EXPECT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(vm_.setting("lan1", kAlias), "a b");
}

TEST_F(SavedSettings, CannotBeRestoredIfTheInterfaceVanishes) {
  const auto link = *vm_.link("eth1");
  vm_.state.links.erase(link.index);
  vm_.rebuild();
  const auto restored = restore_settings(vm_.context(), link, saved_, Lost::all_settings, managed_);
  EXPECT_EQ(restored.error().sys, ENODEV);
}

// The watchdog repeats a restore that failed; meanwhile, an administrator may change settings.
TEST(PreparedNic, GetsItsSettingsOnlyOnce) {
  FakeVm vm;
  vm.state.settings[4][kAlias] = "backend";
  vm.rebuild();
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  vm.refused["echo 2 > proc/sys/net/ipv4/conf/eth1/rp_filter"] = EINVAL;
  EXPECT_FALSE(restore({"eth1"}, vm.context())->front().is_complete());
  const auto* restored = vm.link("eth1");
  ASSERT_NE(restored, nullptr);
  vm.state.settings[restored->index][kAlias] = "changed";
  vm.refused.clear();
  vm.rebuild();
  EXPECT_FALSE(restore({"eth1"}, vm.context())->front().is_complete()) << "rp_filter differs";
  EXPECT_EQ(vm.setting("eth1", kAlias), "changed");
  EXPECT_EQ(vm.setting("eth1", kFilter), "0");
  const bool force = true;
  const auto forced = restore({.name = "eth1", .force = force}, vm.context());
  EXPECT_TRUE(forced->front().is_complete());
  EXPECT_EQ(std::ranges::count_if(forced->front().reverted, &RevertResult::given_up), 1);
}

TEST(PreparedNic, KeepsWhatTheNetworkManagerSetsWhenItReturns) {
  FakeVm vm;
  vm.state.settings[4][kAlias] = "backend";
  vm.rebuild();
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  vm.after = [&vm](const std::string& change) {
    const auto* link = vm.link("eth1");
    const bool is_up = link != nullptr && link->is_up();
    if (is_up && change.find("eth1 up") != std::string::npos) {
      vm.state.settings[link->index][kFilter] = "1";
    }
  };
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_TRUE(restored->front().is_complete());
  EXPECT_EQ(vm.setting("eth1", kFilter), "1");
  EXPECT_EQ(vm.setting("eth1", kAlias), "backend");
  EXPECT_THAT(restored->front().reverted.back().notes,
              ElementsAre(HasSubstr("rp_filter was '2', but something set it to '1'")));
}

TEST(PreparedNic, KeepsTheMtuThatTheNetworkManagerSetsWhenItReturns) {
  FakeVm vm;
  vm.state.links[4].mtu = 1450;
  vm.state.settings[4][kIpv6Mtu] = "1450";
  vm.rebuild();
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  vm.after = [&vm](const std::string& change) {
    const auto* link = vm.link("eth1");
    if (link == nullptr || change.find("eth1 up") == std::string::npos) return;
    vm.state.links[link->index].mtu = 1400;
    vm.state.settings[link->index][kIpv6Mtu] = "1400";
  };
  vm.refused["ip eth1 route add 192.0.2.0/24"] = EIO;
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_EQ(vm.link("eth1")->mtu, 1400U);
  EXPECT_EQ(vm.setting("eth1", kIpv6Mtu), "1400");
  EXPECT_THAT(restored->front().reverted.back().notes,
              ElementsAre("/sys/class/net/eth1/mtu was '1450', but something set it to '1400' "
                          "when the interface returned"));
  vm.refused.clear();
  const auto repeated = restore({"eth1"}, vm.context());
  ASSERT_TRUE(repeated && repeated->size() == 1);
  EXPECT_TRUE(repeated->front().is_complete());
  EXPECT_THAT(repeated->front().reverted.back().notes, ElementsAre());
  EXPECT_EQ(vm.link("eth1")->mtu, 1400U);
}

// The first restore fails for another reason.
TEST(PreparedNic, KeepsWhatTheNetworkManagerHasSetInARepeatedRestore) {
  FakeVm vm;
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  vm.after = [&vm](const std::string& change) {
    const auto* link = vm.link("eth1");
    if (link == nullptr || change.find("eth1 up") == std::string::npos) return;
    vm.state.settings[link->index][kFilter] = "1";
  };
  vm.refused["ip eth1 route add 192.0.2.0/24"] = EIO;
  EXPECT_FALSE(restore({"eth1"}, vm.context())->front().is_complete());
  vm.refused.clear();
  const auto repeated = restore({"eth1"}, vm.context());
  ASSERT_TRUE(repeated && repeated->size() == 1);
  EXPECT_TRUE(repeated->front().is_complete());
  EXPECT_THAT(repeated->front().reverted.back().notes, ElementsAre());
  EXPECT_EQ(vm.setting("eth1", kFilter), "1");
}

// The host removes and offers the channel again at any change of restore.
TEST(PreparedNic, MayVanishAgainWhileItIsRestored) {
  unsigned incomplete = 0;
  for (unsigned at = 1, changes = at; at <= changes; ++at) {
    FakeVm vm;
    vm.state.settings[4] = {{kAlias, "backend"}, {kFilter, "2"}, {kQueue, "3"}};
    vm.rebuild();
    const auto before = vm.dump();
    Request request;
    request.interface = *InterfaceName::parse("eth1");
    ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
    changes = 0;
    vm.after = [&](const std::string& /*change*/) {
      if (++changes != at) return;
      vm.reoffer_nic(1, "eth1");
      vm.rebuild();
    };
    const auto restored = restore({"eth1"}, vm.context());
    ASSERT_TRUE(restored && restored->size() == 1);
    if (restored->front().is_complete()) continue;
    ++incomplete;
    const auto repeated = restore({"eth1"}, vm.context());
    ASSERT_TRUE(repeated && repeated->size() == 1) << at;
    EXPECT_TRUE(repeated->front().is_complete()) << at;
    EXPECT_EQ(vm.dump(), before) << at;
  }
  EXPECT_GT(incomplete, 3U);
}

TEST(PreparedNic, RestoresTheSettingsOfAVfThatTheHostReturned) {
  const std::string vf = "enP30832p0s0d1";
  FakeVm vm;
  vm.state.settings[vm.link(vf)->index] = {{kQueue, "3"}};
  vm.rebuild();
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  vm.unplug_vf(vf);
  vm.plug_vf(vf);
  vm.rebuild();
  EXPECT_EQ(vm.setting(vf, kQueue), "0");
  // It differs from the synthetic interface, although nothing has changed it.
  vm.state.settings[vm.link(vf)->index][kAlias] = "port 2";
  vm.rebuild();
  EXPECT_TRUE(restore({"eth1"}, vm.context())->front().is_complete());
  EXPECT_EQ(vm.setting(vf, kQueue), "3");
  EXPECT_EQ(vm.setting(vf, kAlias), "");
}

TEST(PreparedNic, OfAnEarlierVersionHasUnknownSettings) {
  FakeVm vm;
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  auto entry = vm.journal().entries()->front();
  for (auto& step : entry.steps) {
    std::erase_if(step.before, [](const auto& one) { return one.first.starts_with("setting"); });
  }
  const auto result = restore_entry(entry, vm.context(), false);
  EXPECT_THAT(result.reverted.back().notes,
              ElementsAre(HasSubstr("the settings of eth1, such as its sysctls, are unknown")));
  EXPECT_TRUE(result.is_complete());
  EXPECT_TRUE(vm.journal().entries()->empty());
}

TEST(PreparedNic, HasItsSettingsAfterRestore) {
  FakeVm vm;
  vm.state.settings[4][kAlias] = "backend";
  vm.state.settings[4][kChannels] = "0 0 0 1";
  vm.state.settings[4][kName] = "";
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
