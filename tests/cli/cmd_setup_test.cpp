// SPDX-License-Identifier: MIT
//
// Tests the commands prepare, restore and confirm on captured systems.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/on_machine.h"
#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test::cmd_setup_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

std::vector<std::string> commands_of(const Outcome& outcome) {
  return Json::parse(outcome.out).at("commands").get<std::vector<std::string>>();
}

TEST(PrepareCommand, ListsItsWritesInADryRun) {
  const auto outcome = manactl_on("healthy-two-nics",
                                  {"prepare", "eth1", "--hugepages", "64", "--dry-run", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto commands = commands_of(outcome);
  ASSERT_GE(commands.size(), 5U);
  EXPECT_EQ(std::count(commands.begin(), commands.end(), "ip link set eth1 down"), 1);
  EXPECT_EQ(std::count(commands.begin(), commands.end(), "ip link set enP30832p0s0d1 down"), 1);
  EXPECT_EQ(Json::parse(outcome.out).at("outcome"), "dry-run");
  EXPECT_EQ(Json::parse(outcome.out).at("slots").at(0).at("vdev"),
            "7870:00:00.0,mac=00:0d:3a:76:3b:d1");
}

TEST(PrepareCommand, ShowsNoFormerStateOfAVerification) {
  const auto text = manactl_on("healthy-two-nics", {"prepare", "eth1", "--dry-run", "-v"}).out;
  const std::string kId = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";
  EXPECT_THAT(text, HasSubstr("  would     wait for the uio device of channel " + kId + '\n'));
  EXPECT_THAT(text, HasSubstr("  would     verify that enP30832p0s0d1 stays down\n"));
}

TEST(PrepareCommand, ShowsTheAddressesAndRoutesThatGoAway) {
  const auto text = manactl_on("healthy-two-nics", {"prepare", "eth1", "--dry-run", "-v"}).out;
  EXPECT_THAT(
      text,
      HasSubstr(
          "              removed (restore adds it again): address 10.0.1.4/24\n"
          "              removed (restore adds it again): address fe80::20d:3aff:fe76:3bd1/64\n"
          "              removed (restore adds it again): route default via 10.0.1.1 metric "
          "200\n"));
  EXPECT_THAT(text, Not(HasSubstr("route 10.0.1.0/24"))) << "the kernel adds it";
  EXPECT_THAT(text, Not(HasSubstr("route fe80::/64"))) << "the kernel adds it";
  const auto brief = manactl_on("healthy-two-nics", {"prepare", "eth1", "--dry-run"}).out;
  EXPECT_THAT(brief,
              HasSubstr("\nRemoved (restore adds them again): 10.0.1.4/24, 1 route (default)\n"));
}

TEST(PrepareCommand, PrintsEachWriteOnceBelowItsStep) {
  const std::vector<std::string> words = {"prepare", "eth1", "--dry-run", "-v"};
  const auto text = manactl_on("ubuntu-two-nics", words).out;
  auto with_json = words;
  with_json.emplace_back("--json");
  const auto commands = commands_of(manactl_on("ubuntu-two-nics", with_json));
  ASSERT_GT(commands.size(), 3U);
  for (const auto& command : commands) {
    const auto line = "\n              " + command + '\n';
    const auto at = text.find(line);
    ASSERT_NE(at, std::string::npos) << command << "\n" << text;
    EXPECT_EQ(text.find(line, at + 1), std::string::npos) << command;
  }
  EXPECT_THAT(text,
              HasSubstr("would     set eth1 down  (before: state up)\n"
                        "              ip link set eth1 down\n"));
}

TEST(PrepareCommand, PrintsOneLineForEachStepOfABriefDryRun) {
  const auto outcome = manactl_on("ubuntu-two-nics", {"prepare", "eth1", "--dry-run"});
  EXPECT_THAT(outcome.out, HasSubstr("  would     set eth1 down\n  would     set enP"));
  EXPECT_THAT(outcome.out, HasSubstr("Nothing was changed; -v shows each write.\n"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("echo ")));
}

// A dry run takes no time, and a verification changes nothing.
TEST(PrepareCommand, ReportsOnlyWritesOfADryRunAsChanges) {
  const auto outcome = manactl_on("healthy-two-nics", {"prepare", "eth1", "--dry-run", "--json"});
  const auto document = Json::parse(outcome.out);
  std::size_t verifications = 0;
  for (const auto& step : document.at("steps")) {
    const auto title = step.at("title").get<std::string>();
    const bool verifies = title.starts_with("verify that ");
    EXPECT_FALSE(step.contains("milliseconds")) << title;
    if (title == "set eth1 down" || verifies) {
      EXPECT_EQ(step.at("changed"), !verifies) << title;
    }
    verifications += verifies ? 1 : 0;
  }
  EXPECT_EQ(verifications, 1U);
}

TEST(PrepareCommand, RepeatsWhatForceInterfaceCuts) {
  const auto outcome =
      manactl_on("healthy-two-nics", {"prepare", "eth0", "--dry-run", "--force-interface", "eth0"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("Warning: --force-interface cuts what 'eth0' is used for: it carries the "
                        "default route, "));
}

TEST(PrepareCommand, ReservesMissingHugepagesByDefault) {
  const std::string write = "nr_hugepages";
  const auto writes = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"prepare", "eth1", "--dry-run", "--json"});
    const auto outcome = manactl_on("no-hugepages", words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::string found;
    for (const auto& command : commands_of(outcome)) {
      if (command.find(write) != std::string::npos) found += command;
    }
    return found;
  };
  EXPECT_EQ(writes({}),
            "echo 208 > /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages");
  EXPECT_EQ(writes({"--hugepages", "none"}), "");
  EXPECT_THAT(writes({"--for", "eal"}), HasSubstr("echo 208 >"));
  EXPECT_THAT(writes({"--for", "suricata"}), HasSubstr("echo 106 >"));
}

TEST(PrepareCommand, RefusesUnknownProgramsAndTwoAmounts) {
  const auto unknown =
      manactl_on("no-hugepages", {"prepare", "eth1", "--dry-run", "--for", "snort"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("suricata"));
  const auto both = manactl_on(
      "no-hugepages", {"prepare", "eth1", "--dry-run", "--for", "ovs", "--hugepages", "8"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("--for and --hugepages are mutually exclusive"));
}

TEST(PrepareCommand, WarnsIfTheMemoryDoesNotAllowTheDefault) {
  const auto outcome =
      manactl_on("no-hugepages", {"prepare", "eth1", "--dry-run", "--hugepage-size", "1G"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("Warning: the program needs 1 more hugepages in /sys/"));
  const auto json = manactl_on("no-hugepages",
                               {"prepare", "eth1", "--dry-run", "--hugepage-size", "1G", "--json"});
  EXPECT_EQ(Json::parse(json.out).at("warnings").size(), 1U);
  EXPECT_EQ(json.err, "");
}

TEST(PrepareCommand, WarnsIfACheckFailsThatItDoesNotRepair) {
  // A program in a container has libraries of its own.
  for (const auto& [tree, reason] : {
           std::pair("driver-id-19", "19 is MANA in this kernel but ERDMA in rdma-core (rdma.dri"),
           std::pair("rdma-core-39", "rdma-core 39 is older than 44 (rdma.core)"),
       }) {
    const auto outcome = manactl_on(tree, {"prepare", "eth1", "--dry-run"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("Warning: DPDK cannot use the NIC yet: "));
    EXPECT_THAT(outcome.err, HasSubstr(reason));
  }
  EXPECT_THAT(manactl_on("hugepages-wrong-node", {"prepare", "eth1", "--dry-run"}).err,
              Not(HasSubstr("DPDK cannot use the NIC")));
}

TEST(PrepareCommand, RefusesImpossibleHugepagesInADryRun) {
  const auto outcome =
      manactl_on("no-hugepages", {"prepare", "eth1", "--dry-run", "--hugepages", "1000000000"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("would leave too little memory for other programs"));
  EXPECT_EQ(outcome.error_lines(), 1U);
}

TEST(PrepareCommand, RejectsOptionsForHugepagesItDoesNotReserve) {
  const auto alone = manactl_on("no-hugepages", {"prepare", "--node", "0"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("IFACE is missing"));
  const auto none = manactl_on("no-hugepages",
                               {"prepare", "eth1", "--hugepages", "none", "--hugepage-size", "2M"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--node cannot be used with '--hugepages none'"));
}

TEST(PrepareCommand, ExplainsWhyNoHugepageCanBeReserved) {
  const auto dry_run = [](const char* option, const char* value) {
    return manactl_on("no-hugepages",
                      {"prepare", "eth1", "--dry-run", "--hugepages", "2", option, value});
  };
  EXPECT_THAT(dry_run("--hugepage-size", "1G").err,
              HasSubstr("cannot reserve any hugepage of 1 GiB on node 0"));
  EXPECT_THAT(dry_run("--node", "7").err, HasSubstr("NUMA node 7 does not exist"));
}

TEST(PrepareCommand, ListsTheFilesOfPersistInADryRun) {
  const auto outcome = manactl_on(
      "healthy-two-nics", {"prepare", "eth1", "--dry-run", "--persist", "--confirm-timeout", "60"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      HasSubstr(
          "'manactl confirm' will write: /etc/systemd/system/manactl-prepare-eth1.service\n"));
  EXPECT_THAT(
      outcome.out,
      HasSubstr("eth1 would be rolled back after 60 s unless you run:\n  manactl confirm eth1\n"));
}

TEST(PrepareCommand, NamesTheJournalEntryOfHugepagesWithoutANic) {
  const auto outcome = manactl_on("no-hugepages", {"prepare", "--dry-run", "--hugepages", "4"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("The hugepages would be reserved with these steps:"));
  EXPECT_THAT(outcome.out, HasSubstr("manactl restore hugepages-1\n"));
}

TEST(PrepareCommand, NeverChangesACapturedTree) {
  EXPECT_EQ(manactl_on("healthy-two-nics", {"prepare", "eth1"}).code, 2);
  EXPECT_EQ(manactl_on("prepared-uio", {"restore", "eth1"}).code, 2);
  EXPECT_EQ(manactl_on("prepared-uio", {"confirm"}).code, 2);
}

struct Refusal {
  const char* tree;
  const char* interface;
  int code;
  const char* message;
};

class Refusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refusals, PrintOneLineWithTheReason) {
  const auto& [tree, interface, code, message] = GetParam();
  const auto outcome = manactl_on(tree, {"prepare", interface, "--dry-run"});
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(message));
}

INSTANTIATE_TEST_SUITE_P(
    Prepare,
    Refusals,
    ::testing::Values(
        Refusal{"healthy-two-nics", "eth0", 4, "eth1' uses a NIC that is free\n"},
        Refusal{"healthy-two-nics", "enP30832p0s0d1", 2, "'manactl prepare --dry-run --root "},
        Refusal{"healthy-two-nics", "ehh1", 3, "did you mean"},
        Refusal{"healthy-two-nics", "lo", 3, "not an Azure NIC"},
        Refusal{"vf-unpaired", "eth1", 3, "its VF enP30832p0s0d1 are not paired"},
        Refusal{"vf-missing", "eth1", 3, "no VF"},
        Refusal{"image-debian-12", "eth1", 3, "manactl: mana_ib is missing from "},
        Refusal{"mana-ib-missing", "eth1", 3, "--only kernel -v' prints what to do"},
        Refusal{"mlx5-vm", "eth1", 3, "mlx5_core"}));

TEST(PrepareCommand, ReportsANicThatIsAlreadyPrepared) {
  const auto outcome =
      manactl_on("prepared-uio", {"prepare", "000d3a76-3bd1-000d-3a76-3bd1000d3a76", "--dry-run"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("already prepared"));
  EXPECT_THAT(outcome.out, HasSubstr("--vdev=7870:00:00.0,mac="));
}

TEST(PrepareCommand, AcceptsForceInterfaceOnTheCommandLineOnly) {
  ProcessOptions process;
  process.environment.push_back("MANACTL_FORCE_INTERFACE=eth0");
  const auto outcome =
      manactl({"prepare", "eth0", "--dry-run", "--root", fixture("healthy-two-nics")}, process);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("MANACTL_FORCE_INTERFACE"));
}

TEST(RestoreCommand, RequiresOneNicOrAll) {
  EXPECT_EQ(manactl({"restore"}).code, 2);
  EXPECT_EQ(manactl({"restore", "eth1", "--all"}).code, 2);
}

}  // namespace
}  // namespace manactl::test::cmd_setup_test
