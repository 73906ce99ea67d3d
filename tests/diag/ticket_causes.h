// SPDX-License-Identifier: MIT
//
// Commands with their outputs, and tickets of such commands with the failed check that is the root
// cause.

#pragma once

#include <ostream>
#include <string>

namespace manactl::diag::ticket_test {

inline constexpr const char* kPrompt = "user@vm1:~$ ";

// A command with its output.
inline std::string shell(const std::string& command, const std::string& output = "") {
  return kPrompt + command + "\n" + output;
}

inline const std::string kEnd = shell("exit");

inline const std::string kLspci =
    shell("lspci -k",
          "7870:00:00.0 Ethernet controller: Microsoft Corporation Device "
          "00ba\n\tKernel driver in use: mana\n\tKernel modules: mana\n");

inline const std::string kUname =
    shell("uname -a", "Linux vm1 6.8.0-1015-azure #17-Ubuntu SMP x86_64 x86_64 x86_64 GNU/Linux\n");

inline std::string links(const std::string& eth1_flags, const std::string& vf_flags) {
  return shell("ip -br link",
               "lo               UNKNOWN        00:00:00:00:00:00 <LOOPBACK,UP,LOWER_UP>\n"
               "eth1             UP             00:00:5e:00:53:02 <BROADCAST,MULTICAST" +
                   eth1_flags +
                   ">\n"
                   "enP30832s1       DOWN           00:00:5e:00:53:02 <BROADCAST,MULTICAST,SLAVE" +
                   vf_flags + ">\n");
}

struct CauseCase {
  const char* name;
  std::string text;
  std::string root;    // empty if no check fails
  std::string quote;   // part of the line that shows it
  std::string detail;  // part of the cause
};

inline void PrintTo(const CauseCase& one, std::ostream* out) {
  *out << one.name;
}

inline const CauseCase kCauses[] = {
    {"Healthy",
     kUname + kLspci + links(",UP,LOWER_UP", ",UP,LOWER_UP") +
         shell("lsmod",
               "Module                  Size  Used by\nmana_ib  65536  0\nib_uverbs  163840  1 "
               "mana_ib\nmana  110592  1 mana_ib\nhv_netvsc  118784  0\n") +
         shell("rdma link", "link mana_0/1 state ACTIVE physical_state LINK_UP netdev x\n") + kEnd,
     "",
     "",
     ""},
    {"NoMana",
     kUname + shell("lspci", "0000:00:08.0 VGA compatible controller: Microsoft Hyper-V VGA\n") +
         kEnd,
     "hardware.mana",
     "lspci",
     "no PCI function 1414:00ba"},
    {"NoDriver",
     shell("lspci -nnk",
           "7870:00:00.0 Ethernet controller [0200]: Microsoft Corporation Device [1414:00ba]\n"
           "\tSubsystem: Microsoft Corporation Device [1414:00ba]\n"
           "\tKernel modules: mana\n") +
         kEnd,
     "hardware.driver",
     "7870:00:00.0 Ethernet controller",
     "has no driver"},
    {"WrongDriver",
     shell("dpdk-devbind.py -s",
           "\nNetwork devices using DPDK-compatible driver\n"
           "============================================\n"
           "7870:00:00.0 'Device 00ba' drv=vfio-pci unused=mana\n") +
         kEnd,
     "hardware.driver",
     "drv=vfio-pci",
     "bound to vfio-pci"},
    {"KernelWithoutMana",
     "[    2.24] pci 7870:00:00.0: [1414:00ba] type 00 class 0x020000 PCIe Endpoint\n" +
         shell("lsmod | grep -i mana") +
         shell("zgrep MANA /proc/config.gz", "# CONFIG_MICROSOFT_MANA is not set\n") + kEnd,
     "kernel-config-mana",
     "CONFIG_MICROSOFT_MANA is not set",
     "no driver opens the VF"},
    {"KernelWithoutManaIb",
     kLspci +
         shell("grep MANA /boot/config-$(uname -r)",
               "CONFIG_MICROSOFT_MANA=m\n# CONFIG_MANA_INFINIBAND is not set\n") +
         kEnd,
     "kernel.mana-ib",
     "CONFIG_MANA_INFINIBAND is not set",
     "mana_ib is missing"},
    {"ModuleNotLoaded",
     kLspci + shell("lsmod | grep mana", "mana                  110592  0\n") + kEnd,
     "kernel.mana-ib",
     "lsmod",
     "mana_ib is not loaded"},
    {"NoRdmaDevice",
     kLspci + shell("rdma link") + kEnd,
     "rdma.devices",
     "rdma link",
     "no RDMA device"},
    {"NoProvider",
     kLspci + shell("rdma link", "link mana_0/1 state ACTIVE physical_state LINK_UP\n") +
         shell("ibv_devices", "    device                 node GUID\n    ------    ------\n") +
         kEnd,
     "rdma.provider",
     "ibv_devices",
     "no provider"},
    {"OldRdmaCore",
     kLspci +
         shell("dpkg -l | grep ibverbs",
               "ii  libibverbs1:amd64  39.0-1  amd64  Library for RDMA\n") +
         kEnd,
     "rdma.core",
     "39.0-1",
     "older than 44"},
    {"VfDown",
     links(",UP,LOWER_UP", "") + kEnd,
     "interfaces.links",
     "enP30832s1",
     "eth1 is up but its VF enP30832s1 is down"},
    {"NoHugepages",
     kLspci +
         shell("grep -i huge /proc/meminfo",
               "HugePages_Total:       0\nHugePages_Free:        0\nHugetlb:     0 kB\n") +
         kEnd,
     "memory.hugepages",
     "Hugetlb",
     "no hugepages are reserved"},
    {"NetTap",
     kLspci +
         shell("ip -br link",
               "lo     UNKNOWN  00:00:00:00:00:00 <LOOPBACK,UP,LOWER_UP>\n"
               "dtap0  UNKNOWN  00:00:5e:00:53:02 <BROADCAST,MULTICAST,UP,LOWER_UP>\n") +
         kEnd,
     "dpdk.fail-safe",
     "dtap0",
     "net_tap"},
    {"MountOfOtherPages",
     kLspci +
         shell("grep -i huge /proc/meminfo",
               "HugePages_Total:       0\nHugePages_Free:        0\nHugepagesize:       2048 kB\n"
               "Hugetlb:         4194304 kB\n") +
         shell("cat /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "4\n") +
         shell("mount -t hugetlbfs",
               "hugetlbfs on /dev/hugepages type hugetlbfs (rw,relatime,pagesize=2M)\n") +
         kEnd,
     "memory.mounts",
     "mount -t hugetlbfs",
     "pages of 1 GiB are reserved"},
    {"SmallMtuOfTheVf",
     shell("ip link",
           "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN\n"
           "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n"
           "2: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 4000 qdisc mq state UP\n"
           "    link/ether 00:00:5e:00:53:02 brd ff:ff:ff:ff:ff:ff\n"
           "3: enP30832s1: <BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP> mtu 1500 master eth1 state UP\n"
           "    link/ether 00:00:5e:00:53:02 brd ff:ff:ff:ff:ff:ff\n") +
         kEnd,
     "interfaces.links",
     "3: enP30832s1",
     "eth1 has MTU 4000, but its VF enP30832s1 has 1500"},
    {"DriverRefusesTheAdapter",
     shell("lspci -k",
           "7870:00:00.0 Ethernet controller: Microsoft Corporation Device 00ba\n"
           "\tKernel modules: mana\n") +
         shell("lsmod | grep '^mana '", "mana  81920  0\n") +
         shell("uname -r", "6.5.0-1025-azure\n") + kEnd,
     "hardware.driver",
     "7870:00:00.0 Ethernet controller",
     "7870:00:00.0 has no driver"},
    {"DpdkWithoutManaOnArm64",
     shell("uname -r", "6.12.0-55.9.1.el10_0.aarch64\n") +
         shell("rpm -qa | grep dpdk", "dpdk-23.11-4.el10.aarch64\n") +
         shell("rdma link", "link mana_0/1 state ACTIVE physical_state LINK_UP netdev x\n") +
         shell("ls -1 /usr/lib64/dpdk-pmds | grep net_", "librte_net_netvsc.so\n") +
         links(",UP,LOWER_UP", ",UP,LOWER_UP") + kEnd,
     "dpdk.installed",
     "ls -1 /usr/lib64/dpdk-pmds",
     "supports ARM64 since DPDK 24.11"},
    {"NoModuleManaIb",
     "MANA_DRIVER: mana_init_once(): MP INIT PRIMARY\n"
     "EAL: Requested device 7870:00:00.0 cannot be used\n" +
         shell("find /lib/modules/$(uname -r) -name 'mana*'",
               "/lib/modules/6.8.0-1052-azure/kernel/drivers/net/mana/mana.ko.zst\n") +
         shell("ls /sys/class/infiniband",
               "ls: cannot access '/sys/class/infiniband': No such file or directory\n") +
         kEnd,
     "kernel.mana-ib",
     "find /lib/modules",
     "mana_ib is missing"},
    {"NoPackageWithManaIb",
     "MANA_DRIVER: mana_init_once(): MP INIT PRIMARY\n"
     "EAL: Driver cannot attach the device (7870:00:00.0)\n" +
         shell("rpm -q kernel-modules-extra", "package kernel-modules-extra is not installed\n") +
         shell("lsmod | grep mana", "mana  118784  0\n") + shell("rdma dev") + kEnd,
     "kernel.mana-ib",
     "package kernel-modules-extra",
     "mana_ib is missing"},
};

}  // namespace manactl::diag::ticket_test
