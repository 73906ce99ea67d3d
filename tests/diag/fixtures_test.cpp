// SPDX-License-Identifier: MIT
//
// Tests which checks fail and which warn for each tree in tests/fixtures.

#include "support/fixtures.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/vm.h"

namespace manactl::diag::fixtures_test {
namespace {

struct Tree {
  std::string name;
  std::vector<std::string> fails, warns;
};

std::vector<std::string> ids_of(const Report& report, Status status) {
  std::vector<std::string> ids;
  for (const CheckOutcome& outcome : report.outcomes) {
    if (outcome.finding.status == status) ids.emplace_back(outcome.check.id);
  }
  return ids;
}

constexpr CheckOptions kForecast = {.forecast = true};

const std::vector<std::string> kWithoutMana = {"hardware.driver",
                                               "interfaces.pairing",
                                               "interfaces.path",
                                               "kernel.mana",
                                               "kernel.mana-ib",
                                               "rdma.devices"};

const std::vector<Tree> kTrees = {
    {"debian12-dpdk", {"dpdk.installed"}, {}},
    {"driver-id-19", {"rdma.driver-id", "rdma.provider"}, {}},
    {"healthy-two-nics", {}, {}},
    {"hugepages-wrong-node", {"memory.node"}, {}},
    {"image-azure-linux-3", {"kernel.mana-ib", "rdma.devices"}, {"kernel.fixes"}},
    {"image-debian-12", {"kernel.mana-ib", "rdma.devices", "dpdk.installed"}, {}},
    {"image-debian-13", {}, {"dpdk.fixes"}},
    {"image-rhel-10-0-arm64-64k", {"memory.hugepages"}, {}},
    {"image-rhel-8-9", {}, {}},
    {"image-rhel-9-4", {}, {}},
    {"image-rhel-9-4-arm64-64k", kWithoutMana, {"memory.mounts"}},
    {"image-sles-15-sp5", {"rdma.core", "rdma.driver-id", "rdma.provider"}, {}},
    {"image-ubuntu-22-04", {"rdma.core", "rdma.driver-id", "rdma.provider", "dpdk.installed"}, {}},
    {"image-ubuntu-24-04", {}, {"dpdk.fixes"}},
    {"image-ubuntu-24-04-arm64", {"dpdk.fixes"}, {}},
    {"kernel-fixes-missing", {}, {"kernel.fixes"}},
    {"kernel-old",
     {"hardware.driver",
      "interfaces.pairing",
      "interfaces.path",
      "kernel.mana",
      "kernel.mana-ib",
      "rdma.devices",
      "rdma.core"},
     {"hardware.coexistence"}},
    {"mana-and-manae", {}, {}},
    {"mana-direct", {}, {}},
    {"mana-ib-missing", {"kernel.mana-ib", "rdma.devices"}, {}},
    {"mlx5-dpdk-not-ready", {"rdma.core", "move.programs"}, {"hardware.mana"}},
    {"mlx5-kernel-not-ready", {"move.managers"}, {"hardware.mana", "move.kernels", "move.names"}},
    {"mlx5-hugepages-not-ready", {"memory.hugepages"}, {"hardware.mana"}},
    {"mlx5-initramfs-not-ready", {"move.initramfs"}, {"hardware.mana"}},
    {"mlx5-next-kernel-not-ready", {"move.rdma-kernels"}, {"hardware.mana"}},
    {"mlx5-programs-not-ready", {"move.programs"}, {"hardware.mana"}},
    {"mlx5-signatures-not-ready", {"move.signatures"}, {"hardware.mana"}},
    {"mlx5-vm", {}, {"hardware.mana"}},
    {"no-hugepages", {"memory.hugepages"}, {}},
    {"not-azure", {}, {"hardware.azure"}},
    {"prepared-uio", {}, {}},
    {"rdma-core-39", {"rdma.core", "rdma.driver-id", "rdma.provider"}, {}},
    {"slow-path", {}, {"speed.drops", "speed.timeouts", "speed.interrupts", "speed.kernel"}},
    {"slow-settings",
     {},
     {"speed.rings",
      "speed.channels",
      "speed.mtu",
      "speed.offloads",
      "speed.coalescing",
      "speed.qdisc"}},
    {"ssh-on-dpdk-nic", {}, {"interfaces.spare"}},
    {"ubuntu-driver-id-19", {"rdma.driver-id", "rdma.provider"}, {"kernel.version"}},
    {"ubuntu-two-nics", {}, {}},
    {"unbound-vmbus", {"interfaces.binding"}, {}},
    {"unprivileged", {}, {"rdma.nodes", "rdma.memlock"}},
    {"vf-missing", {"hardware.mana", "interfaces.pairing", "interfaces.path"}, {}},
    {"vf-orphaned", kWithoutMana, {}},
    {"vf-unpaired", {"interfaces.pairing", "interfaces.unmanaged", "interfaces.path"}, {}},
};

class FixtureTree : public testing::TestWithParam<Tree> {};

TEST_P(FixtureTree, FailsAndWarnsExactlyAsListed) {
  const auto report = run_checks(host::facts_of(GetParam().name), kForecast, {});
  ASSERT_TRUE(report);
  EXPECT_THAT(ids_of(*report, Status::fail), testing::ElementsAreArray(GetParam().fails));
  EXPECT_THAT(ids_of(*report, Status::warn), testing::ElementsAreArray(GetParam().warns));
}

// The version of a distribution's kernel does not show its backports.
TEST(FixtureTrees, OfDistributionsHaveAKernelThatIsSupportedOrUnknown) {
  std::vector<std::string> unknown;
  for (const auto& tree : kTrees) {
    if (!tree.name.starts_with("image-")) continue;
    const auto report = run_checks(host::facts_of(tree.name), {}, {"kernel.version"});
    ASSERT_TRUE(report);
    const auto status = report->outcomes.front().finding.status;
    if (status == Status::unknown) unknown.push_back(tree.name);
    EXPECT_TRUE(status == Status::pass || status == Status::unknown) << tree.name;
  }
  EXPECT_THAT(
      unknown,
      testing::ElementsAre("image-azure-linux-3", "image-debian-12", "image-rhel-9-4-arm64-64k"));
}

// Commands are pasted in their order, so each must find what it needs. A reader does not have to
// choose between remedies in one text.
TEST_P(FixtureTree, HasCompleteRemedies) {
  const auto report = run_checks(host::facts_of(GetParam().name), kForecast, {});
  ASSERT_TRUE(report);
  for (const CheckOutcome& outcome : report->outcomes) {
    if (!outcome.finding.remedy) continue;
    const auto all = numbered(*outcome.finding.remedy);
    for (const auto& one : all) {
      EXPECT_EQ(one.why.find("; or "), std::string::npos) << one.why;
      EXPECT_TRUE(all.size() == 1 || !one.commands.empty()) << one.why;
      std::string earlier;
      for (const auto& command : one.commands) {
        if (command.starts_with("apt-get install")) {
          EXPECT_THAT(earlier, testing::HasSubstr("apt-get update\n")) << command;
        }
        if (command.find(" -t bookworm-backports ") != std::string::npos) {
          EXPECT_THAT(earlier,
                      testing::ContainsRegex(" bookworm-backports main' .*\\| tee /etc/apt/"));
          EXPECT_TRUE(earlier.ends_with("\napt-get update\n")) << earlier;
        }
        earlier += command + '\n';
      }
    }
  }
}

// A remedy is something to do; the reason follows.
TEST_P(FixtureTree, HasRemediesThatBeginWithAVerb) {
  static const std::set<std::string_view> kVerbs = {
      "add",  "bind",    "boot", "bring", "build", "compare", "find",    "follow",
      "give", "install", "let",  "load",  "read",  "remove",  "reserve", "run",
      "set",  "start",   "turn", "use",   "wait",  "write"};
  const auto report = run_checks(host::facts_of(GetParam().name), kForecast, {});
  ASSERT_TRUE(report);
  for (const CheckOutcome& outcome : report->outcomes) {
    if (!outcome.finding.remedy) continue;
    const std::string_view why = outcome.finding.remedy->why;
    EXPECT_TRUE(kVerbs.contains(why.substr(0, why.find(' ')))) << outcome.check.id << ": " << why;
    EXPECT_EQ(why.find("; -v"), std::string::npos) << "-v may be set: " << why;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FixtureTree, testing::ValuesIn(kTrees), [](const auto& tree) {
  std::string name;
  for (const char c : tree.param.name) {
    if (c != '-') name += c;
  }
  return name;
});

// The root causes that `doctor` will report: failed checks whose `caused_by` names no failed check.
std::vector<std::string> roots_of(const Report& report) {
  std::vector<std::string> roots;
  for (const CheckOutcome& outcome : report.outcomes) {
    if (outcome.finding.status != Status::fail) continue;
    const auto& causes = outcome.check.caused_by;
    const bool is_consequence = std::any_of(causes.begin(), causes.end(), [&](std::string_view id) {
      const CheckOutcome* cause = report.find(id);
      return cause != nullptr && cause->finding.status == Status::fail;
    });
    if (!is_consequence) roots.emplace_back(outcome.check.id);
  }
  return roots;
}

TEST(FixtureTrees, HaveOneRootCauseEach) {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"driver-id-19", "rdma.driver-id"},
      {"mana-ib-missing", "kernel.mana-ib"},
      {"rdma-core-39", "rdma.core"},
      {"ubuntu-driver-id-19", "rdma.driver-id"},
      {"vf-missing", "hardware.mana"},
      {"vf-orphaned", "kernel.mana"},
      {"vf-unpaired", "interfaces.pairing"},
  };
  for (const auto& [tree, root] : expected) {
    const auto report = run_checks(host::facts_of(tree), {}, {});
    ASSERT_TRUE(report);
    EXPECT_THAT(roots_of(*report), testing::ElementsAre(root)) << tree;
  }
}

TEST(FixtureTrees, AreAllInTheTable) {
  std::vector<std::string> listed;
  for (const Tree& tree : kTrees) listed.push_back(tree.name);
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(test::fixture_names()));
}

}  // namespace
}  // namespace manactl::diag::fixtures_test
