// SPDX-License-Identifier: MIT
//
// Diagnoses logs of Open vSwitch and VPP that start without ports of DPDK.

#include <gmock/gmock.h>

#include "diag/logs.h"

namespace manactl::diag::program_start_test {
namespace {

using test::diagnose_text;
using test::ids;
using test::kOvs;
using test::root_id;
using testing::Contains;
using testing::HasSubstr;

TEST(OpenVSwitchStart, NamesItsPacketPoolThatDoesNotFit) {
  for (const std::string what : {"Insufficient memory", "Failed"}) {
    const auto diagnosis = diagnose_text(
        kOvs + std::string("2026-11-14T08:12:40.021Z|00031|netdev_dpdk|ERR|") + what +
        " to create memory pool for netdev dpdk0, with MTU 9000 on socket 0: Cannot allocate "
        "memory\n2026-11-14T08:12:40.022Z|00032|dpif_netdev|ERR|Failed to set interface dpdk0 new "
        "configuration\n");
    ASSERT_EQ(root_id(diagnosis), "testpmd-mbuf-pool");
    EXPECT_THAT(diagnosis.root->fix, HasSubstr("restart Open vSwitch"));
    EXPECT_THAT(ids(diagnosis.consequences), Contains("ovs-port-failed"));
  }
}

TEST(OpenVSwitchStart, FailsForPortsOfTypeDpdkWithoutDpdk) {
  const auto only = diagnose_text(
      "2026-11-14T08:12:40.021Z|00031|netdev|WARN|could not create netdev dpdk0 of unknown type "
      "dpdk\n2026-11-14T08:12:40.021Z|00032|bridge|WARN|could not open network device dpdk0 "
      "(Address family not supported by protocol)\n");
  ASSERT_EQ(root_id(only), "ovs-without-dpdk");
  EXPECT_THAT(only.root->commands, Contains("ovs-vsctl get Open_vSwitch . dpdk_initialized"));
  const auto stub = diagnose_text(
      "2022-11-24T12:30:24.500Z|00041|dpdk|ERR|DPDK not supported in this copy of Open vSwitch.\n");
  ASSERT_EQ(root_id(stub), "ovs-without-dpdk");
  EXPECT_THAT(stub.root->fix, HasSubstr("openvswitch-switch-dpdk"));
}

TEST(OpenVSwitchStart, ReportsErrorsByTheirLevelWithoutAnErrorWord) {
  const auto diagnosis =
      diagnose_text("2026-11-14T08:12:40.021Z|00031|dpif_netdev|ERR|No core available for dpdk0\n");
  ASSERT_EQ(diagnosis.unknown.size(), 1U);
  EXPECT_EQ(diagnosis.unknown[0].quote->line, 1U);
}

TEST(VppStart, FailsIfDpdkFindsNoPort) {
  const auto diagnosis = diagnose_text(
      "vpp[4123]: dpdk: EAL init args: --in-memory --no-telemetry --file-prefix vpp\n"
      "vpp[4123]: dpdk: DPDK drivers found no Ethernet devices...\n");
  ASSERT_EQ(root_id(diagnosis), "testpmd-no-ports");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::failed);
  EXPECT_THAT(diagnosis.root->fix, HasSubstr("startup.conf"));
}

}  // namespace
}  // namespace manactl::diag::program_start_test
