// SPDX-License-Identifier: MIT

#include "report/fingerprint.h"

#include <gtest/gtest.h>

#include "os/memory_files.h"

namespace manactl::report::fingerprint_test {
namespace {

constexpr const char* kCpus = "sys/devices/system/cpu/";

os::MemoryFiles machine() {
  os::MemoryFiles files;
  files.add_file("proc/sys/kernel/hostname", "vm-one\n");
  files.add_file("proc/sys/kernel/osrelease", "6.8.0-1062-azure\n");
  files.add_file("etc/os-release", "NAME=\"Ubuntu\"\nID=ubuntu\nVERSION_ID=\"24.04\"\n");
  files.add_file("proc/cpuinfo",
                 "processor\t: 0\nmodel name\t: AMD EPYC 9V74\nflags\t\t: fpu hypervisor sse\n\n"
                 "processor\t: 1\nmodel name\t: another\n");
  files.add_file("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
  const std::string cpus = kCpus;
  files.add_file(cpus + "online", "0-3\n");
  files.add_file(cpus + "isolated", "2-3\n");
  files.add_file(cpus + "nohz_full", "(null)\n");
  files.add_file(cpus + "smt/control", "on\n");
  files.add_file(cpus + "cpufreq/policy0/scaling_governor", "performance\n");
  files.add_file(cpus + "cpufreq/policy1/scaling_governor", "performance\n");
  files.add_file("sys/devices/system/node/online", "0-1\n");
  files.add_file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  files.add_file("sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n");
  files.add_file("sys/class/dmi/id/product_name", "Virtual Machine\n");
  return files;
}

TEST(Fingerprint, DescribesAMachine) {
  const auto found = fingerprint(machine());
  EXPECT_EQ(found.host, "vm-one");
  EXPECT_EQ(found.kernel, "6.8.0-1062-azure");
  EXPECT_EQ(found.distribution, "ubuntu 24.04");
  EXPECT_EQ(found.cpu, "AMD EPYC 9V74");
  EXPECT_EQ(found.cpus, 4U);
  EXPECT_EQ(found.numa_nodes, 2U);
  EXPECT_EQ(found.governor, "performance");
  EXPECT_EQ(found.isolated_cpus, "2-3");
  EXPECT_EQ(found.nohz_full_cpus, "");
  EXPECT_EQ(found.smt, "on");
  EXPECT_EQ(found.clocksource, "tsc");
  EXPECT_EQ(found.hypervisor, "Microsoft Corporation Virtual Machine");
  EXPECT_EQ(found.memory_kib, 16384U);
}

// The kernel prints neither a model name nor the flag of a hypervisor there.
TEST(Fingerprint, NamesTheCpuAndTheHypervisorOfAnArm64Vm) {
  auto files = machine();
  files.add_directory("sys/bus/vmbus/devices");
  const auto found_with = [&files](const std::string& implementer, const std::string& part) {
    files.add_file("proc/cpuinfo",
                   "processor\t: 0\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd sve2\n"
                   "CPU implementer\t: " +
                       implementer + "\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: " +
                       part + "\nCPU revision\t: 0\n");
    return fingerprint(files);
  };
  EXPECT_EQ(found_with("0x41", "0xd49").cpu, "Arm Neoverse-N2");
  EXPECT_EQ(found_with("0x6d", "0xd49").cpu, "Microsoft Azure Cobalt 100");
  EXPECT_EQ(found_with("0x51", "0x001").cpu, "ARM implementer 0x51 part 0x001");
  EXPECT_EQ(found_with("0x41", "0xd49").hypervisor, "Microsoft Corporation Virtual Machine");
  EXPECT_EQ(found_with("", "").cpu, "");
}

TEST(Fingerprint, NamesEveryGovernorWhenTheCpusDiffer) {
  auto files = machine();
  files.add_file(std::string(kCpus) + "cpufreq/policy1/scaling_governor", "powersave\n");
  EXPECT_EQ(fingerprint(files).governor, "performance, powersave");
}

TEST(Fingerprint, HasNoHypervisorOnAPhysicalMachine) {
  auto files = machine();
  files.add_file("proc/cpuinfo", "model name : AMD EPYC\nflags : fpu sse\n");
  EXPECT_EQ(fingerprint(files).hypervisor, "");
}

TEST(Fingerprint, IsEmptyIfNothingCanBeRead) {
  EXPECT_EQ(fingerprint(os::MemoryFiles()), Fingerprint());
}

TEST(Fingerprint, HasNoControlCharacters) {
  auto files = machine();
  files.add_file("sys/class/dmi/id/product_name", "x\x1b[31m\n");
  EXPECT_EQ(fingerprint(files).hypervisor, R"(Microsoft Corporation x\x1b[31m)");
}

TEST(LoadAverage, IsThatOfTheLastMinute) {
  os::MemoryFiles files;
  EXPECT_EQ(load_average(files), std::nullopt);
  files.add_file("proc/loadavg", "1.25 0.50 0.10 2/300 4711\n");
  EXPECT_EQ(load_average(files), 1.25);
  files.add_file("proc/loadavg", "much\n");
  EXPECT_EQ(load_average(files), std::nullopt);
}

}  // namespace
}  // namespace manactl::report::fingerprint_test
