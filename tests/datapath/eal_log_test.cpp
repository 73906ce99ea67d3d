// SPDX-License-Identifier: MIT
#include "datapath/dpdk/eal_log.h"

#include <gtest/gtest.h>

namespace manactl::datapath::eal_log_test {
namespace {

// The logs below were written by DPDK 22.11.11.

TEST(EalLog, ReportsMissingHugepages) {
  const auto error = reason_of(
      "EAL: No free 2048 kB hugepages reported on node 0\n"
      "EAL: No free 1048576 kB hugepages reported on node 0\n"
      "EAL: FATAL: Cannot get hugepage information.\n"
      "EAL: Cannot get hugepage information.\n");
  EXPECT_EQ(error.code, Errc::unsupported);
  EXPECT_EQ(error.message, "no free hugepages");
}

TEST(EalLog, PrefersTheDriversCauseToItsConsequences) {
  const auto error = reason_of(
      "rte_pmd_init_internals(): net_af_packet0: ioctl failed (SIOCGIFINDEX):No such device\n"
      "vdev_probe(): failed to initialize net_af_packet0 device\n"
      "EAL: Bus (vdev) probe failed.\n");
  EXPECT_EQ(error.code, Errc::invalid);
  EXPECT_EQ(error.message, "net_af_packet0: ioctl failed (SIOCGIFINDEX):No such device");
}

TEST(EalLog, DetectsAFileWithoutPermission) {
  EXPECT_EQ(reason_of("tun_alloc(): Unable to open /dev/net/tun: Permission denied\n").code,
            Errc::denied);
}

TEST(EalLog, IgnoresHarmlessComplaints) {
  const auto error = reason_of(
      "rte_pmd_memif_probe(): Failed to register mp action callback: Operation not supported\n"
      "memif_connect_client(): Failed to connect socket: /nonexistent/socket.\n");
  EXPECT_EQ(error.message, "Failed to connect socket: /nonexistent/socket");
}

// This log was written by DPDK 24.11.8.
TEST(EalLog, FindsTheCauseBetweenTheProgressMessagesOfNetMana) {
  const auto error = reason_of(
      "MANA_DRIVER: mana_init_once(): MP INIT PRIMARY\n"
      "MANA_DRIVER: mana_mr_btree_init(): B-tree initialized table 0x1180443900 size 64 len 1\n"
      "MANA_DRIVER: mana_start_rx_queues(): rx ibv_create_qp_ex failed\n");
  EXPECT_NE(error.message.find("rx ibv_create_qp_ex failed"), std::string::npos) << error.message;
}

TEST(EalLog, DetectsAMissingPrivilege) {
  const auto tap = reason_of(
      "tun_alloc(): Unable to set TUNSETIFF for dtap%d: Operation not permitted\n"
      "eth_dev_tap_create(): Unable to create TAP interface\n"
      "vdev_probe(): failed to initialize net_tap0 device\n");
  EXPECT_EQ(tap.code, Errc::denied);
  const auto packet = reason_of("open_packet_iface(): Could not open AF_PACKET socket\n");
  EXPECT_EQ(packet.code, Errc::denied);
  EXPECT_NE(packet.message.find("CAP_NET_RAW"), std::string::npos);
}

TEST(EalLog, HasAMessageForADriverWithoutLog) {
  const auto silent = reason_of("vdev_probe(): failed to initialize net_null0 device\n");
  EXPECT_EQ(silent.code, Errc::invalid);
  EXPECT_EQ(silent.message, "the driver rejects its options");
  EXPECT_EQ(reason_of("").message, silent.message);
}

TEST(EalLog, IsAlwaysOnePrintableLine) {
  const std::string log = "PMD: \x1b[31mbad\x01 \xff" + std::string(5000, 'x') + "\n";
  const auto error = reason_of(log);
  EXPECT_LT(error.message.size(), 500U);
  for (const char c : error.message) {
    EXPECT_TRUE(c >= ' ' && c < '\x7f');
  }
}

}  // namespace
}  // namespace manactl::datapath::eal_log_test
