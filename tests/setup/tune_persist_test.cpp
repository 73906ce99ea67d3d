// SPDX-License-Identifier: MIT
//
// The files of tune --persist: what they contain, and when they are written and removed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "setup/confirm.h"
#include "setup/restore.h"
#include "setup/tuned_vm.h"
#include "setup/tuning_files.h"

namespace manactl::setup::tune_persist_test {
namespace {

using test::FakeVm;
using test::kRingsKey;
using test::kVf1;
using test::tune_request;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kRule = "/etc/udev/rules.d/99-manactl-tune-eth1.rules";
constexpr const char* kVfLink = "/etc/systemd/network/70-manactl-tune-eth1-mana.link";

class TunePersist : public ::testing::Test {
 protected:
  TunePersist() {
    test::add_tuning_settings(vm_);
    vm_.more_files = {
        {"usr/sbin/ethtool", ""},
        {"usr/sbin/tc", ""},
        {"usr/lib/systemd/libsystemd-shared-252.so", ""},
        {"usr/lib/systemd/network/99-default.link",
         "[Match]\nOriginalName=*\n\n[Link]\nNamePolicy=keep kernel database onboard slot path\n"
         "AlternativeNamesPolicy=database onboard slot path\nMACAddressPolicy=persistent\n"}};
    vm_.rebuild();
  }

  static TuneRequest request(std::map<std::string, std::string> settings) {
    auto request = tune_request(std::move(settings));
    request.persist = true;
    return request;
  }

  // The paths of the files, or the error.
  std::vector<std::string> persist(const TuneRequest& request) {
    const auto nics = tune(request, vm_.context());
    if (!nics) return {nics.error().message};
    const auto& result = nics->front().result;
    EXPECT_TRUE(result.persisted) << result.persisted.error().message;
    EXPECT_EQ(vm_.persistence().list("eth1 (tune)").size(), result.persistent.size());
    return result.persistent;
  }

  std::string text(const std::string& path) {
    std::ifstream in(std::filesystem::path(vm_.context().lock_file).parent_path().string() + path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  FakeVm vm_;
};

TEST_F(TunePersist, WritesALinkFileThatKeepsTheNamingPolicy) {
  EXPECT_THAT(persist(request({{"vf-rx-ring", "4096"}, {"vf-tso", "off"}})), ElementsAre(kVfLink));
  EXPECT_EQ(text(kVfLink),
            "# Written by manactl for eth1 (tune).\n"
            "# 'manactl restore eth1' removes this file and any change to it.\n"
            "[Match]\nMACAddress=00:0d:3a:76:3b:d1\nDriver=mana\n\n[Link]\n"
            "# Only the first .link file applies: these are the policies of 99-default.link.\n"
            "NamePolicy=keep kernel database onboard slot path\n"
            "AlternativeNamesPolicy=database onboard slot path\nMACAddressPolicy=persistent\n"
            "RxBufferSize=4096\nTCPSegmentationOffload=off\n");
}

TEST_F(TunePersist, WritesARuleIfSystemdIsTooOldOrAnotherLinkFileMayApply) {
  vm_.more_files.erase("usr/lib/systemd/libsystemd-shared-252.so");
  vm_.more_files["usr/lib/systemd/libsystemd-shared-239.so"] = "";
  vm_.rebuild();
  EXPECT_THAT(persist(request({{"vf-rx-ring", "4096"}, {"vf-tx-ring", "4096"}})),
              ElementsAre(kRule));
  EXPECT_THAT(text(kRule),
              HasSubstr("ACTION==\"add\", SUBSYSTEM==\"net\", DRIVERS==\"mana\", "
                        "ATTR{address}==\"00:0d:3a:76:3b:d1\", "
                        "RUN+=\"/usr/sbin/ethtool -G $name rx 4096 tx 4096\"\n"));
  ASSERT_TRUE(restore({"eth1"}, vm_.context()));
  vm_.more_files["usr/lib/systemd/libsystemd-shared-252.so"] = "";
  vm_.more_files["run/systemd/network/10-netplan-eth0.link"] = "";
  vm_.rebuild();
  EXPECT_THAT(persist(request({{"mtu", "9000"}, {"tso", "off"}, {"qdisc", "fq"}})),
              ElementsAre(kRule));
  EXPECT_THAT(text(kRule),
              HasSubstr("DRIVERS==\"hv_netvsc\", ATTR{address}==\"00:0d:3a:76:3b:d1\", "
                        "ATTR{mtu}=\"9000\"\n"));
  EXPECT_THAT(text(kRule),
              HasSubstr("RUN+=\"/usr/sbin/ethtool -K $name tx-tcp-segmentation off\"\n"));
  EXPECT_THAT(text(kRule), HasSubstr("RUN+=\"/usr/sbin/tc qdisc replace dev $name root fq\"\n"));
}

TEST_F(TunePersist, ChangesNothingIfNeitherWorks) {
  const auto before = vm_.dump();
  vm_.more_files["etc/os-release"] = "ID=rocky\nVERSION_ID=\"9.7\"\n";
  vm_.more_files["usr/lib/udev/rename_device"] = "";
  vm_.rebuild();
  EXPECT_THAT(persist(request({{"qdisc", "fq"}})),
              ElementsAre(HasSubstr("initscripts-rename-device keeps rules of udev from running")));
  EXPECT_EQ(vm_.dump(), before);
  vm_.more_files["etc/os-release"] = "ID=rocky\nVERSION_ID=\"9.8\"\n";
  vm_.more_files.erase("usr/sbin/tc");
  vm_.rebuild();
  EXPECT_THAT(persist(request({{"qdisc", "fq"}})),
              ElementsAre("--persist needs tc, which is not installed, for a rule of udev"));
}

TEST_F(TunePersist, RepeatsWhatEarlierRunsHaveChanged) {
  (void)persist(request({{"vf-rx-ring", "4096"}}));
  (void)persist(request({{"vf-rx-ring", "2048"}, {"vf-tso", "off"}}));
  EXPECT_THAT(text(kVfLink), HasSubstr("\nRxBufferSize=2048\nTCPSegmentationOffload=off\n"));
  // If only the newest run is restored, the files are those of the run before.
  ASSERT_TRUE(restore({"tune-2-000d3a76-3bd1-000d-3a76-3bd1000d3a76"}, vm_.context()));
  EXPECT_THAT(text(kVfLink), HasSubstr("MACAddressPolicy=persistent\nRxBufferSize=4096\n"));
  EXPECT_THAT(text(kVfLink), ::testing::Not(HasSubstr("TCPSegmentationOffload")));
  const auto restored = restore({"eth1"}, vm_.context());
  EXPECT_THAT(restored->front().removed, ElementsAre(kVfLink));
  EXPECT_THAT(vm_.persistence().list(""), IsEmpty());
}

TEST_F(TunePersist, WritesFilesOnlyAfterTheConfirmation) {
  const auto nics = tune(request({{"vf-rx-ring", "4096"}}), vm_.context(), test::unconfirmed);
  ASSERT_TRUE(nics && nics->front().result.persisted);
  EXPECT_THAT(vm_.persistence().list(""), IsEmpty());
  const auto confirmed = confirm("eth1", vm_.context());
  ASSERT_TRUE(confirmed && *confirmed);
  EXPECT_THAT((*confirmed)->persistent, ElementsAre(kVfLink));
  EXPECT_THAT(vm_.persistence().list(""), SizeIs(1));
}

// The files of the newest run repeat the settings of the earlier ones, too.
TEST_F(TunePersist, RestoresEarlierRunsAfterAReboot) {
  const auto before = vm_.dump();
  ASSERT_TRUE(tune(tune_request({{"vf-tso", "off"}}), vm_.context()));
  (void)persist(request({{"vf-rx-ring", "4096"}}));
  EXPECT_THAT(text(kVfLink), HasSubstr("RxBufferSize=4096\nTCPSegmentationOffload=off\n"));
  vm_.boot_id = "1b5c51d2-9d1f-4a5b-8a5e-1f2e3d4c5b6a";
  vm_.rebuild();
  const auto restored = restore({"eth1"}, vm_.context());
  ASSERT_TRUE(restored && restored->size() == 2U);
  for (const auto& one : *restored) EXPECT_FALSE(one.earlier_boot);
  EXPECT_EQ(vm_.dump(), before);
  EXPECT_THAT(vm_.persistence().list(""), IsEmpty());
}

// The watchdog restores the newest run, which nobody has confirmed.
TEST_F(TunePersist, KeepsTheFilesOfAnEarlierRunIfTheNewestIsNotConfirmed) {
  (void)persist(request({{"vf-rx-ring", "4096"}}));
  ASSERT_TRUE(tune(request({{"vf-rx-ring", "2048"}}), vm_.context(), test::unconfirmed));
  EXPECT_THAT(text(kVfLink), HasSubstr("RxBufferSize=4096"));
  ASSERT_TRUE(confirm("eth1", vm_.context()));
  EXPECT_THAT(text(kVfLink), HasSubstr("RxBufferSize=2048"));
  ASSERT_TRUE(restore({"tune-2-000d3a76-3bd1-000d-3a76-3bd1000d3a76"}, vm_.context()));
  EXPECT_THAT(text(kVfLink), HasSubstr("RxBufferSize=4096"));
}

TEST_F(TunePersist, RemovesTheFilesOfAConfirmationThatCouldNotBeRecorded) {
  (void)persist(request({{"vf-rx-ring", "4096"}}));
  ASSERT_TRUE(tune(request({{"vf-rx-ring", "2048"}}), vm_.context(), test::unconfirmed));
  vm_.fail_at(1, test::Fault::refused);
  EXPECT_FALSE(confirm("eth1", vm_.context()));
  EXPECT_THAT(text(kVfLink), HasSubstr("RxBufferSize=4096"));
}

// The file repeats what was requested, although it need not be changed now.
TEST_F(TunePersist, RepeatsARequestedSwitchThatHolds) {
  EXPECT_THAT(persist(request({{"vf-tso", "on"}})), ElementsAre(kVfLink));
  EXPECT_THAT(text(kVfLink), HasSubstr("TCPSegmentationOffload=on\n"));
}

// At the next boot, the file has set the values again.
TEST_F(TunePersist, IsStillRestoredAfterAReboot) {
  const auto before = vm_.dump();
  (void)persist(request({{"vf-rx-ring", "4096"}}));
  vm_.boot_id = "1b5c51d2-9d1f-4a5b-8a5e-1f2e3d4c5b6a";
  vm_.rebuild();
  const auto again = tune(tune_request({{"vf-rx-ring", "4096"}}), vm_.context());
  EXPECT_EQ(again->front().result.outcome, PrepareOutcome::already_prepared);
  const auto restored = restore({"eth1"}, vm_.context());
  ASSERT_TRUE(restored && restored->size() == 1U);
  EXPECT_FALSE(restored->front().earlier_boot);
  EXPECT_TRUE(restored->front().is_complete());
  EXPECT_EQ(vm_.dump(), before);
  EXPECT_THAT(vm_.persistence().list(""), IsEmpty());
}

TEST_F(TunePersist, FilesAreRemovedWithoutAJournalEntry) {
  (void)persist(request({{"vf-rx-ring", "4096"}}));
  vm_.state.journal.clear();
  const auto restored = restore({"eth1"}, vm_.context());
  ASSERT_TRUE(restored && restored->size() == 1U);
  EXPECT_THAT(restored->front().removed, ElementsAre(kVfLink));
}

// Neither files nor changes of the NICs after it.
TEST_F(TunePersist, WritesNothingIfTheFirstOfSeveralNicsCannotBeTuned) {
  const auto before = vm_.dump();
  vm_.refused = {{"ip enP30832p0s0 ethtool/rings 4096 0 0 4096", EINVAL}};
  auto all = tune_request();
  all.persist = true;
  all.nic.clear();
  all.force_interface = "eth0";
  const auto nics = tune(all, vm_.context());
  ASSERT_TRUE(nics) << nics.error().message;
  ASSERT_THAT(*nics, SizeIs(2));
  for (const auto& nic : *nics) {
    EXPECT_EQ(nic.result.outcome, PrepareOutcome::rolled_back) << nic.name;
    EXPECT_THAT(nic.result.persistent, IsEmpty()) << nic.name;
  }
  EXPECT_EQ(nics->back().result.cause.message, "'eth0' could not be tuned");
  EXPECT_THAT(vm_.persistence().list(""), IsEmpty());
  EXPECT_EQ(vm_.dump(), before);
}

}  // namespace
}  // namespace manactl::setup::tune_persist_test
