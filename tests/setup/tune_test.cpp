// SPDX-License-Identifier: MIT

#include "setup/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "host/gather.h"
#include "setup/confirm.h"
#include "setup/restore.h"
#include "setup/status.h"
#include "setup/tuned_vm.h"

namespace manactl::setup::tune_test {
namespace {

using test::FakeVm;
using test::kChannelsKey;
using test::kQdiscKey;
using test::kRingsKey;
using test::kTsoKey;
using test::kVf1;
using test::tune_request;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Tune : public ::testing::Test {
 protected:
  Tune() { test::add_tuning_settings(vm_); }

  TunedNic tuned(const TuneRequest& request) {
    auto nics = tune(request, vm_.context());
    EXPECT_TRUE(nics) << nics.error().message;
    return nics && !nics->empty() ? std::move(nics->front()) : TunedNic();
  }

  std::string error(const TuneRequest& request, Errc code) {
    const auto before = vm_.dump();
    const auto nics = tune(request, vm_.context());
    EXPECT_FALSE(nics);
    EXPECT_EQ(vm_.dump(), before);
    if (nics) return {};
    EXPECT_EQ(nics.error().code, code) << nics.error().message;
    return nics.error().message;
  }

  void restore_all(const std::string& before) {
    const auto restored = restore({"eth1"}, vm_.context());
    ASSERT_TRUE(restored) << restored.error().message;
    for (const auto& one : *restored) EXPECT_TRUE(one.is_complete());
    EXPECT_THAT(vm_.state.journal, IsEmpty());
    EXPECT_EQ(vm_.dump(), before);
  }

  PrepareResult prepare_eth1() {
    Request request;
    request.interface = *InterfaceName::parse("eth1");
    auto prepared = prepare(request, vm_.context());
    EXPECT_TRUE(prepared) << prepared.error().message;
    return prepared ? std::move(*prepared) : PrepareResult();
  }

  NicStatus status(const std::string& name) {
    facts_ = host::gather(vm_.context().system);
    const auto all = status_of(facts_, *vm_.journal().entries(), vm_.context().system, {});
    for (const auto& nic : all.nics) {
      if (nic.name == name) return nic;
    }
    return {};
  }

  FakeVm vm_;
  host::Facts facts_;
};

TEST_F(Tune, SetsTheValuesOfTheProfileAndRestoreReturnsToTheFormerOnes) {
  const auto before = vm_.dump();
  const auto nic = tuned(tune_request());
  EXPECT_EQ(nic.result.outcome, PrepareOutcome::done);
  EXPECT_EQ(vm_.setting("eth1", kRingsKey), "1024 0 0 1024") << "a longer ring stays";
  EXPECT_EQ(vm_.setting(kVf1, kRingsKey), "4096 0 0 4096");
  ASSERT_EQ(vm_.state.journal.size(), 1U);
  EXPECT_EQ(vm_.state.journal.begin()->first, "tune-1-000d3a76-3bd1-000d-3a76-3bd1000d3a76.jsonl");
  restore_all(before);
}

TEST_F(Tune, ChangesOnlyTheRequestedSettingsWithoutAProfile) {
  const auto nic = tuned(tune_request({{"vf-tx-ring", "512"}}));
  EXPECT_EQ(vm_.setting(kVf1, kRingsKey), "1024 0 0 512");
  EXPECT_EQ(vm_.setting("eth1", kRingsKey), "1024 0 0 256");
  ASSERT_THAT(nic.result.steps, SizeIs(1));
  EXPECT_EQ(nic.result.steps[0].title, "set vf-tx-ring to 512 of enP30832p0s0d1");
}

TEST_F(Tune, ShortensTheRingsForLatency) {
  vm_.state.settings[5] = {{kRingsKey, "8192 0 0 8192"}};
  auto request = tune_request();
  request.profile = host::Profile::latency;
  (void)tuned(request);
  EXPECT_EQ(vm_.setting(kVf1, kRingsKey), "1024 0 0 256");
}

TEST_F(Tune, ChangesNothingIfTheValuesHold) {
  (void)tuned(tune_request());
  const auto journal = vm_.state.journal;
  const auto nic = tuned(tune_request());
  EXPECT_EQ(nic.result.outcome, PrepareOutcome::already_prepared);
  EXPECT_EQ(vm_.state.journal, journal);
}

TEST_F(Tune, KeepsTheOldestValuesWhenATunedNicIsTunedAgain) {
  const auto before = vm_.dump();
  (void)tuned(tune_request());
  (void)tuned(tune_request({{"vf-rx-ring", "8192"}, {"tso", "off"}}));
  EXPECT_EQ(vm_.setting(kVf1, kRingsKey), "8192 0 0 4096");
  EXPECT_EQ(vm_.setting("eth1", kTsoKey), "off");
  EXPECT_THAT(vm_.state.journal, SizeIs(2));
  restore_all(before);
}

TEST_F(Tune, SetsTheMtuOfBothInterfaces) {
  const auto before = vm_.dump();
  (void)tuned(tune_request({{"mtu", "9000"}}));
  EXPECT_EQ(vm_.link("eth1")->mtu, 9000U);
  EXPECT_EQ(vm_.link(kVf1)->mtu, 9000U);
  restore_all(before);
}

// hv_netvsc keeps the MTU of the host, although it has set that of the VF.
TEST_F(Tune, RollsBackTheMtuOfTheVfIfTheHostDoesNotAllowIt) {
  const auto before = vm_.dump();
  vm_.after = [&](const std::string& change) {
    if (change == "ip eth1 mtu 9000") vm_.state.links[4].mtu = 1500;
  };
  const auto nic = tuned(tune_request({{"mtu", "9000"}}));
  EXPECT_EQ(nic.result.outcome, PrepareOutcome::rolled_back);
  EXPECT_EQ(vm_.dump(), before);
}

TEST_F(Tune, AttachesAQueueingDisciplineAndReturnsToThatOfTheKernel) {
  const auto before = vm_.dump();
  (void)tuned(tune_request({{"qdisc", "fq"}}));
  EXPECT_EQ(vm_.setting("eth1", kQdiscKey), "fq 8001 -");
  restore_all(before);
  vm_.state.settings[4][kQdiscKey] = "fq_codel 8002 0400";
  const auto with_options = vm_.dump();
  (void)tuned(tune_request({{"qdisc", "default"}}));
  EXPECT_EQ(vm_.setting("eth1", kQdiscKey), "");
  restore_all(with_options);
}

TEST_F(Tune, RefusesToReplaceTheQueueingDisciplineOfOthers) {
  vm_.state.attachments[4] = {"the queueing discipline 'htb'"};
  EXPECT_THAT(error(tune_request({{"qdisc", "fq"}}), Errc::denied),
              HasSubstr("it would lose the queueing discipline 'htb'"));
}

// Drivers make a new RSS table for new rings.
TEST_F(Tune, KeepsTheRssTable) {
  vm_.state.settings[5] = {{"ethtool/rss", "1 - 0 1"}};
  const auto before = vm_.dump();
  (void)tuned(tune_request({{"vf-rx-ring", "2048"}}));
  EXPECT_EQ(vm_.setting(kVf1, "ethtool/rss"), "1 - 0 1");
  restore_all(before);
}

TEST_F(Tune, KeepsTheRssTableThatTheAdministratorHasSetSince) {
  vm_.state.settings[5] = {{"ethtool/rss", "1 - 0 1"}};
  (void)tuned(tune_request({{"vf-rx-ring", "2048"}}));
  vm_.state.settings[5]["ethtool/rss"] = "1 - 1 1";
  const auto restored = restore({"eth1"}, vm_.context());
  ASSERT_TRUE(restored && restored->front().is_complete());
  EXPECT_EQ(vm_.setting(kVf1, kRingsKey), "1024 0 0 256");
  EXPECT_EQ(vm_.setting(kVf1, "ethtool/rss"), "1 - 1 1");
}

// While the NIC has fewer channels, the driver refuses the former table.
TEST_F(Tune, ReturnsToTheRssTableOfMoreChannels) {
  vm_.state.settings[5] = {{"ethtool/rss", "1 - 0 3"}, {kChannelsKey, "0 0 0 4"}};
  const auto before = vm_.dump();
  (void)tuned(tune_request({{"vf-rx-ring", "2048"}, {"vf-channels", "1"}}));
  EXPECT_EQ(vm_.setting(kVf1, "ethtool/rss"), "1 - 0 0");
  restore_all(before);
}

TEST_F(Tune, RollsBackIfTheDriverSilentlySetsAnotherValue) {
  const auto before = vm_.dump();
  vm_.after = [&](const std::string& change) {
    if (change.ends_with("ethtool/rings 2048 0 0 256"))
      vm_.state.settings[5][kRingsKey] = "1024 0 0 256";
  };
  const auto nic = tuned(tune_request({{"rx-ring", "2048"}, {"vf-rx-ring", "2048"}}));
  EXPECT_EQ(nic.result.outcome, PrepareOutcome::rolled_back);
  EXPECT_EQ(nic.result.cause.message,
            "set vf-rx-ring to 2048 of enP30832p0s0d1: the driver of 'enP30832p0s0d1' accepted the "
            "value '2048 0 0 256' for ethtool/rings, but set '1024 0 0 256'");
  EXPECT_EQ(vm_.dump(), before);
  EXPECT_THAT(vm_.state.journal, IsEmpty());
}

TEST_F(Tune, RollsBackIfTheDriverRefusesAValue) {
  const auto before = vm_.dump();
  vm_.refused = {{"ip enP30832p0s0d1 ethtool/rings 4096 0 0 4096", EINVAL}};
  const auto nic = tuned(tune_request());
  EXPECT_EQ(nic.result.outcome, PrepareOutcome::rolled_back);
  EXPECT_EQ(vm_.dump(), before);
}

TEST_F(Tune, RollsBackIfTheVfVanishesInTheMiddle) {
  vm_.after = [&](const std::string& change) {
    if (change.find("eth1 ethtool/rings") != std::string::npos) vm_.unplug_vf(kVf1);
  };
  const auto nic = tuned(tune_request());
  EXPECT_EQ(nic.result.outcome, PrepareOutcome::rolled_back);
  EXPECT_THAT(nic.result.cause.message, HasSubstr("the VF enP30832p0s0d1 was removed"));
  EXPECT_EQ(vm_.setting("eth1", kRingsKey), "1024 0 0 256");
  EXPECT_THAT(vm_.state.journal, IsEmpty());
}

TEST_F(Tune, DoesNotOverwriteWhatOthersHaveChangedSince) {
  (void)tuned(tune_request());
  vm_.state.settings[5][kRingsKey] = "2048 0 0 2048";
  auto restored = restore({"eth1"}, vm_.context());
  ASSERT_TRUE(restored);
  EXPECT_FALSE(restored->front().is_complete());
  EXPECT_EQ(vm_.setting(kVf1, kRingsKey), "2048 0 0 2048");
  EXPECT_THAT(restored->front().reverted.front().result.error().message,
              HasSubstr("ethtool/rings of enP30832p0s0d1 is '2048 * * 2048', but manactl set it to "
                        "'4096 * * 4096'"));
  EXPECT_THAT(restored->front().reverted.front().manual_commands,
              ElementsAre("ethtool -G enP30832p0s0d1 rx 1024 tx 256"));
  restored = restore({.name = "eth1", .force = true}, vm_.context());
  EXPECT_TRUE(restored->front().is_complete());
  EXPECT_EQ(vm_.setting(kVf1, kRingsKey), "1024 0 0 256");
}

// The VF that returns after servicing has the defaults of its driver.
TEST_F(Tune, IsRestoredAfterTheVfReturnedAsAnotherInterface) {
  (void)tuned(tune_request());
  vm_.unplug_vf(kVf1);
  vm_.plug_vf(kVf1);
  vm_.rebuild();
  const auto restored = restore({"eth1"}, vm_.context());
  EXPECT_TRUE(restored->front().is_complete());
  EXPECT_EQ(vm_.setting(kVf1, kRingsKey), "1024 0 0 256");
  EXPECT_EQ(vm_.setting("eth1", kRingsKey), "1024 0 0 256");
}

TEST_F(Tune, RestoresANicThatWasPreparedMeanwhile) {
  const auto before = vm_.dump();
  (void)tuned(tune_request());
  EXPECT_EQ(prepare_eth1().outcome, PrepareOutcome::done);
  EXPECT_THAT(vm_.state.journal, SizeIs(2));
  EXPECT_THAT(
      restore({"tune-1-000d3a76-3bd1-000d-3a76-3bd1000d3a76"}, vm_.context()).error().message,
      HasSubstr("'eth1' is prepared: run 'manactl restore eth1'"));
  restore_all(before);
}

TEST_F(Tune, LeavesNicsInUserSpaceAlone) {
  EXPECT_EQ(prepare_eth1().outcome, PrepareOutcome::done);
  EXPECT_EQ(error(tune_request(), Errc::busy),
            "'eth1' is left alone, because it is bound to uio_hv_generic: run 'manactl restore "
            "eth1' first");
  auto request = tune_request();
  request.nic.clear();
  request.force_interface = "eth0";
  const auto nics = tune(request, vm_.context());
  ASSERT_TRUE(nics) << nics.error().message;
  ASSERT_THAT(*nics, SizeIs(2));
  EXPECT_EQ((*nics)[0].result.outcome, PrepareOutcome::done);
  EXPECT_EQ((*nics)[1].left_alone, "it is bound to uio_hv_generic");
}

TEST_F(Tune, RefusesToInterruptTheAdministratorsTraffic) {
  auto request = tune_request();
  request.nic = "eth0";
  EXPECT_THAT(error(request, Errc::denied),
              HasSubstr("refusing to interrupt the traffic of 'eth0': it carries the default "
                        "route"));
  request.settings = {{"vf-rx-ring", "2048"}};
  EXPECT_THAT(error(request, Errc::denied), HasSubstr("--force-interface eth0"));
  request.force_interface = "eth1";
  EXPECT_EQ(error(request, Errc::invalid),
            "--force-interface names 'eth1', which is not a NIC that is tuned");
  request.force_interface = "eth0";
  EXPECT_EQ(tuned(request).result.outcome, PrepareOutcome::done);
}

TEST_F(Tune, SetsWhatDoesNotInterruptTheAdministratorsTraffic) {
  vm_.state.settings[2] = {{kTsoKey, "off"}};
  auto request = tune_request();
  request.nic.clear();
  const auto nics = tune(request, vm_.context());
  ASSERT_TRUE(nics) << nics.error().message;
  EXPECT_EQ(vm_.setting("eth0", kTsoKey), "on");
  EXPECT_EQ(vm_.setting("eth0", kRingsKey), "1024 0 0 256");
  EXPECT_EQ(vm_.setting("eth1", kRingsKey), "1024 0 0 1024");
  EXPECT_THAT(nics->front().objections,
              ElementsAre("it carries the default route, SSH session from 10.1.0.9"));
}

TEST_F(Tune, RollsBackEveryNicIfOneCannotBeTuned) {
  const auto before = vm_.dump();
  vm_.refused = {{"ip enP30832p0s0d1 ethtool/rings 4096 0 0 4096", EINVAL}};
  auto request = tune_request();
  request.nic.clear();
  request.force_interface = "eth0";
  const auto nics = tune(request, vm_.context());
  ASSERT_TRUE(nics) << nics.error().message;
  for (const auto& nic : *nics) EXPECT_EQ(nic.result.outcome, PrepareOutcome::rolled_back);
  EXPECT_EQ(nics->front().result.cause.message, "'eth1' could not be tuned");
  EXPECT_EQ(vm_.dump(), before);
  EXPECT_THAT(vm_.state.journal, IsEmpty());
}

TEST_F(Tune, RefusesValuesThatTheDriverDoesNotAccept) {
  EXPECT_EQ(
      error(tune_request({{"vf-rx-ring", "16384"}}), Errc::invalid),
      "vf-rx-ring=16384 is out of range: the driver of 'enP30832p0s0d1' accepts at most 8192");
  vm_.state.defaults.erase(kRingsKey);
  EXPECT_EQ(error(tune_request({{"vf-rx-ring", "2048"}}), Errc::unsupported),
            "'enP30832p0s0d1': vf-rx-ring is not supported by this kernel; the driver of Linux "
            "6.12 can");
  const auto nic = tuned(tune_request());
  EXPECT_EQ(nic.result.outcome, PrepareOutcome::already_prepared);
  EXPECT_EQ(std::ranges::count(nic.settings, SettingState::unsupported, &TunedSetting::state), 9)
      << "rings, and features other than TSO";
}

TEST_F(Tune, RefusesWhatIsNotAMana) {
  auto request = tune_request();
  request.nic = "lo";
  (void)error(request, Errc::not_found);
  vm_.unplug_vf(kVf1);
  vm_.rebuild();
  EXPECT_EQ(error(tune_request(), Errc::unsupported),
            "'eth1' has no VF: run 'manactl doctor' to find the reason");
}

TEST_F(Tune, AwaitsConfirmation) {
  ASSERT_TRUE(tune(tune_request(), vm_.context(), test::unconfirmed));
  EXPECT_EQ(status("eth1").journal, JournalState::awaiting_confirmation);
  EXPECT_THAT(error(tune_request({{"tso", "off"}}), Errc::busy),
              HasSubstr("'eth1' is tuned but not confirmed"));
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  EXPECT_THAT(prepare(request, vm_.context()).error().message,
              HasSubstr("'eth1' is tuned but not confirmed"));
  const auto confirmed = confirm("", vm_.context());
  ASSERT_TRUE(confirmed) << confirmed.error().message;
  EXPECT_TRUE((*confirmed)->is_tuning);
  EXPECT_EQ(status("eth1").journal, JournalState::tuned);
  EXPECT_THAT(status("eth1").changes,
              ElementsAre("set tx-ring to 1024 of eth1",
                          "set vf-rx-ring to 4096 and vf-tx-ring to 4096 of enP30832p0s0d1"));
  EXPECT_FALSE(*confirm("eth1", vm_.context())) << "confirmed before";
}

TEST_F(Tune, IsUndoneByAReboot) {
  (void)tuned(tune_request());
  vm_.boot_id = "1b5c51d2-9d1f-4a5b-8a5e-1f2e3d4c5b6a";
  vm_.state.settings.clear();
  vm_.rebuild();
  EXPECT_EQ(status("eth1").journal, JournalState::earlier_boot);
  EXPECT_EQ(tuned(tune_request({{"tso", "on"}})).result.outcome, PrepareOutcome::already_prepared);
  EXPECT_THAT(vm_.state.journal, IsEmpty());
}

TEST_F(Tune, OfADamagedEntryNamesWhatIsLost) {
  (void)tuned(tune_request());
  for (auto& [name, text] : vm_.state.journal) text = "damaged\n";
  const auto restored = restore({"eth1"}, vm_.context());
  ASSERT_TRUE(restored && restored->size() == 1U);
  EXPECT_FALSE(restored->front().is_complete());
  EXPECT_THAT(restored->front().unknown, ::testing::Contains("the settings before 'manactl tune'"));
  EXPECT_THAT(vm_.state.journal, SizeIs(1));
}

}  // namespace
}  // namespace manactl::setup::tune_test
