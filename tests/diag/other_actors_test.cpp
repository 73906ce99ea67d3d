// SPDX-License-Identifier: MIT
//
// Programs that act on VFs: network managers, DHCP clients, cloud-init, udev, CNI plug-ins. The
// same lines about a synthetic NIC are not a fault.

#include <gmock/gmock.h>

#include "diag/logs.h"

namespace manactl::diag::other_actors_test {
namespace {

using test::diagnose_text;
using test::ids;
using test::root_id;
using testing::Contains;
using testing::IsEmpty;

const std::string kNetvsc = "hv_netvsc f8615163-0000-1000-2000-000d3a941d7e eth0: ";
const std::string kSecond = "hv_netvsc f8615163-0001-1000-2000-000d3a941d7f eth3: ";
const std::string kMana = "mana 7870:00:00.0 ";

// The VF eth1 of eth0, which udev has not renamed.
const std::string kWorking = kNetvsc + "VF slot 1 added\n" +
                             "mana 7870:00:00.0: Microsoft Azure Network Adapter protocol version: "
                             "0.1.1\n" +
                             kNetvsc + "VF registering: eth1\n" + kMana + "eth1: joined to eth0\n" +
                             kNetvsc + "Data path switched to VF: eth1\n";

const std::string kRenamed = kWorking + kMana + "enP30832s1: renamed from eth1\n";

// The VF eth2 of eth3.
const std::string kTwoNics = kWorking + kSecond + "VF slot 1 added\n" + kSecond +
                             "VF registering: eth2\n" + kMana + "eth2: joined to eth3\n";

const std::string kNmLease =
    "NetworkManager[801]: <info>  [1787033527.9] dhcp4 (NIC): state changed new lease, "
    "address=10.4.0.6\n";

std::string line_of(std::string text, const std::string& interface) {
  text.replace(text.find("NIC"), 3, interface);
  return text + "\n";
}

Answer answer_of(const std::string& text) {
  return diagnose_text(text).verdict->answer;
}

struct Action {
  std::string name, line, root;  // NIC stands for the interface
  Answer answer = Answer::degraded;
};

std::vector<Action> actions() {
  return {
      {"NmLease", kNmLease, "networkmanager-vf-address"},
      {"NmOldLease",
       "NetworkManager[801]: <info>  [1] dhcp4 (NIC): state changed unknown -> bound, "
       "address=10.0.0.4",
       "networkmanager-vf-address"},
      {"NmRoute",
       "NetworkManager[801]: <info>  [1] policy: set 'Wired connection 1' (NIC) as default for "
       "IPv4 routing and DNS",
       "networkmanager-vf-address"},
      {"Networkd",
       "systemd-networkd[498]: NIC: DHCPv4 address 10.0.0.4/24, gateway 10.0.0.1 acquired from "
       "168.63.129.16",
       "networkd-vf-address"},
      {"OldNetworkd",
       "systemd-networkd[498]: NIC: DHCPv4 address 10.0.0.4/24 via 10.0.0.1",
       "networkd-vf-address"},
      {"Dhclient",
       "dhclient[412]: DHCPREQUEST for 10.0.0.4 on NIC to 255.255.255.255 port 67\n"
       "dhclient[412]: bound to 10.0.0.4 -- renewal in 37212 seconds.",
       "dhclient-vf-address"},
      {"Wicked",
       "wickedd-dhcp4[502]: NIC: Committed DHCPv4 lease with address 10.0.0.4 (lease time 86400 "
       "sec, renew in 43200 sec, rebind in 75600 sec)",
       "dhcp-client-vf-address"},
      {"Dhcpcd", "dhcpcd[510]: NIC: leased 10.0.0.4 for 86400 seconds", "dhcp-client-vf-address"},
      {"Agent",
       "2026/11/25 15:42:40.08 INFO Daemon Primary interface is [NIC]",
       "waagent-vf-primary"},
      {"IpAddr",
       "    inet 10.11.0.7/24 brd 10.11.0.255 scope global dynamic noprefixroute NIC",
       "vf-has-address"},
      {"IpRoute",
       "default via 10.11.0.1 dev NIC proto dhcp src 10.11.0.7 metric 101",
       "vf-has-address"},
      {"IpBriefAddr", "NIC             UP             10.4.0.6/24 ", "vf-has-address"},
      {"IpBriefUnknown", "NIC             UNKNOWN        10.4.0.6/24 ", "vf-has-address"},
      {"Martian",
       "kernel: IPv4: martian source 10.4.0.6 from 10.4.0.1, on dev NIC",
       "vf-has-address"},
      {"Cni",
       R"(azure-vnet[40112]: {"level":"info","msg":"[net] Setting link netns.","IfName":"NIC"})",
       "cni-moved-vf",
       Answer::worked_until},
  };
}

class OtherActors : public testing::TestWithParam<Action> {
 protected:
  static std::string line(const std::string& interface) {
    return line_of(GetParam().line, interface);
  }
};

TEST_P(OtherActors, OnTheVfAreACause) {
  for (const auto& log : {kWorking + line("eth1"),
                          kRenamed + line("enP30832s1"),
                          // The first part of the log is missing.
                          kNetvsc + "Data path switched to VF: eth1\n" + line("eth1"),
                          kNetvsc + "VF slot 1 added\n" + line("enP30832s1")}) {
    EXPECT_EQ(root_id(diagnose_text(log)), GetParam().root) << log;
  }
  EXPECT_EQ(answer_of(kRenamed + line("enP30832s1")), GetParam().answer);
}

TEST_P(OtherActors, OnTheSyntheticNicAreNormal) {
  // After the VF has its own name, another NIC may get the first name of the VF.
  const auto other = kRenamed +
                     "hv_netvsc f8615163-0002-1000-2000-000d3a941d80 eth1: VF slot 2 "
                     "added\n" +
                     line("eth1");
  for (const auto& log : {line("eth0") + kRenamed, kRenamed + line("eth0"), other}) {
    const auto diagnosis = diagnose_text(log);
    EXPECT_EQ(diagnosis.verdict->answer, Answer::works) << log;
    EXPECT_EQ(root_id(diagnosis), "") << log;
    EXPECT_THAT(diagnosis.unknown, IsEmpty()) << log;
  }
}

std::string name_of_case(const testing::TestParamInfo<Action>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Lines, OtherActors, testing::ValuesIn(actions()), name_of_case);

TEST(NetworkManagers, ThatGiveUpTheVfAreNormal) {
  const auto lease = kRenamed + line_of(kNmLease, "enP30832s1");
  const auto released = lease +
                        "NetworkManager[801]: <info>  [2] device (enP30832s1): state change: "
                        "activated -> unmanaged (reason 'unmanaged')\n";
  EXPECT_EQ(root_id(diagnose_text(released)), "");
  EXPECT_EQ(answer_of(released), Answer::works);
  // Another VF does not show it.
  const auto other = lease +
                     "NetworkManager[801]: <info>  [2] device (enP9s1): state change: activated -> "
                     "unmanaged (reason 'unmanaged')\n";
  EXPECT_EQ(root_id(diagnose_text(other)), "networkmanager-vf-address");
  EXPECT_EQ(root_id(diagnose_text(kRenamed +
                                  "systemd-networkd[4]: enP30832s1: DHCPv4 address 10.0.0.4/24, "
                                  "gateway 10.0.0.1 acquired from 168.63.129.16\n"
                                  "systemd-networkd[4]: enP30832s1: Unmanaging interface.\n")),
            "");
}

TEST(NetworkManagers, ThatSetUpTheVfMatterOnlyIfDpdkFoundThePortBusy) {
  const auto managed = kRenamed +
                       "NetworkManager[8]: <info>  [1] device (enP30832s1): Activation: starting "
                       "connection 'Wired connection 1' (5b1c0c7e)\n";
  EXPECT_EQ(root_id(diagnose_text(managed)), "");
  EXPECT_THAT(ids(diagnose_text(managed).benign), Contains("vf-set-up-for-dpdk"));
  const auto busy = managed + "mana 7870:00:00.0 mana_0: Failed to configure vPort -16\n";
  EXPECT_EQ(root_id(diagnose_text(busy)), "vf-set-up-for-dpdk");
}

TEST(Dhclient, ThatHasNoLeaseForTheVfIsNormal) {
  const std::string kRequest = "dhclient[412]: DHCPREQUEST for 10.0.0.4 on NIC to 255.1 port 67";
  const std::string kBound = "dhclient[412]: bound to 10.0.0.4 -- renewal in 37212 seconds.\n";
  const auto on_vf = kRenamed + line_of(kRequest, "enP30832s1");
  EXPECT_EQ(root_id(diagnose_text(on_vf)), "");
  EXPECT_EQ(root_id(diagnose_text(on_vf + "DHCPNAK from 10.4.0.1 (xid=0x3a1f)\n" + kBound)), "");
  EXPECT_EQ(root_id(diagnose_text(on_vf + kBound)), "dhclient-vf-address");
  EXPECT_EQ(root_id(diagnose_text(on_vf + kBound +
                                  "DHCPRELEASE of 10.0.0.4 on enP30832s1 to 10.4.0.1 port 67\n")),
            "");
}

TEST(Udev, ThatCannotRenameASyntheticNicIsACause) {
  const std::string kNic =
      "systemd-udevd[265]: eth3: Failed to rename network interface 5 from 'eth3' to 'eth1': File "
      "exists\n";
  EXPECT_EQ(root_id(diagnose_text(
                kTwoNics + "systemd-udevd[2]: Error changing net interface name 'eth3' to 'eth1': "
                           "File exists\n")),
            "udev-nic-name-taken");
  const auto diagnosis = diagnose_text(kTwoNics + kNic);
  EXPECT_EQ(root_id(diagnosis), "udev-nic-name-taken");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::failed);
  EXPECT_EQ(root_id(diagnose_text(kTwoNics + kNic + kSecond + "Data path switched to VF: eth2\n")),
            "");
}

TEST(Udev, ThatCannotRenameTheVfIsNormal) {
  for (const std::string error : {"File exists", "Device or resource busy"}) {
    const auto diagnosis =
        diagnose_text(kWorking +
                      "systemd-udevd[2]: eth1: Failed to rename network interface 3 from 'eth1' to "
                      "'eth0': " +
                      error + "\n");
    EXPECT_EQ(root_id(diagnosis), "");
    EXPECT_EQ(diagnosis.verdict->answer, Answer::works);
    EXPECT_THAT(diagnosis.unknown, IsEmpty());
  }
}

TEST(Ifupdown, ThatCannotSetUpTheNicIsACauseUnlessTheNicWorksLater) {
  const std::string kFailed = "ifup[53]: ifup: failed to bring up eth3\n";
  EXPECT_EQ(root_id(diagnose_text(kTwoNics + kFailed)), "ifup-failed");
  EXPECT_NE(answer_of(kTwoNics + kFailed), Answer::degraded);
  EXPECT_EQ(root_id(diagnose_text(kTwoNics + "ifup[53]: ifup: failed to bring up wlan0\n")), "");
  EXPECT_EQ(
      root_id(diagnose_text(kTwoNics + kFailed + kSecond + "Data path switched to VF: eth2\n")),
      "");
}

TEST(CloudInit, ThatCannotRenameTheNicIsACauseUnlessTheNicWorksLater) {
  const std::string kFailed =
      "cloud-init[400]: RuntimeError: Unable to rename interfaces: [['00:0d:3a:15:e5:05', 'eth1', "
      "None, None]] due to errors: ['[busy] Error renaming mac=00:0d:3a:15:e5:05 from eth2 to "
      "eth1']\n";
  const auto joined = kNetvsc + "VF registering: eth1\n" + kFailed;
  EXPECT_EQ(root_id(diagnose_text(joined)), "cloudinit-rename-failed");
  EXPECT_EQ(root_id(diagnose_text(joined + kNetvsc + "Data path switched to VF: eth1\n")), "");
}

// Setting a VF down is a step of the preparation for DPDK.
TEST(Commands, OnTheVfMatterOnlyIfTheDataPathLeavesIt) {
  for (const std::string command : {"ip link set eth1 down", "ip link set dev eth1 netns blue"}) {
    const auto run = kWorking + "sudo: root : PWD=/ ; COMMAND=/usr/sbin/" + command + "\n";
    EXPECT_EQ(root_id(diagnose_text(run)), "");
    const auto left = "[  100.0] " + kNetvsc + "Data path switched from VF: eth1\n" +
                      "[ 9000.0] audit: something else\n";
    EXPECT_EQ(root_id(diagnose_text(run + left)), "vf-changed-by-command") << command;
    EXPECT_EQ(root_id(diagnose_text(kWorking + left)), "hvnetvsc-path-not-switched");
  }
}

TEST(Nics, ThatTheHostDoesNotOfferLeaveAVfAlone) {
  const std::string kBoot = "Linux version 6.1.0-56-cloud-amd64 (gcc 12.2.0) #1 SMP\n";
  const auto unmatched = kMana + "eth1: no netdev found for vf serial:2\n";
  EXPECT_EQ(root_id(diagnose_text(kBoot + unmatched)), "hvnetvsc-vf-without-nic");
  EXPECT_EQ(answer_of(kBoot + unmatched), Answer::degraded);
  // The beginning of the log is missing, or the NIC appears later.
  EXPECT_EQ(root_id(diagnose_text(unmatched)), "hvnetvsc-vf-unmatched");
  EXPECT_EQ(root_id(diagnose_text(kBoot + kNetvsc + "VF slot 1 added\n" + unmatched)),
            "hvnetvsc-vf-unmatched");
  EXPECT_EQ(root_id(diagnose_text(kBoot + unmatched + kWorking)), "");
  // The NIC is in user space since the boot, so hv_netvsc prints nothing about it.
  const std::string kUser = "hv_vmbus: registering driver uio_hv_generic\n";
  EXPECT_EQ(root_id(diagnose_text(kBoot + kUser + unmatched)), "hvnetvsc-vf-unmatched");
  EXPECT_EQ(root_id(diagnose_text(kBoot + unmatched + kUser)), "");
}

TEST(CloudInit, ThatFindsOneMacTwiceIsACauseUnlessTheNicWorksLater) {
  const std::string kFailed =
      "cloud-init[388]: RuntimeError: duplicate mac found! both 'eth1' and 'eth0' have mac "
      "'00:0d:3a:0b:ee:21'.\n";
  const auto joined = kNetvsc + "VF slot 1 added\n" + kFailed + kNetvsc + "VF registering: eth1\n";
  EXPECT_EQ(root_id(diagnose_text(joined)), "cloudinit-duplicate-mac");
  EXPECT_EQ(answer_of(joined), Answer::failed);
  EXPECT_EQ(root_id(diagnose_text(joined + kNetvsc + "Data path switched to VF: eth1\n")), "");
}

TEST(Mtu, OfTheVfThatDiffersIsACauseUntilTheVfLeaves) {
  const auto failed = kWorking + kMana + "eth1: unable to change mtu to 9000\n" + kNetvsc +
                      "Data path switched to VF: eth1\n";
  EXPECT_EQ(root_id(diagnose_text(failed)), "hvnetvsc-vf-mtu");
  EXPECT_EQ(answer_of(failed), Answer::degraded);
  EXPECT_EQ(root_id(diagnose_text(failed + kNetvsc + "VF unregistering: eth1\n" + kNetvsc +
                                  "VF registering: eth1\n" + kNetvsc +
                                  "Data path switched to VF: eth1\n")),
            "");
}

TEST(Blocklist, OfTheDriverExplainsAVfWithoutADriver) {
  const std::string kFunction =
      "[    1.0] pci 7870:00:00.0: [1414:00ba] type 00 class 0x020000\n"
      "[  142.0] systemd[1]: Startup finished in 2.114s (kernel) + 8.932s (userspace) = 11.046s.\n";
  const auto with = [&kFunction](const std::string& options) {
    return "[    0.0] Command line: BOOT_IMAGE=/vmlinuz ro " + options + "\n" + kFunction;
  };
  EXPECT_EQ(root_id(diagnose_text(with("modprobe.blacklist=floppy,mana,mana_ib quiet"))),
            "kernel-driver-blocklisted");
  EXPECT_EQ(root_id(diagnose_text(with("module_blacklist=mana"))), "kernel-driver-blocklisted");
  EXPECT_EQ(root_id(diagnose_text(with("rd.driver.blacklist=mana"))), "kernel-driver-blocklisted");
  EXPECT_EQ(root_id(diagnose_text(with("modprobe.blacklist=mana_ib,floppy"))),
            "kernel-function-without-driver");
  const auto probed = kFunction + "[   90.0] Linux\n";
  for (const auto* line : {"blacklist mana",
                           "  install mana /bin/false",
                           "/etc/modprobe.d/a.conf:blacklist mana",
                           "install mana /usr/bin/true"}) {
    EXPECT_EQ(root_id(diagnose_text(probed + line + "\n")), "kernel-driver-blocklisted") << line;
    EXPECT_EQ(root_id(diagnose_text(kWorking + line + "\n")), "") << line;
  }
  for (const auto* line :
       {"# blacklist mana", "/etc/modprobe.d/a.conf:#blacklist mana", "sudo apt install mana"}) {
    EXPECT_NE(root_id(diagnose_text(probed + line + "\n")), "kernel-driver-blocklisted") << line;
  }
  // The driver was loaded explicitly.
  EXPECT_EQ(root_id(diagnose_text(with("modprobe.blacklist=mana") + kWorking)), "");
}

// Statuses of Windows that the adapter returns.
TEST(Statuses, ShowWhyTheAdapterRefusedARequest) {
  const auto probe = [](const std::string& status) {
    return diagnose_text("mana 7870:00:00.0: HWC: Failed hw_channel req: 0x" + status +
                         "\nmana 7870:00:00.0: gdma probe failed: err = -71\n");
  };
  EXPECT_EQ(root_id(probe("c00000bb")), "manako-hwc-status");
  EXPECT_THAT(probe("c00000bb").root->fix, testing::HasSubstr("Update the kernel"));
  EXPECT_THAT(probe("c000009a").root->fix, testing::HasSubstr("another host"));
  EXPECT_THAT(probe("9").root->fix, testing::HasSubstr("Note command and status"));
}

}  // namespace
}  // namespace manactl::diag::other_actors_test
