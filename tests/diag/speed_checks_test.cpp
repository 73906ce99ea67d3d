// SPDX-License-Identifier: MIT

#include "diag/vm.h"

namespace manactl::diag::speed_checks_test {
namespace {

using test::commands_of;
using test::healthy_vm;
using test::nic;
using test::prepared_vm;
using test::run_check;
using testing::ElementsAre;
using testing::HasSubstr;

using Settings = std::map<std::string, std::string>;

constexpr const char* kTso = "ethtool/feature/tx-tcp-segmentation";

// The healthy VM with the settings that the drivers have by default on 8 CPUs.
host::Facts default_vm() {
  auto facts = healthy_vm();
  facts.cpus = *CpuList::parse("0-7");
  for (auto& one : *facts.nics) {
    one.synthetic->settings =
        Settings{{"ethtool/channels", "0 0 0 8"}, {"ethtool/rings", "9709 0 0 170"}, {kTso, "on"}};
    one.vf->settings = Settings{{"ethtool/channels", "0 0 0 8"},
                                {"ethtool/rings", "1024 0 0 256"},
                                {"ethtool/coalescing", "0 0 0 0 0 0 0 0 0 0 0"},
                                {kTso, "on"}};
    one.vf->limits = {{"ethtool/channels", "0 0 0 8"}, {"ethtool/rings", "8192 0 0 16384"}};
  }
  return facts;
}

Settings& vf_settings(host::Facts& facts, std::size_t index = 1) {
  return *nic(facts, index).vf->settings;
}

TEST(Speed, PassesWithTheDefaultsOfTheDrivers) {
  const auto facts = default_vm();
  for (const auto& check : speed_checks()) {
    EXPECT_EQ(run_check(facts, check.id).status, Status::pass) << check.id;
  }
}

TEST(Speed, IsNotJudgedWithoutTheSettings) {
  auto facts = healthy_vm();
  for (const auto* id : {"rings", "channels", "offloads", "coalescing", "qdisc"}) {
    EXPECT_EQ(run_check(facts, fmt::format("speed.{}", id)).status, Status::skipped) << id;
  }
  for (auto& one : *facts.nics) {
    one.synthetic->settings = test::unreadable();
    one.vf->settings = test::unreadable();
  }
  for (const auto* id : {"rings", "channels", "offloads", "coalescing", "qdisc"}) {
    EXPECT_EQ(run_check(facts, fmt::format("speed.{}", id)).status, Status::unknown) << id;
  }
}

TEST(Speed, DoesNotJudgeWhatTheKernelDoesNotSupport) {
  auto facts = default_vm();
  for (auto& one : *facts.nics) {
    one.synthetic->settings->clear();
    one.vf->settings->clear();
  }
  EXPECT_EQ(run_check(facts, "speed.rings").detail, "not supported by this kernel");
  for (const auto* id : {"rings", "channels", "offloads", "coalescing"}) {
    EXPECT_EQ(run_check(facts, fmt::format("speed.{}", id)).status, Status::skipped) << id;
  }
}

TEST(Speed, DoesNotJudgeNicsInUserSpace) {
  auto facts = prepared_vm();
  nic(facts, 1).vf->mtu = 1400;
  EXPECT_EQ(run_check(facts, "speed.mtu").status, Status::pass);
}

TEST(SpeedRings, WarnOfRingsBelowTheDefaultOfTheDriver) {
  auto facts = default_vm();
  vf_settings(facts)["ethtool/rings"] = "511 0 0 256";
  const auto finding = run_check(facts, "speed.rings");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_EQ(finding.detail,
            "vf-rx-ring of enP30832s1d1 is 511, and the driver's default is at least 512");
  EXPECT_EQ(commands_of(finding), "manactl tune eth1");
}

TEST(SpeedRings, NameTheFiguresOfMicrosoftInTheEvidence) {
  auto facts = default_vm();
  EXPECT_THAT(run_check(facts, "speed.rings").evidence,
              testing::Contains("vf-rx-ring of enP30832s1d1 is 1024; Microsoft recommends 4096: "
                                "'manactl tune eth1'"));
  vf_settings(facts)["ethtool/rings"] = "8192 0 0 4096";
  EXPECT_THAT(run_check(facts, "speed.rings").evidence,
              testing::Contains("vf-rx-ring of enP30832s1d1 is 8192"));
}

TEST(SpeedChannels, WarnOfFewerChannelsThanCpus) {
  auto facts = default_vm();
  vf_settings(facts)["ethtool/channels"] = "0 0 0 1";
  const auto finding = run_check(facts, "speed.channels");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_EQ(finding.detail, "enP30832s1d1 has 1 channel, and could have 8");
  facts.cpus = *CpuList::parse("0");
  EXPECT_EQ(run_check(facts, "speed.channels").status, Status::pass);
}

TEST(SpeedChannels, RequireNoMoreThan16OrTheDriverHas) {
  auto facts = default_vm();
  facts.cpus = *CpuList::parse("0-63");
  EXPECT_EQ(run_check(facts, "speed.channels").status, Status::pass) << "the driver has 8";
  for (auto& one : *facts.nics) {
    one.vf->limits["ethtool/channels"] = "0 0 0 64";
    (*one.vf->settings)["ethtool/channels"] = "0 0 0 16";
  }
  EXPECT_EQ(run_check(facts, "speed.channels").status, Status::pass);
}

TEST(SpeedMtu, WarnsOfAnMtuThatDoesNotFitThePath) {
  auto facts = default_vm();
  nic(facts, 1).synthetic->mtu = 9001;
  auto finding = run_check(facts, "speed.mtu");
  EXPECT_EQ(finding.detail, "eth1 has MTU 9001, and the path with mana ends at 9000");
  EXPECT_EQ(commands_of(finding), "ip link set dev eth1 mtu 9000");
  nic(facts, 1).synthetic->mtu = 9000;
  EXPECT_EQ(run_check(facts, "speed.mtu").status, Status::pass);
  nic(facts, 1).vf->driver = "mlx5_core";
  EXPECT_EQ(run_check(facts, "speed.mtu").status, Status::warn);
  nic(facts, 1).synthetic->mtu = 1400;
  EXPECT_EQ(run_check(facts, "speed.mtu").detail, "eth1 has MTU 1400, and Azure's path takes 1500");
}

TEST(SpeedOffloads, WarnOfOffloadsThatAreOff) {
  auto facts = default_vm();
  vf_settings(facts)[kTso] = "off";
  const auto finding = run_check(facts, "speed.offloads");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_EQ(finding.detail, "vf-tso of enP30832s1d1 is off");
  EXPECT_EQ(commands_of(finding), "manactl tune eth1");
}

// hv_netvsc switches them off on the VF as well.
TEST(SpeedOffloads, AreNotJudgedOnAVfIfTheHostDoesNotOfferThem) {
  auto facts = default_vm();
  vf_settings(facts)[kTso] = "off";
  nic(facts, 1).synthetic->settings->erase(kTso);
  EXPECT_EQ(run_check(facts, "speed.offloads").status, Status::pass);
}

TEST(SpeedCoalescing, WarnsOfLongDelays) {
  auto facts = default_vm();
  vf_settings(facts)["ethtool/coalescing"] = "256 0 0 0 0 0 0 0 0 0 0";
  EXPECT_EQ(run_check(facts, "speed.coalescing").status, Status::pass);
  vf_settings(facts)["ethtool/coalescing"] = "257 0 0 0 0 0 0 0 0 0 0";
  const auto finding = run_check(facts, "speed.coalescing");
  EXPECT_EQ(finding.detail, "vf-rx-usecs of enP30832s1d1 is 257");
  EXPECT_EQ(commands_of(finding), "manactl tune eth1 --set vf-rx-usecs=0");
}

TEST(SpeedQdisc, WarnsOfASecondDiscipline) {
  auto facts = default_vm();
  vf_settings(facts)["link/qdisc"] = "noqueue 8001 -";
  nic(facts, 1).synthetic->settings->emplace("link/qdisc", "fq 8001 -");
  EXPECT_EQ(run_check(facts, "speed.qdisc").status, Status::pass);
  vf_settings(facts)["link/qdisc"] = "fq 8001 -";
  const auto finding = run_check(facts, "speed.qdisc");
  EXPECT_EQ(finding.detail, "enP30832s1d1 has fq, although eth1 has a queue");
  EXPECT_EQ(commands_of(finding), "tc qdisc del dev enP30832s1d1 root");
}

}  // namespace
}  // namespace manactl::diag::speed_checks_test
