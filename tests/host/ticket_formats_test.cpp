// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>

#include "base/text.h"
#include "host/ticket_text.h"

namespace manactl::host::ticket_formats_test {
namespace {

struct FormatCase {
  const char* name;
  std::string text;
  std::string facts;
};

void PrintTo(const FormatCase& one, std::ostream* out) {
  *out << one.name;
}

class TicketFormats : public testing::TestWithParam<FormatCase> {};

TEST_P(TicketFormats, BecomeFacts) {
  EXPECT_EQ(ticket_facts(GetParam().text), GetParam().facts);
}

TEST_P(TicketFormats, KeepTheirFactsInQuotationsAndWithOtherLineEnds) {
  EXPECT_EQ(ticket_facts(marked(GetParam().text, "> ")), GetParam().facts);
  EXPECT_EQ(ticket_facts(marked(GetParam().text, "    ")), GetParam().facts);
  std::string windows;
  for (const char c : GetParam().text) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(ticket_facts(windows), GetParam().facts);
}

// A shorter text has no facts about other things than the whole one, but may lack their details.
TEST_P(TicketFormats, InventNothingWhereverTheyAreCut) {
  const auto& text = GetParam().text;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto facts = ticket_facts(text.substr(0, size));
    for (const auto fact : split(facts, '\n')) {
      const auto all = words(fact);
      const auto subject = all.size() > 1 ? fmt::format("{} {}", all[0], all[1]) : "";
      EXPECT_THAT(GetParam().facts, testing::HasSubstr(subject)) << text.substr(0, size);
    }
  }
}

const FormatCase kCases[] = {
    {"IpLink", kLinks, "nic eth0 up vf enP30832s1 '' up by master"},
    {"IpLinkWithPrompt",
     "azureuser@vm1:~$ ip link\n" + std::string(kLinks) + "azureuser@vm1:~$ lspci\n" + kLspci +
         "azureuser@vm1:~$ \n",
     "function 7870:00:00.0 1414:00ba driver 'mana' enP30832s1\n"
     "module mana loaded\n"
     "nic eth0 up vf enP30832s1 'mana' up by master"},
    {"IpBriefLink",
     "[root@vm1 ~]# ip -br link\n"
     "lo               UNKNOWN        00:00:00:00:00:00 <LOOPBACK,UP,LOWER_UP> \n"
     "eth0             UP             00:00:5e:00:53:01 <BROADCAST,MULTICAST,UP,LOWER_UP> \n"
     "eth1             UP             00:00:5e:00:53:02 <BROADCAST,MULTICAST,UP,LOWER_UP> \n"
     "enP30832s1       UP             00:00:5e:00:53:01 <BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP> \n"
     "enP30832s1d1     DOWN           00:00:5e:00:53:02 <BROADCAST,MULTICAST,SLAVE> \n",
     "nic eth0 up vf enP30832s1 '' up by master\n"
     "nic eth1 up vf enP30832s1d1 '' down by master"},
    {"IpDetailedLink",
     "# ip -d link show\n"
     "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group "
     "default qlen 1000\n"
     "    link/ether 00:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff promiscuity 0  allmulti 0 minmtu 68 "
     "maxmtu 65521 addrgenmode eui64 numtxqueues 64 numrxqueues 64 gso_max_size 62780 parentbus "
     "vmbus parentdev 00005e00-5301-0000-5e00-530100005e00 \n"
     "# ip -d link show\n"
     "# lsmod\n",
     ""},
    {"IpDetailedLinkOfAll",
     "[root@vm1 ~]# ip -d link\n"
     "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT\n"
     "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 promiscuity 0\n"
     "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT\n"
     "    link/ether 00:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff promiscuity 0 parentbus vmbus "
     "parentdev 00005e00-5301-0000-5e00-530100005e00 \n"
     "[root@vm1 ~]# \n",
     "nic eth0 up"},
    {"IpAddressOneLine",
     "$ ip -o link\n"
     "2: eth0: <BROADCAST,MULTICAST> mtu 1500 qdisc mq state DOWN mode DEFAULT\\    link/ether "
     "00:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff\n"
     "3: enP30832s1: <BROADCAST,MULTICAST,SLAVE> mtu 1500 qdisc mq master eth0 state DOWN\\    "
     "link/ether 00:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff\n",
     "nic eth0 down vf enP30832s1 '' down by master"},
    {"IpAddress",
     "user@vm1:~$ ip a\n"
     "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n"
     "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n"
     "    inet 127.0.0.1/8 scope host lo\n"
     "       valid_lft forever preferred_lft forever\n"
     "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default\n"
     "    link/ether 00:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff\n"
     "    inet 192.0.2.4/24 brd 192.0.2.255 scope global eth0\n"
     "       valid_lft forever preferred_lft forever\n"
     "3: enP30832s1: <BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP> mtu 1500 qdisc mq master eth0 state\n"
     "    link/ether 00:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff\n",
     "nic eth0 up vf enP30832s1 '' up by master"},
    {"EthtoolDriver",
     "root@vm1:~# ethtool -i enP30832s1\n"
     "driver: mana\n"
     "version: 6.8.0-1015-azure\n"
     "firmware-version: \n"
     "expansion-rom-version: \n"
     "bus-info: 7870:00:00.0\n"
     "supports-statistics: yes\n",
     "function 7870:00:00.0 1414:00ba driver 'mana' enP30832s1\nmodule mana loaded"},
    {"EthtoolDriverWithoutPrompt",
     "driver: mana\nversion: 5.14.0-503.el9.x86_64\nbus-info: 7870:00:00.0\n",
     "function 7870:00:00.0 1414:00ba driver 'mana'\nmodule mana loaded"},
    {"Lspci", kLspci, "function 7870:00:00.0 1414:00ba"},
    {"LspciWithNumbers",
     "7870:00:00.0 Ethernet controller [0200]: Microsoft Corporation Device [1414:00b9]\n",
     "function 7870:00:00.0 1414:00b9"},
    {"LspciWithDrivers",
     "$ lspci -nnk\n"
     "7870:00:00.0 Ethernet controller [0200]: Microsoft Corporation Device [1414:00ba]\n"
     "\tSubsystem: Microsoft Corporation Device [1414:00ba]\n"
     "\tKernel driver in use: mana\n"
     "\tKernel modules: mana\n",
     "function 7870:00:00.0 1414:00ba driver 'mana'\nmodule mana loaded"},
    {"LspciOfBusybox",
     "user@vm1:~$ lspci -k\n"
     "7870:00:00.0 Class 0200: 1414:00ba mana\n"
     "7870:00:01.0 Class 0200: 1414:00ba\n"
     "user@vm1:~$ exit\n",
     "function 7870:00:00.0 1414:00ba driver 'mana'\n"
     "function 7870:00:01.0 1414:00ba driver ''\n"
     "module mana loaded"},
    {"LspciWithDetails",
     "user@vm1:~$ sudo lspci -vv\n"
     "7870:00:00.0 Ethernet controller: Microsoft Corporation Device 00ba\n"
     "\tSubsystem: Microsoft Corporation Device 00ba\n"
     "\tMemory at f00000000 (64-bit, prefetchable) [size=32M]\n"
     "\tCapabilities: [40] Express (v2) Endpoint, MSI 00\n"
     "\t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n"
     "\t\t\tRlxdOrd+ ExtTag- PhantFunc- AuxPwr- NoSnoop+\n"
     "\t\t\tMaxPayload 128 bytes, MaxReadReq 512 bytes\n"
     "\tKernel driver in use: vfio-pci\n"
     "\tKernel modules: mana\n"
     "user@vm1:~$ exit\n",
     "function 7870:00:00.0 1414:00ba driver 'vfio-pci'"},
    {"LspciWithoutDriver",
     "$ lspci -k\n"
     "7870:00:00.0 Ethernet controller: Microsoft Corporation Device 00ba\n"
     "\tSubsystem: Microsoft Corporation Device 00ba\n"
     "c05b:00:00.0 Non-Volatile memory controller: Microsoft Corporation Device 00a9\n"
     "\tKernel driver in use: nvme\n",
     "function 7870:00:00.0 1414:00ba driver ''"},
    {"LspciOfAVmWithoutMana",
     "azureuser@vm1:~$ lspci\n"
     "0000:00:08.0 VGA compatible controller: Microsoft Corporation Hyper-V virtual VGA\n"
     "azureuser@vm1:~$ date\n",
     "no functions"},
    {"LspciOfMellanox",
     "$ lspci\n"
     "d8c9:00:02.0 Ethernet controller: Mellanox Technologies MT27710 Family [ConnectX-4 Lx "
     "Virtual Function] (rev 80)\n",
     "function d8c9:00:02.0 15b3:0000 driver ''"},
    {"Lsmod",
     "$ lsmod\n"
     "Module                  Size  Used by\n"
     "mana_ib                65536  0\n"
     "ib_uverbs             163840  2 mana_ib,rdma_ucm\n"
     "mana                  110592  1 mana_ib\n"
     "hv_netvsc             118784  0\n",
     "module mana loaded\nmodule mana_ib loaded\nmodule ib_uverbs loaded\nmodule hv_netvsc loaded"},
    {"LsmodWithoutManaIb",
     "[user@vm1 ~]$ lsmod | grep mana\n"
     "mana                  110592  0\n"
     "[user@vm1 ~]$ exit\n",
     "module mana loaded\nmodule mana_ib available"},
    {"Modprobe",
     "# modprobe mana_ib\n"
     "modprobe: FATAL: Module mana_ib not found in directory /lib/modules/6.1.0-18-cloud-amd64\n",
     "module mana_ib missing"},
    {"Uname",
     "$ uname -a\n"
     "Linux vm1 6.8.0-1015-azure #17-Ubuntu SMP Thu Sep 12 14:43:21 UTC 2024 x86_64 x86_64 x86_64 "
     "GNU/Linux\n",
     "kernel 6.8.0-1015-azure x86_64 ubuntu"},
    {"UnameRelease", "$ uname -r\n6.1.0-18-cloud-amd64\n", "kernel 6.1.0-18-cloud-amd64 x86_64"},
    {"UnameWithOsRelease",
     "Linux vm1 5.14.0-503.el9.aarch64 #1 SMP aarch64 aarch64 aarch64 GNU/Linux\n"
     "$ cat /etc/os-release\n"
     "NAME=\"Red Hat Enterprise Linux\"\nVERSION=\"9.5 (Plow)\"\nID=\"rhel\"\nID_LIKE=\"fedora\"\n"
     "VERSION_ID=\"9.5\"\n",
     "kernel 5.14.0-503.el9.aarch64 aarch64 rhel 9.5"},
    {"Config",
     "$ grep MANA /boot/config-$(uname -r)\n"
     "CONFIG_MICROSOFT_MANA=y\nCONFIG_MANA_INFINIBAND=m\n",
     "module mana built in"},
    {"ConfigOfAKernelWithoutTheOption",
     "user@vm1:~$ grep MANA /boot/config-$(uname -r)\n"
     "user@vm1:~$ exit\n",
     "module mana missing\nmodule mana_ib missing"},
    {"ConfigOfSeveralKernels",
     "$ uname -r\n6.8.0-45-azure\n"
     "$ grep MANA /boot/config*\n"
     "/boot/config-5.15.0-1-azure:# CONFIG_MICROSOFT_MANA is not set\n"
     "/boot/config-6.8.0-45-azure:CONFIG_MICROSOFT_MANA=y\n",
     "kernel 6.8.0-45-azure  ubuntu\nmodule mana built in"},
    {"Rdma",
     "$ rdma link\n"
     "link mana_0/1 state ACTIVE physical_state LINK_UP netdev enP30832s1 \n",
     "module mana_ib loaded\nrdma mana_0"},
    {"RdmaOfOldIproute",
     "# rdma link\n1/1: mana_0/1: state ACTIVE physical_state LINK_UP\n",
     "module mana_ib loaded\nrdma mana_0"},
    {"RdmaDirectory",
     "user@vm1:~$ ls /sys/class/infiniband; uname -r\nmana_0\n6.8.0-1015-azure\n"
     "user@vm1:~$ exit\n",
     "module mana_ib loaded\nrdma mana_0"},
    {"RdmaDirectoryWithoutDevices",
     "user@vm1:~$ ls /sys/class/infiniband\nuser@vm1:~$ exit\n",
     "no rdma devices"},
    {"RdmaWithoutDevices", "user@vm1:~$ rdma link\nuser@vm1:~$ exit\n", "no rdma devices"},
    {"IbvDevices",
     "user@vm1:~$ ibv_devices\n"
     "    device          \t   node GUID\n"
     "    ------          \t----------------\n"
     "    mana_0          \t6045bdfffe000001\n"
     "user@vm1:~$ exit\n",
     "module mana_ib loaded\nrdma mana_0\n1 usable"},
    {"IbvDevinfo",
     "hca_id:\tmana_0\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t0.0.0\n"
     "\tnode_guid:\t\t\t6045:bdff:fe00:0001\n",
     "module mana_ib loaded\nrdma mana_0"},
    {"Devbind",
     "$ dpdk-devbind.py -s\n\n"
     "Network devices using kernel driver\n"
     "===================================\n"
     "7870:00:00.0 'Device 00ba' if=enP30832s1,enP30832s1d1 drv=mana unused=vfio-pci *Active*\n",
     "function 7870:00:00.0 1414:00ba driver 'mana'\nmodule mana loaded"},
    {"DevbindOfAFunctionInUserSpace",
     "# dpdk-devbind.py --status\n\n"
     "Network devices using DPDK-compatible driver\n"
     "============================================\n"
     "7870:00:00.0 'Microsoft Azure Network Adapter VF 00ba' drv=vfio-pci unused=mana\n",
     "function 7870:00:00.0 1414:00ba driver 'vfio-pci'"},
    {"Meminfo",
     "$ grep -i huge /proc/meminfo\n"
     "AnonHugePages:      2048 kB\nHugePages_Total:    1024\nHugePages_Free:      512\n"
     "HugePages_Rsvd:        0\nHugepagesize:       2048 kB\nHugetlb:         2097152 kB\n",
     "hugepages -1: 512 of 1024 of 2048"},
    {"MeminfoWithoutPages",
     "HugePages_Total:       0\nHugePages_Free:        0\nHugepagesize:       2048 kB\n"
     "Hugetlb:               0 kB\n",
     "no hugepages"},
    {"MeminfoOfAnOldKernel",
     "HugePages_Total:       0\nHugePages_Free:        0\nHugepagesize:       2048 kB\n",
     ""},
    {"HugepagesInSysfs",
     "$ grep . /sys/devices/system/node/node*/hugepages/hugepages-2048kB/*_hugepages\n"
     "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages:100\n"
     "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages:512\n"
     "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages:0\n"
     "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages:0\n",
     "hugepages 0: 100 of 512 of 2048\nhugepages 1: 0 of 0 of 2048"},
    {"Dpkg",
     "$ dpkg -l | grep -E 'ibverbs|rte'\n"
     "ii  libibverbs1:amd64  50.0-2ubuntu0.2  amd64  Library for direct userspace use of RDMA\n"
     "ii  librte-eal24:amd64 23.11.4-0ubuntu0.24.04.1 amd64 Data Plane Development Kit\n"
     "ii  librte-net-mana24:amd64 23.11.4-0ubuntu0.24.04.1 amd64 Data Plane Development Kit\n",
     "rdma-core 50.0.0\ndpdk 23.11.4"},
    {"DpkgWithTwoVersionsOfDpdk",
     "$ dpkg -l | grep librte\n"
     "ii  librte-eal21:amd64 20.11.10-1 amd64 Data Plane Development Kit\n"
     "ii  librte-eal24:amd64 23.11.4-0ubuntu0.24.04.1 amd64 Data Plane Development Kit\n"
     "ii  librte-eal25:amd64 24.11.3-1 amd64 Data Plane Development Kit\n"
     "ii  librte-net-mana24:amd64 23.11.4-0ubuntu0.24.04.1 amd64 Data Plane Development Kit\n"
     "ii  librte-net-mana25:amd64 24.11.3-1 amd64 Data Plane Development Kit\n",
     "dpdk 23.11.4\ndpdk 24.11.3"},
    {"Rpm",
     "$ rpm -qa | grep -i ibverbs\n"
     "libibverbs-48.0-1.el9.x86_64\nlibibverbs-utils-48.0-1.el9.x86_64\n",
     "rdma-core 48.0.0"},
    {"KernelLog",
     "[    0.000000] Linux version 6.6.90-vyos (b@c) (gcc 12.2.0) #1 SMP\n"
     "[    2.240110] pci 7870:00:00.0: [1414:00ba] type 00 class 0x020000 PCIe Endpoint\n",
     "kernel 6.6.90-vyos\nfunction 7870:00:00.0 1414:00ba"},
};

INSTANTIATE_TEST_SUITE_P(All, TicketFormats, testing::ValuesIn(kCases), [](const auto& one) {
  return std::string(one.param.name);
});

}  // namespace
}  // namespace manactl::host::ticket_formats_test
