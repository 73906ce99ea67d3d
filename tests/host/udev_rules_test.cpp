// SPDX-License-Identifier: MIT

#include "host/udev_rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/memory_files.h"

namespace manactl::host::udev_rules_test {
namespace {

using ::testing::HasSubstr;

std::optional<UnmanagingRule> rule_in(const std::string& rules, const char* name = "81-vf.rules") {
  os::MemoryFiles files;
  files.add_file(fmt::format("usr/lib/udev/rules.d/{}", name), rules);
  return *rule_that_unmanages_mana(files);
}

bool rule_applies(const std::string& rules) {
  return rule_in(rules).has_value();
}

TEST(UdevRules, ApplyToTheDriversOfAVf) {
  EXPECT_TRUE(
      rule_applies("SUBSYSTEM==\"net\", DRIVERS==\"hv_pci\", ACTION==\"add\", "
                   "ENV{NM_UNMANAGED}=\"1\"\n"));
  EXPECT_TRUE(rule_applies("ENV{ID_NET_DRIVER}==\"mlx5_core|mana\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("ENV{ID_NET_DRIVER}==\"mlx4_en|mlx5_core\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"0\""));
  EXPECT_FALSE(rule_applies("# DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("ATTR{address}==\"00:0d:3a:*\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("SUBSYSTEM!=\"net\", ENV{NM_UNMANAGED}=\"1\""));
}

// Before 80-net-setup-link.rules, udev does not know the driver.
TEST(UdevRules, KnowTheDriverOnlyAfterTheFileThatSetsIt) {
  const std::string rule = "ENV{ID_NET_DRIVER}==\"mana\", ENV{NM_UNMANAGED}=\"1\"\n";
  EXPECT_FALSE(rule_in(rule, "10-vf.rules"));
  EXPECT_TRUE(rule_in(rule, "81-vf.rules"));
  os::MemoryFiles files;
  files.add_file("usr/lib/udev/rules.d/50-udev-default.rules", "IMPORT{builtin}=\"net_driver\"\n");
  files.add_file("usr/lib/udev/rules.d/68-vf.rules", rule);
  EXPECT_TRUE(*rule_that_unmanages_mana(files));
}

// The rule of azure-vm-utils, see its issue 106.
TEST(UdevRules, ThatTestTheFlagsOfTheInterfaceRace) {
  const std::string drivers = "SUBSYSTEM==\"net\", DRIVERS==\"mana|mlx5_core\", ";
  const std::string flags = "ATTR{flags}==\"0x?[89ABCDEF]??\", ";
  EXPECT_TRUE(rule_in(drivers + flags + "ENV{NM_UNMANAGED}=\"1\"\n")->races);
  EXPECT_FALSE(rule_in(drivers + "ENV{NM_UNMANAGED}=\"1\"\n")->races);
}

TEST(UdevRules, OfGreatLengthAreEvaluatedInLinearTime) {
  std::string rules = "ENV{P}=\"" + std::string(500'000, 'a') + "\"\n";
  while (rules.size() < 1'000'000) rules += "ENV{P}==\"a*\", ENV{Q}=\"1\"\n";
  EXPECT_FALSE(rule_applies(rules + "DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"1\"\n"));
}

TEST(UdevRules, AreReducedForBundles) {
  const std::string rules =
      "# ask bob\nDRIVERS==\"hv_pci\", RUN+=\"/opt/hook secret\", \\\n  ENV{NM_UNMANAGED}=\"1\"\n";
  const auto reduced = reduced_rules(rules);
  EXPECT_THAT(reduced, testing::Not(HasSubstr("secret")));
  EXPECT_THAT(reduced, testing::Not(HasSubstr("bob")));
  EXPECT_TRUE(rule_applies(reduced));
  EXPECT_TRUE(rule_applies(
      reduced_rules("ENV{INTERFACE}!=\"bond0\", DRIVERS==\"mana\", ENV{NM_UNMANAGED}=\"1\"\n")));
  EXPECT_THAT(reduced_rules("ENV{TOKEN}=\"0123456789\"\n"), testing::Not(HasSubstr("0123")));
}

TEST(UdevRules, FollowPropertiesAndLabels) {
  const std::string set = "DRIVERS==\"hv_pci\", ENV{AZURE_UNMANAGED_SRIOV}=\"1\"\n";
  const std::string use = "ENV{AZURE_UNMANAGED_SRIOV}==\"1\", \\\n  ENV{NM_UNMANAGED}=\"1\"\n";
  EXPECT_TRUE(rule_applies(set + use));
  EXPECT_FALSE(rule_applies(use + set));  // tested too early
  EXPECT_FALSE(
      rule_applies("ENV{ID_NET_DRIVER}==\"mana\", GOTO=\"end\"\n" + set + use + "LABEL=\"end\"\n"));
  EXPECT_TRUE(rule_applies("SUBSYSTEM!=\"net\", GOTO=\"end\"\n" + set + use + "LABEL=\"end\"\n"));
}

// udev(7): all keys of a rule that search the parents must match one of them.
TEST(UdevRules, CompareOneParent) {
  const std::string unmanage = ", ENV{NM_UNMANAGED}=\"1\"\n";
  EXPECT_TRUE(
      rule_applies("SUBSYSTEMS==\"pci\", DRIVERS==\"mana\", ATTRS{vendor}==\"0x1414\"" + unmanage));
  EXPECT_TRUE(rule_applies("SUBSYSTEMS==\"vmbus\", DRIVERS==\"hv_pci\"" + unmanage));
  EXPECT_FALSE(rule_applies("SUBSYSTEMS==\"pci\", DRIVERS==\"hv_pci\"" + unmanage));
  EXPECT_FALSE(rule_applies("ATTRS{vendor}==\"0x1414\", DRIVERS==\"hv_pci\"" + unmanage));
  EXPECT_TRUE(rule_applies("ATTRS{vendor}!=\"0x15b3\", DRIVERS==\"hv_pci\"" + unmanage));
  EXPECT_FALSE(rule_applies("ATTRS{serial}==\"1\", DRIVERS==\"mana\"" + unmanage));
}

TEST(UdevRules, AreUnknownBehindAnUnknownGoto) {
  const std::string unknown = "ATTR{address}==\"00:0d:3a:*\", GOTO=\"end\"\n";
  const std::string set = "DRIVERS==\"hv_pci\", ENV{AZURE_UNMANAGED_SRIOV}=\"1\"\n";
  const std::string use = "ENV{AZURE_UNMANAGED_SRIOV}==\"1\", ENV{NM_UNMANAGED}=\"1\"\n";
  const auto is_known = [](const std::string& rules) {
    os::MemoryFiles files;
    files.add_file("etc/udev/rules.d/81.rules", rules);
    return rule_that_unmanages_mana(files).has_value();
  };
  EXPECT_FALSE(is_known(unknown + set + use + "LABEL=\"end\"\n"));
  EXPECT_FALSE(is_known(unknown + set + "LABEL=\"end\"\n" + use));
  EXPECT_TRUE(rule_applies(unknown + "LABEL=\"end\"\n" + set + use));
  EXPECT_TRUE(
      rule_applies(unknown + set + "LABEL=\"end\"\nDRIVERS==\"mana\", ENV{NM_UNMANAGED}=\"1\"\n"));
  EXPECT_FALSE(rule_applies(unknown + "LABEL=\"end\"\n")) << "nothing depends on it";
}

TEST(UdevRules, OfEtcReplaceThoseOfTheDistribution) {
  os::MemoryFiles files;
  files.add_file("usr/lib/udev/rules.d/68-vf.rules",
                 "DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"1\"\n");
  EXPECT_EQ((*rule_that_unmanages_mana(files))->path, "usr/lib/udev/rules.d/68-vf.rules");
  files.add_file("etc/udev/rules.d/68-vf.rules", "");
  EXPECT_FALSE(*rule_that_unmanages_mana(files));
}

}  // namespace
}  // namespace manactl::host::udev_rules_test
