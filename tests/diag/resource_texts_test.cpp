// SPDX-License-Identifier: MIT
//
// The complete findings of the checks of RDMA and memory, with their commands.

#include "diag/vm.h"

namespace manactl::diag::resource_texts_test {
namespace {

using host::Facts;
using host::HugepageMount;
using host::HugepagePool;
using test::add_function;
using test::TextCase;

void set_pools(Facts& f, std::vector<HugepagePool> pools) {
  f.memory.pools = std::move(pools);
}

void limit_memory(Facts& f, std::uint64_t bytes) {
  f.limits->ipc_lock = false;
  f.limits->memlock_soft = bytes;
}

constexpr std::uint64_t kBench = 12U << 20;

const std::vector<TextCase> kCases = {
    {"RdmaDevices",
     "rdma.devices",
     [](Facts& f) {
       add_function(f).rdma_devices.clear();
       f.rdma.devices->push_back(f.rdma.devices->back());
       f.rdma.devices->back().name = "manae_1";
     },
     "pass: mana_0, mana_1, manae_1\n"
     "+ 7870:00:00.0: mana_0\n"
     "+ 7871:00:00.0: mana_1, manae_1"},
    {"NoRdmaDevices",
     "rdma.devices",
     [](Facts& f) {
       add_function(f).rdma_devices.clear();
       f.functions->at(0).rdma_devices.clear();
       f.rdma.devices->clear();
     },
     "fail: 7870:00:00.0 has no RDMA device; 7871:00:00.0 has no RDMA device\n"
     "+ 7870:00:00.0 has no RDMA device\n"
     "+ 7871:00:00.0 has no RDMA device\n"
     "$ modprobe mana_ib\n"
     "$ modprobe ib_uverbs\n"
     "$ dmesg | grep -i mana"},
    {"RdmaNodes",
     "rdma.nodes",
     [](Facts& f) {
       add_function(f);
       f.rdma.nodes->push_back({"dev/infiniband/uverbs1", 021660, 7, 8, true});
     },
     "pass: uverbs0, uverbs1\n"
     "+ mana_0: /dev/infiniband/uverbs0, mode 0666, owner 0:0\n"
     "+ mana_1: /dev/infiniband/uverbs1, mode 1660, owner 7:8"},
    {"NoRdmaNodes",
     "rdma.nodes",
     [](Facts& f) {
       add_function(f);
       f.rdma.devices->at(0).uverbs.clear();
     },
     "fail: mana_0 has no character device; mana_1: /dev/infiniband/uverbs1 does not exist\n"
     "+ mana_0 has no character device\n"
     "+ mana_1: /dev/infiniband/uverbs1 does not exist\n"
     "$ modprobe ib_uverbs\n"
     "$ udevadm trigger --subsystem-match=infiniband_verbs --action=add"},
    {"LockedRdmaNode",
     "rdma.nodes",
     [](Facts& f) { f.rdma.nodes->at(0).usable = false; },
     "warn: mana_0: /dev/infiniband/uverbs0, mode 0666, owner 0:0, not accessible to this user\n"
     "$ chmod 0666 /dev/infiniband/uverbs0"},
    {"UnreadableRdmaNodes",
     "rdma.nodes",
     [](Facts& f) { f.rdma.nodes = test::unreadable(); },
     "unknown: cannot read 'x': Permission denied"},
    {"Rights", "rdma.rights", [](Facts&) {}, "pass: uid 0 has CAP_NET_RAW"},
    {"RightsOfAUser",
     "rdma.rights",
     [](Facts& f) {
       f.limits->uid = 7;
       f.limits->net_raw = false;
     },
     "skipped: uid 7 without CAP_NET_RAW; DPDK needs root"},
    {"NoLimit", "rdma.memlock", [](Facts&) {}, "pass: no limit (CAP_IPC_LOCK)"},
    {"InfiniteLimit",
     "rdma.memlock",
     [](Facts& f) { limit_memory(f, UINT64_MAX); },
     "pass: no limit"},
    {"LimitForQueues",
     "rdma.memlock",
     [](Facts& f) { limit_memory(f, 64U << 20); },
     "pass: limit 64 MiB, 64 MiB required"},
    {"LowLimitForQueues",
     "rdma.memlock",
     [](Facts& f) { limit_memory(f, 63U << 20); },
     "warn: limit 63 MiB, 64 MiB required\n"
     "$ printf '%s\\n' '* - memlock unlimited' | tee /etc/security/limits.d/90-memlock.conf"},
    {"LimitForBench",
     "rdma.memlock",
     [](Facts& f) { limit_memory(f, kBench); },
     "pass: limit 12 MiB, 12 MiB required",
     kBench},
    {"Core", "rdma.core", [](Facts&) {}, "pass: rdma-core 50 with libmana.so.1"},
    {"OldCore",
     "rdma.core",
     [](Facts& f) { f.rdma.rdma_core = std::optional(Release{43, 0, 0}); },
     "fail: rdma-core 43 is older than 44\n"
     "$ apt-get update\n"
     "$ apt-get install -y git build-essential cmake pkg-config libudev-dev libnl-3-dev "
     "libnl-route-3-dev\n"
     "$ git clone --depth 1 -b v50.1 https://github.com/linux-rdma/rdma-core.git\n"
     "$ cmake -S rdma-core -B rdma-core/build -DCMAKE_INSTALL_PREFIX=/usr -DNO_MAN_PAGES=1\n"
     "$ make -C rdma-core/build install\n"
     "$ ldconfig\n"
     "$ systemctl mask rdma-ndd.service"},
    {"NoCore",
     "rdma.core",
     [](Facts& f) { f.rdma.rdma_core = std::optional<Release>(); },
     "fail: libibverbs.so.1 is not installed\n"
     "$ apt-get update\n"
     "$ apt-get install -y rdma-core ibverbs-providers"},
    {"CoreWithoutMana",
     "rdma.core",
     [](Facts& f) {
       f.kernel->distribution = "sles";
       f.rdma.mana_provider = false;
     },
     "fail: rdma-core 50, but its MANA provider (libmana.so.1) is not installed\n"
     "$ zypper --non-interactive install rdma-core libibverbs"},
    {"CoreWithUnknownProvider",
     "rdma.core",
     [](Facts& f) { f.rdma.mana_provider = test::unreadable(); },
     "unknown: cannot read 'x': Permission denied"},
    {"DriverId",
     "rdma.driver-id",
     [](Facts& f) {
       add_function(f);
       f.rdma.mana_provider = false;
     },
     "fail: mana_1: kernel reports 20, libibverbs found no provider (rdma-core 50): the MANA "
     "provider (libmana) is not installed\n"
     "+ mana_0: kernel reports 20, libibverbs chose mana (rdma-core 50): kernel and rdma-core both "
     "use 20\n"
     "+ mana_1: kernel reports 20, libibverbs found no provider (rdma-core 50): the MANA provider "
     "(libmana) is not installed\n"
     "+ 19 is ERDMA since rdma-core 43, MANA in Ubuntu's 5.15 backport\n"
     "+ 20 is MANA since rdma-core 44 and Linux 6.2\n"
     "+ BTF of the running kernel: RDMA_DRIVER_MANA = 20\n"
     "$ apt-get update\n"
     "$ apt-get install -y rdma-core ibverbs-providers"},
    {"DriverIdOfOldCore",
     "rdma.driver-id",
     [](Facts& f) {
       f.rdma.rdma_core = std::optional(Release{39, 0, 0});
       f.rdma.providers->clear();
       f.rdma.btf_mana = std::optional<std::int64_t>();
     },
     "fail: mana_0: kernel reports 20, libibverbs found no provider (rdma-core 39): rdma-core "
     "before 44 has no provider for MANA\n"
     "+ 19 is ERDMA since rdma-core 43, MANA in Ubuntu's 5.15 backport\n"
     "+ 20 is MANA since rdma-core 44 and Linux 6.2\n"
     "+ BTF of the running kernel lacks RDMA_DRIVER_MANA"},
    {"DriverIdOfAnotherDriver",
     "rdma.driver-id",
     [](Facts& f) {
       f.kernel->distribution = "rhel";
       f.rdma.devices->at(0).driver_id = 21;
       f.rdma.btf_mana = test::unreadable();
     },
     "warn: mana_0: kernel reports 21, libibverbs chose mana (rdma-core 50): libmana claims this "
     "id, but no known release assigns it to MANA\n"
     "+ 19 is ERDMA since rdma-core 43, MANA in Ubuntu's 5.15 backport\n"
     "+ 20 is MANA since rdma-core 44 and Linux 6.2\n"
     "+ 21 is IONIC since rdma-core 61\n"
     "+ cannot read 'x': Permission denied"},
    {"DriverIdThatNobodyKnows",
     "rdma.driver-id",
     [](Facts& f) { f.rdma.devices->at(0).driver_id = 4711; },
     "warn: mana_0: kernel reports 4711, libibverbs chose mana (rdma-core 50): libmana claims this "
     "id, but no known release assigns it to MANA; but BTF has RDMA_DRIVER_MANA = 20\n"
     "+ 19 is ERDMA since rdma-core 43, MANA in Ubuntu's 5.15 backport\n"
     "+ 20 is MANA since rdma-core 44 and Linux 6.2\n"
     "+ 4711 is unknown\n"
     "+ BTF of the running kernel: RDMA_DRIVER_MANA = 20"},
    {"DriverIdWithoutUverbs",
     "rdma.driver-id",
     [](Facts& f) {
       f.rdma.devices->at(0).driver_id.reset();
       f.rdma.devices->at(0).error = "no answer";
       f.rdma.devices->at(0).uverbs.clear();
     },
     "unknown: mana_0: cannot read the kernel's driver id (no answer)\n"
     "+ 19 is ERDMA since rdma-core 43, MANA in Ubuntu's 5.15 backport\n"
     "+ 20 is MANA since rdma-core 44 and Linux 6.2\n"
     "+ BTF of the running kernel: RDMA_DRIVER_MANA = 20"},
    {"Provider",
     "rdma.provider",
     [](Facts&) {},
     "pass: mana_0\n"
     "+ mana_0: libibverbs chose mana"},
    {"Providers",
     "rdma.provider",
     [](Facts& f) {
       add_function(f);
       f.rdma.mana_provider = false;
       f.rdma.providers->at(0).library = "liberdma.so";
     },
     "fail: mana_0: libibverbs chose erdma, not mana; mana_1: libibverbs has no provider\n"
     "+ mana_0: libibverbs chose erdma, not mana\n"
     "+ mana_1: libibverbs has no provider\n"
     "$ IBV_SHOW_WARNINGS=1 ibv_devices"},
    {"ProviderOnlyInPrograms",
     "rdma.provider",
     [](Facts& f) { f.rdma.providers->clear(); },
     "warn: mana_0: no plug-in for MANA (libmana-rdmav*.so) matches libibverbs; programs linked "
     "with libmana, such as those that use net_mana, still work\n"
     "$ apt-get update\n"
     "$ apt-get install -y rdma-core ibverbs-providers"},
    {"ProviderThatCannotBeNamed",
     "rdma.provider",
     [](Facts& f) { f.rdma.providers->at(0) = {"mana_0", "", "not loaded"}; },
     "unknown: mana_0: not loaded"},
    {"HugepagesInTwoPools",
     "memory.hugepages",
     [](Facts& f) {
       set_pools(f, {{0, 2048, 8, 4}, {0, 4096, 0, 0}, {0, 8192, 8, 2}, {1, 2048, 1, 0}});
     },
     "pass: 24 MiB on node 0, 0 B on node 1\n"
     "+ node 0: 4 of 8 pages of 2 MiB free\n"
     "+ node 0: 2 of 8 pages of 8 MiB free\n"
     "+ node 1: 0 of 1 pages of 2 MiB free"},
    {"HugepagesInOnePool",
     "memory.hugepages",
     [](Facts&) {},
     "pass: node 0: 512 of 512 pages of 2 MiB free\n"
     "+ node 0: 512 of 512 pages of 2 MiB free"},
    {"NoHugepagesAndNoPlan",
     "memory.hugepages",
     [](Facts& f) { set_pools(f, {}); },
     "fail: no hugepages are reserved on any node\n"
     "$ echo 1 | tee /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages\n"
     "$ cat /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages"},
    {"NoHugepagesOnNode1",
     "memory.hugepages",
     [](Facts& f) {
       f.functions->at(0).numa_node = 1;
       f.memory.default_page_kib = 0;
       set_pools(f, {{0, 2048, 0, 0}, {1, 2048, 0, 0}});
     },
     "fail: no hugepages are reserved on any node\n"
     "$ echo 1 | tee /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages\n"
     "$ cat /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages"},
    {"FreeHugepagesForTheBenchmark",
     "memory.hugepages",
     [](Facts& f) { set_pools(f, {{0, 2048, 1, 0}, {0, 1024, 3, 0}}); },
     "fail: all hugepages are in use (node 0: 0 of 1 pages of 2 MiB free; node 0: 0 of 3 pages "
     "of 1 MiB free)\n"
     "+ node 0: 0 of 1 pages of 2 MiB free\n"
     "+ node 0: 0 of 3 pages of 1 MiB free\n"
     "$ echo 8 | tee /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages\n"
     "$ cat /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages",
     (12U << 20) + 1},
    {"PagesOnTheNode",
     "memory.node",
     [](Facts&) {},
     "pass: 512 free pages of 2 MiB on node 0\n"
     "+ node 0: 512 of 512 pages of 2 MiB free"},
    {"PagesOnAnyNode",
     "memory.node",
     [](Facts& f) {
       f.functions->at(0).numa_node = -1;
       set_pools(f, {{1, 2048, 2, 1}});
     },
     "pass: 1 free page of 2 MiB on any node\n"
     "+ node 1: 1 of 2 pages of 2 MiB free"},
    {"PagesOnNeitherNode",
     "memory.node",
     [](Facts& f) {
       add_function(f);
       f.nics->clear();
       set_pools(f, {{0, 2048, 3, 0}, {2, 2048, 3, 3}});
     },
     "fail: a program needs 1 page of 2 MiB on node 0, 0 free, 3 free on node 2; a program needs "
     "1 page of 2 MiB on node 1, 0 free, 3 free on node 2\n"
     "+ a program needs 1 page of 2 MiB on node 0, 0 free, 3 free on node 2\n"
     "+ a program needs 1 page of 2 MiB on node 1, 0 free, 3 free on node 2\n"
     "+ node 0: 0 of 3 pages of 2 MiB free\n"
     "+ node 2: 3 of 3 pages of 2 MiB free\n"
     "$ echo 4 | tee /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages\n"
     "$ cat /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages\n"
     "$ echo 1 | tee /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages\n"
     "$ cat /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages"},
    {"PagesOnlyOnALaterNode",
     "memory.node",
     [](Facts& f) { set_pools(f, {{1, 2048, 4, 4}}); },
     "fail: a program needs 1 page of 2 MiB on node 0, 0 free, 4 free on node 1\n"
     "+ node 1: 4 of 4 pages of 2 MiB free\n"
     "$ echo 1 | tee /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages\n"
     "$ cat /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages"},
    {"PagesOfTwoSizesWithTheSameMemory",
     "memory.node",
     [](Facts& f) { set_pools(f, {{0, 2048, 2, 2}, {0, 4096, 1, 1}}); },
     "pass: 2 free pages of 2 MiB on node 0\n"
     "+ node 0: 2 of 2 pages of 2 MiB free\n"
     "+ node 0: 1 of 1 pages of 4 MiB free"},
    {"EnoughPagesForTheBenchmark",
     "memory.node",
     [](Facts& f) { set_pools(f, {{0, 2048, 6, 6}, {0, 4096, 2, 2}}); },
     "pass: 6 free pages of 2 MiB on node 0\n"
     "+ node 0: 6 of 6 pages of 2 MiB free\n"
     "+ node 0: 2 of 2 pages of 4 MiB free",
     kBench},
    {"OnePageForTheBenchmark",
     "memory.node",
     [](Facts& f) { set_pools(f, {{0, 2048, 1, 1}, {0, 1048576, 1, 1}}); },
     "pass: 1 free page of 1 GiB on node 0\n"
     "+ node 0: 1 of 1 pages of 2 MiB free\n"
     "+ node 0: 1 of 1 pages of 1 GiB free",
     kBench},
    {"TooFewPagesInTheDefaultPool",
     "memory.node",
     [](Facts& f) { set_pools(f, {{0, 1024, 9, 9}, {0, 2048, 4, 2}}); },
     "fail: manactl bench needs 12 MiB = 12 pages of 1 MiB on node 0, 9 free\n"
     "+ node 0: 9 of 9 pages of 1 MiB free\n"
     "+ node 0: 2 of 4 pages of 2 MiB free\n"
     "$ echo 8 | tee /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages\n"
     "$ cat /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages",
     kBench},
    {"Mounts",
     "memory.mounts",
     [](Facts& f) {
       f.memory.mounts = std::vector{HugepageMount{"/a", 0}, HugepageMount{"/b", 4}};
     },
     "pass: /a (default size); /b (4 KiB)\n"
     "+ /a (default size)\n"
     "+ /b (4 KiB)"},
    {"NoMounts",
     "memory.mounts",
     [](Facts& f) { f.memory.mounts->clear(); },
     "pass: only with --in-memory: hugetlbfs is not mounted\n"
     "+ manactl needs no mount; without a mount, other DPDK programs need --in-memory"},
};

class ResourceText : public testing::TestWithParam<TextCase> {};

TEST_P(ResourceText, IsComplete) {
  EXPECT_EQ(test::text_of(GetParam()), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(All, ResourceText, testing::ValuesIn(kCases), [](const auto& one) {
  return std::string(one.param.name);
});

}  // namespace
}  // namespace manactl::diag::resource_texts_test
