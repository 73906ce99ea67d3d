// SPDX-License-Identifier: MIT
//
// Diagnoses logs of Open vSwitch, VPP, Suricata and other programs that use DPDK.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <re2/re2.h>

#include "diag/error_heuristics.h"
#include "diag/logs.h"

namespace manactl::diag::programs_test {
namespace {

using test::diagnose_text;
using test::ids;
using test::kOvs;
using test::root_id;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kUnequal =
    "MANA_DRIVER: mana_dev_configure(): Only support equal number of rx/tx queues\n";
constexpr const char* kQueue =
    "MANA_DRIVER: mana_mr_btree_init(): B-tree initialized table 0x1 size 64 len 1\n";
constexpr const char* kForwards =
    "io packet forwarding - ports=1 - cores=1 - streams=1 - NUMA support enabled, MP allocation "
    "mode: native\n";

std::string fix_of(const std::string& text) {
  const auto diagnosis = diagnose_text(text);
  return diagnosis.root ? diagnosis.root->fix : "";
}

// ---- fixes --------------------------------------------------------------------------------------

TEST(FixOfAProgram, IsThatOfTheProgramInTheLog) {
  EXPECT_THAT(fix_of(kUnequal), HasSubstr("--rxq=4"));
  const auto in_ovs = diagnose_text(std::string(kOvs) + kUnequal);
  EXPECT_THAT(in_ovs.root->commands,
              testing::ElementsAre("ovs-vsctl set Open_vSwitch . other_config:pmd-cpu-mask=0x4",
                                   "ovs-vsctl set Interface IFACE options:n_rxq=2"));
  EXPECT_THAT(fix_of(std::string("vpp# show log\n") + kUnequal), HasSubstr("num-rx-queues 4"));
  EXPECT_THAT(fix_of("suricata: This is Suricata version 7.0.10 RELEASE\n" + std::string(kUnequal)),
              HasSubstr("`threads`"));
}

TEST(OpenVSwitch, IsDegradedIfOnlyCountersOfOtherPortsGrow) {
  const auto counters = [](const std::string& port, int packets) {
    return fmt::format(
        "# ovs-vsctl get Interface {} statistics\n{{rx_bytes=0, rx_packets={}, tx_packets={}}}\n",
        port,
        packets,
        packets);
  };
  const std::string failed = std::string(kOvs) +
                             "netdev_dpdk|WARN|Interface m0 eth_dev setup error Invalid argument\n"
                             "dpif_netdev|ERR|Failed to set interface m0 new configuration\n";
  const auto other = diagnose_text(failed + counters("m1", 2000) + counters("m1", 4000));
  EXPECT_EQ(other.verdict->answer, Answer::degraded);
  EXPECT_EQ(other.verdict->failure->line, 2U);
  const auto same = diagnose_text(failed + counters("m0", 2000) + counters("m0", 4000));
  EXPECT_EQ(same.verdict->answer, Answer::works);
  EXPECT_THAT(ids(same.recovered), Contains("ovs-port-failed"));
}

TEST(FixOfAProgram, IsThatOfTheRunWithTheCause) {
  const std::string start = "EAL: Detected CPU lcores: 8\n";
  const auto testpmd_first = diagnose_text(start + kUnequal + kOvs + start + kOvs);
  EXPECT_THAT(testpmd_first.root->fix, HasSubstr("--rxq=4"));
  EXPECT_THAT(fix_of(start + kForwards + kOvs + start + kUnequal), HasSubstr("PMD threads"));
  EXPECT_THAT(fix_of(start + kForwards + start + kUnequal + kOvs), HasSubstr("PMD threads"));
}

TEST(FixOfAProgram, NamesThePortOrTheInterfaceThatTheLogShows) {
  const std::string failed = "netdev_dpdk|WARN|Interface m7 eth_dev setup error Invalid argument\n";
  const std::string other = "netdev_dpdk|WARN|Interface m8 eth_dev setup error Invalid argument\n";
  const auto commands = [](const std::string& text) {
    return diagnose_text(text).root.value().commands;
  };
  EXPECT_THAT(commands(std::string(kOvs) + kUnequal + failed),
              testing::Contains("ovs-vsctl set Interface m7 options:n_rxq=2"));
  EXPECT_THAT(commands(std::string(kOvs) + kUnequal + failed + other),
              testing::Contains("ovs-vsctl set Interface IFACE options:n_rxq=2"));
  const std::string nic = "kernel: hv_netvsc f8615163-0000-1000-2000-000d3a71710e eth4: ";
  EXPECT_THAT(commands(nic + "Data path switched to VF: enP30832s1\n" + nic +
                       "XDP: mtu:9000 too large, buf_max:9600\n"),
              Contains("ip link set eth4 mtu 3500"));
}

// Options of testpmd and EAL that other programs do not have.
TEST(FixOfAProgram, ExistsIfTheFixNamesAnOptionOfTestpmdOrEal) {
  const re2::RE2 option(
      "--(?:rxq|txq|rxd|txd|total-num-mbufs|mbuf-size|socket-mem|in-memory|vdev|iova-mode|"
      "base-virtaddr|no-huge|single-file-segments)\\b|`-a ");
  // These are about testpmd, about its calls, or about several processes.
  const std::vector<std::string> others = {"testpmd-*",
                                           "ovs-*",
                                           "nothing-forwarded",
                                           "eal-no-primary",
                                           "eal-version-mismatch",
                                           "mana-init-global",
                                           "mana-tx-cqe-error",
                                           "sim-queue-stuck"};
  std::size_t found = 0;
  for (const auto& one : test::signatures().all()) {
    if (one.role != Role::cause || matches_any_id(others, one.id)) continue;
    if (!re2::RE2::PartialMatch(one.fix, option)) continue;
    ++found;
    EXPECT_THAT(one.fixes, Not(IsEmpty())) << one.id << ": " << one.fix;
  }
  EXPECT_GE(found, 20U);
}

TEST(FixOfAProgram, NamesAProgramThatALineShows) {
  const auto& all = test::signatures().all();
  for (const auto& one : all) {
    for (const auto& fix : one.fixes) {
      const auto shows = [&fix](const Signature& s) { return s.application == fix.program; };
      EXPECT_TRUE(std::ranges::any_of(all, shows)) << one.id << ": " << fix.program;
      EXPECT_FALSE(fix.fix.empty());
    }
  }
}

// ---- levels -------------------------------------------------------------------------------------

TEST(Levels, BelowWarningAreNoErrors) {
  for (const auto* line :
       {"2026-11-14T08:12:39.340Z|00027|netdev_dpdk|INFO|m0: Unable to do it",
        "[2211 - Suricata-Main] 2026-11-10 07:10:44 Info: cpu: failed to pin",
        "2026/11/09 09:14:01:220 notice     dpdk           bind failed",
        "time=\"2026-07-01T11:00:00Z\" level=info msg=\"probe failed\"",
        "2026-11-14 10:00:00,123 - util.py[DEBUG]: Failed to read",
        "2026-11-14T10:00:00.1Z INFO ExtHandler failed to report",
        "kern  :info  : [    1.2] cannot find a cache",
        "kern  :info  : [    1.2] mana 7870:00:00.0: Failed to find a cache",
        "       213           ethernet-input       unknown type         error   ",
        "decoder.invalid                               | Total      | 20411"}) {
    EXPECT_FALSE(may_be_error(line)) << line;
    EXPECT_THAT(diagnose_text(std::string(line) + "\n").unknown, IsEmpty()) << line;
  }
  for (const auto* line : {"2026-11-14T08:12:39.340Z|00027|netdev_dpdk|ERR|m0: Unable to do it",
                           "[2211 - Suricata-Main] 2026-11-10 07:10:44 Error: dpdk: failed to pin",
                           "EAL: information failed",
                           "mana 7870:00:00.0: Failed to query QUEUE INFO: -5",
                           "mana 7870:00:00.0: Failed to send [debug] message: -110",
                           "2026/11/09 09:14:01:220 notice     dpdk           MANA_DRIVER: "
                           "mana_frob(): Failed to frob, ret -5",
                           "INFORMATION error: it failed"}) {
    EXPECT_TRUE(may_be_error(line)) << line;
    EXPECT_THAT(diagnose_text(std::string(line) + "\n").unknown, testing::SizeIs(1)) << line;
  }
}

// ---- causes -------------------------------------------------------------------------------------

TEST(Pool, ThatIsEmptyAfterManyRestartsExplainsTheFailedQueues) {
  std::string text = "EAL: Detected CPU lcores: 2\n";
  for (int i = 0; i < 50; ++i) {
    text += kQueue + std::string(kForwards) + "Stopping port 0...\n";
  }
  text +=
      "MANA_DRIVER: mana_alloc_and_post_rx_wqes(): failed to allocate mbufs for RX\n"
      "MANA_DRIVER: mana_start_rx_queues(): rx ibv_create_qp_ex failed\n";
  const auto diagnosis = diagnose_text(text);
  EXPECT_EQ(root_id(diagnosis), "mana-rx-pool-empty");
  EXPECT_THAT(ids(diagnosis.consequences), Contains("mana-rx-qp-create"));
}

TEST(Pool, IsNotEmptyIfThePortReceivesPacketsLater) {
  const std::string kEmpty =
      "EAL: Detected CPU lcores: 2\n" + std::string(kQueue) + kForwards +
      "MANA_DRIVER: mana_alloc_and_post_rx_wqes(): failed to allocate mbufs for RX\n";
  const auto report = [](int received, int lost) {
    return fmt::format(
        "  ######################## NIC statistics for port 0  ########################\n"
        "  RX-packets: {}     RX-missed: 0          RX-bytes:  1\n  RX-nombuf:  {}\n"
        "  TX-packets: 0          TX-errors: 0          TX-bytes:  0\n",
        received,
        lost);
  };
  EXPECT_EQ(root_id(diagnose_text(kEmpty)), "mana-rx-pool-empty");
  EXPECT_EQ(root_id(diagnose_text(kEmpty + "  Rx-pps:        12        Rx-bps:     5760\n")), "");
  EXPECT_EQ(root_id(diagnose_text(kEmpty + report(900, 6) + report(990, 6))), "");
  EXPECT_EQ(root_id(diagnose_text(kEmpty + report(900, 6) + report(990, 7))), "mana-rx-pool-empty");
}

TEST(HugepageFiles, AreACauseIfALaterProgramFindsNoHugepages) {
  const std::string kFiles = "-rw------- 1 root root 2097152 Nov 12 22:10 pgwmap_0\n";
  const std::string kStart = "EAL: Detected CPU lcores: 2\n";
  const std::string kFatal = kStart + "EAL: Cannot get hugepage information.\n";
  const auto diagnosis = diagnose_text(kFatal + kFiles);
  ASSERT_EQ(root_id(diagnosis), "eal-hugepage-files-left");
  EXPECT_THAT(diagnosis.root->fix, HasSubstr("`rm /dev/hugepages/pgwmap_*`"));
  EXPECT_EQ(root_id(diagnose_text(kFiles + kFatal)), "eal-hugepage-files-left");
  EXPECT_EQ(root_id(diagnose_text(kFatal + kFiles + kStart + kQueue + kForwards)), "");
  EXPECT_EQ(root_id(diagnose_text(kStart + "EAL: No free 2048 kB hugepages reported on node 1\n" +
                                  kFiles + kQueue + kForwards)),
            "");
}

TEST(Vpp, ThatSkipsANicInTheKernelWorksIfItHasAnother) {
  const std::string kSkips =
      "vlib_vmbus_bind_to_uio: Skipping VMBUS device 000d3a70-522a-000d-3a70-522a000d3a70 as host "
      "interface eth0 is up\n"
      "dpdk: EAL init args: --in-memory --file-prefix vpp -a 7870:00:00.0\n";
  const auto only = diagnose_text(kSkips);
  ASSERT_EQ(root_id(only), "vpp-host-interface-up");
  EXPECT_THAT(only.root->commands, Contains("manactl prepare eth0"));
  for (const std::string works :
       {"MANA_DRIVER: mana_pci_probe_mac(): Successfully probed on IB port 1\n",
        "$ vppctl show interface\n"
        "              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter    "
        "Count\n"
        "mana0                             1      up          9000/0/0/0     rx packets     5000\n"
        "                                                                    tx packets     "
        "5000\n"}) {
    const auto diagnosis = diagnose_text(kSkips + works);
    EXPECT_EQ(root_id(diagnosis), "") << works;
    EXPECT_THAT(ids(diagnosis.benign), Contains("vpp-host-interface-up")) << works;
    EXPECT_THAT(ids(diagnosis.recovered), IsEmpty()) << works;
  }
}

TEST(MonitorId, IsHarmlessIfTheScanGoesOn) {
  const std::string line =
      "EAL: eal_parse_sysfs_value(): cannot open sysfs value "
      "/sys/bus/vmbus/devices/000d3a12-6b70-000d-3a12-6b70000d3a12/monitor_id\n";
  const auto newer = diagnose_text(line + kQueue + kForwards);
  EXPECT_EQ(root_id(newer), "");
  EXPECT_THAT(ids(newer.benign), Contains("vmbusbus-sysfs-value"));
  EXPECT_EQ(newer.verdict->answer, Answer::works);
  const auto older = diagnose_text(line + "EAL: Scan for (vmbus) bus failed.\n");
  ASSERT_EQ(root_id(older), "vmbusbus-sysfs-value");
  EXPECT_THAT(older.root->fix, HasSubstr("25.11"));
}

TEST(UioNode, ThatCannotBeOpenedDegradesAProgramWithTheVf) {
  const std::string error =
      "VMBUS_BUS: vmbus_uio_alloc_resource(): Cannot open /dev/uio0: Permission denied\n";
  const auto diagnosis = diagnose_text(error + kQueue + kForwards);
  EXPECT_EQ(root_id(diagnosis), "vmbusbus-open-uio");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::degraded);
  EXPECT_EQ(diagnose_text(error).verdict->answer, Answer::failed);
}

TEST(SysfsFile, ThatOnlyCanBeWrittenIsHarmless) {
  const auto diagnosis = diagnose_text(
      "cat: /sys/bus/vmbus/drivers/uio_hv_generic/new_id: Permission denied\n"
      "testpmd: No probed ethernet devices\n");
  EXPECT_EQ(root_id(diagnosis), "testpmd-no-ports");
  EXPECT_EQ(root_id(diagnose_text("bash: /sys/bus/vmbus/drivers/uio_hv_generic/new_id: "
                                  "Permission denied\ntestpmd: No probed ethernet devices\n")),
            "sysfs-no-driver-dir");
}

TEST(QueuePairs, OfOtherProcessesLeaveNone) {
  const auto diagnosis =
      diagnose_text("MANA_DRIVER: mana_dev_start(): failed to start tx queues -28\n");
  ASSERT_EQ(root_id(diagnosis), "mana-start-tx-other");
  EXPECT_THAT(diagnosis.root->fix, HasSubstr("End the other processes"));
}

// ---- arguments ----------------------------------------------------------------------------------

constexpr const char* kNoVfPort = "HN_DRIVER: hn_vf_attach(): Couldn't find port for VF\n";
constexpr const char* kMac = "7870:00:00.0,mac=00:0d:3a:1c:7f:44";

// The observations that confirm a cause of kNoVfPort in this log.
std::vector<std::string> confirmed(const std::string& text) {
  std::vector<std::string> causes;
  const auto diagnosis = diagnose_text(text + kNoVfPort);
  if (!diagnosis.root) return causes;
  for (const auto& one : diagnosis.root->alternatives) {
    if (one.confirmation == Confirmation::confirmed) causes.push_back(one.confirmed_by);
  }
  return causes;
}

TEST(Arguments, OfAnotherNicShowWhyTheVfHasNoPort) {
  const auto command = fmt::format("# dpdk-testpmd --vdev={} -- -i\n", kMac);
  EXPECT_THAT(confirmed(command + "Port 1: 00:0D:3A:1C:8E:09\n"),
              testing::ElementsAre("line 2 has a port with 00:0d:3a:1c:8e:09, and line 1 names "
                                   "00:0d:3a:1c:7f:44"));
  EXPECT_THAT(confirmed(command + "Port 1: 00:0D:3A:1C:7F:44\n"), IsEmpty());
  EXPECT_THAT(confirmed("Port 1: 00:0D:3A:1C:8E:09\n"), IsEmpty());
  const auto second = "# dpdk-testpmd --vdev=7870:00:00.0,mac=00:0d:3a:1c:8e:09\n";
  EXPECT_THAT(confirmed(command + second + "Port 1: 00:0D:3A:1C:8E:09\n"), IsEmpty());
}

TEST(Arguments, ForOnePciDeviceMustBeOne) {
  const std::string other = "7870:00:00.0,mac=00:0d:3a:1c:7f:45";
  EXPECT_THAT(confirmed(fmt::format("# testpmd --vdev=\"{}\" --vdev=\"{}\"\n", kMac, other)),
              testing::ElementsAre("line 1 has several arguments for 7870:00:00.0"));
  EXPECT_THAT(confirmed(fmt::format("# testpmd --vdev={},mac=00:0d:3a:1c:7f:45\n", kMac)),
              IsEmpty());
  EXPECT_THAT(
      confirmed(fmt::format("# testpmd -a {} -a 7871:00:00.0,mac=00:0d:3a:1c:7f:45\n", kMac)),
      IsEmpty());
}

TEST(Arguments, OfACorrectedCommandReplaceThoseOfTheFirst) {
  const std::string other = "7870:00:00.0,mac=00:0d:3a:1c:7f:45";
  const auto wrong = fmt::format("# testpmd --vdev={} --vdev={}\n", kMac, other);
  const auto logged = fmt::format("EAL: {}\n", kMac);
  EXPECT_THAT(confirmed(wrong + logged), testing::SizeIs(1));
  const std::string receiver = "# testpmd --vdev=7870:00:00.0,mac=00:0d:3a:1c:8e:09\n";
  EXPECT_THAT(confirmed(wrong + receiver), testing::SizeIs(1));
  EXPECT_THAT(confirmed(wrong + fmt::format("# testpmd --vdev={}\n", kMac)), IsEmpty());
  EXPECT_THAT(confirmed(wrong + fmt::format("# testpmd --vdev={},mac=00:0d:3a:1c:7f:45\n", kMac)),
              IsEmpty());
}

TEST(Packages, WithoutThatOfNetManaShowWhyTheVfHasNoPort) {
  const std::string netvsc = "librte-net-netvsc23:amd64 22.11.11-1~deb12u1\n";
  EXPECT_THAT(confirmed(netvsc),
              testing::ElementsAre("line 1 lists net_netvsc, and no line net_mana"));
  EXPECT_THAT(confirmed(netvsc + "librte-net-mana25:amd64 24.11.3-1\n"), IsEmpty());
  EXPECT_THAT(confirmed("$ dpkg -l | grep librte-net\n" + netvsc), testing::SizeIs(1));
  EXPECT_THAT(confirmed("$ dpkg -l | grep -E 'mana|netvsc'\n" + netvsc), testing::SizeIs(1));
  EXPECT_THAT(confirmed("$ dpkg -l | grep netvsc\n" + netvsc), IsEmpty());
}

TEST(DriverLink, ShowsThatTheKernelOwnsTheNic) {
  const auto diagnosis =
      diagnose_text("../../../../../bus/vmbus/drivers/hv_netvsc\nNo Ethernet ports - bye\n");
  ASSERT_EQ(root_id(diagnosis), "testpmd-no-ports");
  EXPECT_THAT(diagnosis.root->fix, HasSubstr("Bind the NIC to uio_hv_generic"));
  EXPECT_THAT(fix_of("../../../../../bus/vmbus/drivers/hv_netvsc\n"
                     "../../../../../bus/vmbus/drivers/uio_hv_generic\nNo Ethernet ports - bye\n"),
              Not(HasSubstr("Bind the NIC")));
}

TEST(DriverLink, OfAnotherNicDoesNotShowWhyTheProgramHasNoPort) {
  const std::string failure = "No Ethernet ports - bye\n";
  const std::string link = "../../../../../bus/vmbus/drivers/hv_netvsc\n";
  const std::string id = "000d3a1c-7f44-000d-3a1c-7f44000d3a1c";
  const std::string other = "000d3a1c-7f45-000d-3a1c-7f45000d3a1c";
  for (const auto& command : {fmt::format("# dpdk-testpmd -l 0-1 -a {} -- -i\n", id),
                              fmt::format("# dpdk-testpmd --vdev={} -- -i\n", kMac)}) {
    const auto fix = [&](const std::string& path) {
      return fix_of(command + failure + path + link);
    };
    EXPECT_THAT(fix("# readlink /sys/bus/vmbus/devices/" + id + "/driver\n"),
                HasSubstr("Bind the NIC"));
    EXPECT_THAT(fix("# readlink /sys/bus/vmbus/devices/" + other + "/driver\n"),
                Not(HasSubstr("Bind the NIC")));
    EXPECT_THAT(fix("# readlink /sys/class/net/eth0/device/driver\n"),
                Not(HasSubstr("Bind the NIC")));
  }
}

// ---- counters -----------------------------------------------------------------------------------

std::string ovs_report(int rx, int tx) {
  return fmt::format(
      "# ovs-vsctl get Interface wan0 statistics\n"
      "{{ovs_tx_failure_drops=0, rx_dropped=0, rx_packets={}, tx_packets={}}}\n",
      rx,
      tx);
}

TEST(CountersThatGrow, ShowThatAProgramWorks) {
  EXPECT_EQ(diagnose_text(ovs_report(100, 200) + ovs_report(101, 200)).verdict->answer,
            Answer::works);
  EXPECT_NE(diagnose_text(ovs_report(100, 200)).verdict->answer, Answer::works);
  EXPECT_EQ(diagnose_text(ovs_report(5000, 200)).verdict->answer, Answer::works);
  const std::string port = "Port 0: RX - 1288201, TX - 1288201, Drop - 0\n";
  EXPECT_EQ(diagnose_text(port).verdict->answer, Answer::works);
}

TEST(CountersThatGrow, DoNotRepairAnotherPort) {
  const auto diagnosis =
      diagnose_text(std::string(kOvs) + kUnequal + ovs_report(5000, 200) + ovs_report(9000, 400));
  EXPECT_EQ(root_id(diagnosis), "mana-unequal-queue-counts");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::failed);
}

TEST(CountersThatStandStill, ShowADeadPortAfterTheRemovalOfAVf) {
  const std::string removal =
      "Nov 08 02:44:02 vm kernel: hv_netvsc 000d3a6b-0219-000d-3a6b-0219000d3a6b eth1: VF slot 1 "
      "removed\n";
  const auto dead = ovs_report(5000, 200) + ovs_report(5000, 300);
  EXPECT_EQ(root_id(diagnose_text(dead + removal)), "ovs-port-dead");
  EXPECT_EQ(diagnose_text(dead + removal).verdict->answer, Answer::worked_until);
  EXPECT_EQ(root_id(diagnose_text(dead)), "");
  EXPECT_EQ(root_id(diagnose_text(ovs_report(5000, 200) + ovs_report(5001, 300) + removal)), "");
  EXPECT_EQ(root_id(diagnose_text(ovs_report(5000, 200) + ovs_report(5000, 200) + removal)), "");
}

}  // namespace
}  // namespace manactl::diag::programs_test
