// SPDX-License-Identifier: MIT

#include "diag/vm.h"

namespace manactl::diag::hardware_checks_test {
namespace {

using test::commands_of;
using test::healthy_vm;
using test::run_check;
using testing::HasSubstr;

TEST(HardwareAzure, WarnsOutsideAzure) {
  host::Facts facts = healthy_vm();
  facts.platform = host::Platform{false, true, ""};
  EXPECT_EQ(run_check(facts, "hardware.azure").status, Status::warn);
  facts.platform = host::Platform{false, false, "no VMBus"};
  const Finding finding = run_check(facts, "hardware.azure");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("no VMBus"));
  facts.platform = test::unreadable();
  EXPECT_EQ(run_check(facts, "hardware.azure").status, Status::unknown);
}

TEST(HardwareMana, ShowsWhyLibudevIsNotUsed) {
  host::Facts facts = healthy_vm();
  facts.devices_note = "read from sysfs";
  EXPECT_THAT(run_check(facts, "hardware.mana").evidence, testing::Contains("read from sysfs"));
  facts.functions->clear();
  EXPECT_THAT(run_check(facts, "hardware.mana").evidence, testing::ElementsAre("read from sysfs"));
}

// The command that stops the VM comes last, with a warning.
TEST(HardwareMana, StopsTheVmOnlyAsTheLastRemedy) {
  host::Facts facts = healthy_vm();
  facts.functions->clear();
  const auto finding = run_check(facts, "hardware.mana");
  ASSERT_EQ(finding.status, Status::fail);
  const auto remedies = numbered(*finding.remedy);
  ASSERT_EQ(remedies.size(), 3U);
  EXPECT_THAT(remedies[0].why, HasSubstr("returns by itself"));
  EXPECT_THAT(remedies[1].commands, testing::ElementsAre(HasSubstr("az network nic show")));
  EXPECT_THAT(remedies[2].why, HasSubstr("which stops the VM"));
  EXPECT_THAT(remedies[2].commands.front(), HasSubstr("az vm deallocate"));
  EXPECT_THAT(remedies[2].commands[1], HasSubstr("--accelerated-networking true"));
}

TEST(HardwareMana, WarnsWhenTheVmGotMellanoxHardware) {
  host::Facts facts = healthy_vm();
  auto& function = facts.functions->at(0);
  function.vendor = 0x15b3;
  function.adapter = host::Adapter::mlx;
  const Finding finding = run_check(facts, "hardware.mana");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("7870:00:00.0"));
}

TEST(HardwareMana, IsSkippedOutsideAzureAndUnknownWithoutPci) {
  host::Facts facts = healthy_vm();
  facts.functions->clear();
  facts.platform = host::Platform{};
  EXPECT_EQ(run_check(facts, "hardware.mana").status, Status::skipped);
  facts.functions = test::unreadable();
  EXPECT_EQ(run_check(facts, "hardware.mana").status, Status::unknown);
}

TEST(HardwareMana, RecognizesPhysicalFunctions) {
  host::Facts facts = healthy_vm();
  facts.functions->at(0).adapter = host::Adapter::mana_pf2;
  facts.functions->at(0).device = 0x00c1;
  const Finding finding = run_check(facts, "hardware.mana");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_THAT(finding.evidence, testing::ElementsAre(HasSubstr("1414:00c1")));
}

TEST(HardwareDriver, FailsForAnUnboundFunctionAndForAnotherDriver) {
  host::Facts facts = healthy_vm();
  facts.functions->at(0).driver.clear();
  EXPECT_EQ(run_check(facts, "hardware.driver").status, Status::fail);
  EXPECT_THAT(commands_of(run_check(facts, "hardware.driver")),
              HasSubstr("echo 7870:00:00.0 | tee /sys/bus/pci/drivers_probe"));
  facts.functions->at(0).driver = "vfio-pci";
  const Finding finding = run_check(facts, "hardware.driver");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("vfio-pci"));
  EXPECT_THAT(commands_of(finding), HasSubstr("unbind"));
}

TEST(HardwarePorts, FailIfAFunctionHasNoPort) {
  host::Facts facts = healthy_vm();
  EXPECT_THAT(run_check(facts, "hardware.ports").evidence,
              testing::Contains(HasSubstr("slot 2: 2 ports")));
  facts.functions->at(0).netdevs.clear();
  EXPECT_EQ(run_check(facts, "hardware.ports").status, Status::fail);
  facts.functions->at(0).driver.clear();
  EXPECT_EQ(run_check(facts, "hardware.ports").status, Status::skipped);
}

TEST(HardwareCoexistence, WarnsWithoutMlx5) {
  host::Facts facts = healthy_vm();
  test::module(facts, "mlx5_core").presence = Presence::missing;
  EXPECT_EQ(run_check(facts, "hardware.coexistence").status, Status::warn);
  test::module(facts, "mlx5_core").presence = Presence::blacklisted;
  EXPECT_EQ(run_check(facts, "hardware.coexistence").status, Status::warn);
  test::module(facts, "mlx5_core").presence = test::unreadable();
  EXPECT_EQ(run_check(facts, "hardware.coexistence").status, Status::unknown);
}

}  // namespace
}  // namespace manactl::diag::hardware_checks_test
