// SPDX-License-Identifier: MIT
//
// Tests the command tune on captured systems.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/on_machine.h"
#include "cli/run_manactl.h"
#include "host/tuning.h"

namespace manactl::test::cmd_tune_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

TEST(TuneCommand, PrintsWhatItWouldChangeAndWhy) {
  const auto outcome = manactl_on("slow-settings", {"tune", "eth1", "--dry-run"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("eth1 would be tuned (profile default):\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  would     vf-rx-ring of enP30832p0s0d1: 128 -> 4096\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("  would     tx-ring of eth1: 170 -> 1024\n"
                        "            a longer ring holds a burst until a CPU has time for it; the "
                        "change loses packets for a moment\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  would     tso of eth1: off -> on\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("gso"))) << "it is on";
  EXPECT_THAT(outcome.out,
              HasSubstr("Nothing was changed; -v shows each write and each source.\n"));
}

TEST(TuneCommand, PrintsItsWritesAndSources) {
  const auto outcome = manactl_on("slow-settings", {"tune", "eth1", "--dry-run", "-v"});
  EXPECT_THAT(outcome.out, HasSubstr("              ethtool -G enP30832p0s0d1 rx 4096 tx 4096\n"));
  EXPECT_THAT(outcome.out, HasSubstr("virtual-network-optimize-network-bandwidth\n"));
  const auto json =
      Json::parse(manactl_on("slow-settings", {"tune", "eth1", "--dry-run", "--json"}).out);
  EXPECT_EQ(json["commands"],
            (Json{"ethtool -G eth1 tx 1024",
                  "ethtool -K eth1 tx-tcp-segmentation on",
                  "ethtool -L enP30832p0s0d1 combined 8",
                  "ethtool -G enP30832p0s0d1 rx 4096 tx 4096"}));
  EXPECT_EQ(json["nics"][0]["outcome"], "tuned");
}

TEST(TuneCommand, NamesWhatItRefusesForTheAdministratorsNic) {
  const auto outcome = manactl_on("slow-settings", {"tune", "--dry-run"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  refused   vf-rx-ring of enP30832p0s0: 1024 -> 4096\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("eth0 is refused without --force-interface eth0: it carries the "));
  EXPECT_EQ(manactl_on("slow-settings", {"tune", "eth0", "--dry-run"}).code, 4);
}

TEST(TuneCommand, NamesWhatTheKernelDoesNotSupport) {
  const auto outcome =
      manactl_on("ubuntu-two-nics", {"tune", "eth1", "--profile", "throughput", "--dry-run"});
  EXPECT_THAT(outcome.out,
              HasSubstr("  not supported by this kernel: vf-adaptive-rx (Linux 7.2), "
                        "vf-adaptive-tx (Linux 7.2)\n"));
  EXPECT_EQ(
      manactl_on("ubuntu-two-nics", {"tune", "eth1", "--set", "vf-adaptive-rx=on", "--dry-run"})
          .code,
      3);
}

TEST(TuneCommand, NamesABundleIfTheSettingsWereNotCaptured) {
  const auto outcome = manactl_on("healthy-two-nics", {"tune", "eth1", "--dry-run"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "manactl: not captured: settings of the interface\n"
            "A bundle that was written on the VM has them: see manactl-doctor(1).\n");
}

TEST(TuneCommand, RejectsBadInput) {
  EXPECT_THAT(manactl({"tune", "--set", "vf-rx=1"}).err, HasSubstr("'vf-rx' is not one of mtu, "));
  EXPECT_THAT(manactl({"tune", "--set", "tso"}).err, HasSubstr("'tso' has no value: tso=VALUE"));
  EXPECT_THAT(manactl({"tune", "--set", "mtu=9001"}).err,
              HasSubstr("'9001' is not a value of mtu: use a number from 1280 to 9000"));
  EXPECT_EQ(manactl_on("slow-settings", {"tune", "eth1"}).err,
            "manactl: tune: --root requires --dry-run\n");
  EXPECT_EQ(manactl_on("slow-settings", {"tune", "lo", "--dry-run"}).code, 3);
  EXPECT_EQ(manactl_on("mlx5-vm", {"tune", "eth0", "--dry-run"}).code, 3);
  EXPECT_EQ(manactl_on("not-azure", {"tune", "--dry-run"}).code, 3);
}

TEST(TuneManual, NamesEachSettingAndItsSource) {
  std::ifstream in(std::string(MANACTL_SOURCE_DIR) + "/man/manactl-tune.1.scd");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const auto& tunable : host::tunables()) {
    const auto at = text.find(fmt::format("*{}*", tunable.name));
    ASSERT_NE(at, std::string::npos) << tunable.name;
    const auto source = text.find("Source: ", at);
    const auto line = text.substr(source, text.find('\n', source) - source);
    EXPECT_THAT(line, HasSubstr(std::string(tunable.source))) << tunable.name;
  }
}

}  // namespace
}  // namespace manactl::test::cmd_tune_test
