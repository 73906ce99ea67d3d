// SPDX-License-Identifier: MIT
//
// Tests the command args on captured systems.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/on_machine.h"
#include "cli/options.h"
#include "cli/run_manactl.h"

namespace manactl::test::cmd_args_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

TEST(ArgsCommand, NamesACommandThatPreparesTheNic) {
  EXPECT_EQ(manactl_on("healthy-two-nics", {"args"}).err,
            "manactl: no NIC is prepared: name an interface, or run 'manactl prepare eth1'\n");
  EXPECT_THAT(manactl_on("vf-missing", {"args"}).err,
              HasSubstr("no NIC is prepared, and none is free: run 'manactl check"));
}

TEST(ArgsCommand, WarnsAboutWhatPreventsDpdk) {
  const auto outcome = manactl_on("healthy-two-nics", {"args", "eth1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
      outcome.err,
      "Warning: the kernel uses 'eth1': run 'manactl prepare eth1' before the program starts\n"
      "Warning: this process may use only CPU 0, which the two lcores of dpdk-testpmd share: allow "
      "it more CPUs\n");
  EXPECT_THAT(outcome.out,
              StartsWith("dpdk-testpmd --lcores=0@0,1@0 --vdev=7870:00:00.0,mac=00:0d:3a:76:3b:d1 "
                         "-a 000d3a76-3bd1-000d-3a76-3bd1000d3a76 -- --forward-mode=txonly "
                         "--auto-start --nb-cores=1 "));
  const auto eal = manactl_on("healthy-two-nics", {"args", "eth1", "--for", "eal"});
  EXPECT_THAT(eal.err, Not(HasSubstr("CPU 0"))) << "the EAL arguments name no CPU";
  const auto json = manactl_on("healthy-two-nics", {"args", "eth1", "--json"});
  EXPECT_EQ(json.err, "");
  EXPECT_EQ(Json::parse(json.out).at("warnings").size(), 2U);
  const auto nic = Json::parse(json.out).at("nics").at(0);
  const auto status = Json::parse(manactl_on("healthy-two-nics", {"status", "--json"}).out);
  const auto check = Json::parse(manactl_on("healthy-two-nics", {"check", "--json"}).out);
  EXPECT_EQ(nic.size(), 13U);
  for (const auto& [key, value] : nic.items()) {
    EXPECT_EQ(check.at("host").at("nics").at(1).at(key), value) << key;
    EXPECT_EQ(status.at("nics").at(1).at(key), value) << key;
  }
}

// args proposes no command that fails.
TEST(ArgsCommand, WarnsWithTheReasonWhyPrepareRefuses) {
  struct Case {
    const char* tree;
    const char* nic;
  };

  for (const auto& [tree, nic] : {Case{"vf-unpaired", "eth1"},
                                  Case{"unbound-vmbus", "enP30832p0s0d1"},
                                  Case{"mana-ib-missing", "eth1"}}) {
    const auto refusal = manactl_on(tree, {"prepare", nic, "--dry-run"}).err;
    ASSERT_THAT(refusal, StartsWith("manactl: ")) << tree;
    const auto reason = refusal.substr(std::string("manactl: ").size());
    const auto outcome = manactl_on(tree, {"args", nic});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(fmt::format("prepare refuses '{}': {}", nic, reason)));
    EXPECT_THAT(outcome.err, Not(HasSubstr("the kernel uses"))) << tree;
  }
}

TEST(ArgsCommand, ProposesVfOnlyWithoutASyntheticInterface) {
  const auto outcome = manactl_on("mana-direct", {"args", "enP30833p0s0"});
  EXPECT_THAT(outcome.err, HasSubstr("run 'manactl prepare enP30833p0s0 --vf-only' before"));
  EXPECT_EQ(manactl_on("mana-direct", {"prepare", "enP30833p0s0", "--vf-only", "--dry-run"}).code,
            0);
}

TEST(ArgsCommand, WarnsOfTheFailedCheckThatPrepareNames) {
  for (const auto* tree : {"debian12-dpdk", "driver-id-19"}) {
    const auto warning = manactl_on(tree, {"prepare", "eth1", "--dry-run"}).err;
    ASSERT_THAT(warning, HasSubstr("DPDK cannot use the NIC yet")) << tree;
    EXPECT_THAT(manactl_on(tree, {"args", "eth1"}).err, HasSubstr(warning)) << tree;
  }
}

TEST(ArgsCommand, RejectsFormatsThatContradictEachOther) {
  const std::vector<std::vector<std::string>> contradictions = {{"--for", "env", "--json"},
                                                                {"--for", "testpmd", "-o", "json"},
                                                                {"--for", "json", "-o", "text"}};
  for (auto words : contradictions) {
    words.insert(words.begin(), {"args", "eth1"});
    const auto outcome = manactl_on("healthy-two-nics", words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("are mutually exclusive"));
  }
  EXPECT_EQ(manactl_on("healthy-two-nics", {"args", "eth1", "--for", "json", "--json"}).code, 0);
  EXPECT_EQ(manactl_on("healthy-two-nics", {"args", "eth1", "--for", "vpp", "-o", "text"}).code, 0);
}

// Sets the CPUs that the process may use. All are on the node of the NICs.
void set_cpus(const CopiedVm& vm, const std::string& cpus) {
  auto process = Json::parse(std::ifstream(vm.path("manactl/process.json")));
  process["affinity"] = cpus;
  vm.write("manactl/process.json", process.dump());
  vm.write("sys/devices/system/node/node0/cpulist", cpus);
}

TEST(ArgsCommand, ConfiguresOpenVswitchWithOneQueueMoreThanPmdThreads) {
  const CopiedVm vm("prepared-uio");
  set_cpus(vm, "0-6");
  const auto lines = vm.run({"args", "--for", "ovs"}).out;
  EXPECT_THAT(lines, HasSubstr(" other_config:dpdk-lcore-mask=0x1 "));
  EXPECT_THAT(lines, HasSubstr(" other_config:pmd-cpu-mask=0xe "));
  EXPECT_THAT(lines, HasSubstr(" other_config:dpdk-socket-mem=1024 "));
  EXPECT_THAT(lines,
              HasSubstr(" options:dpdk-devargs=class=eth,mac=00:0d:3a:76:3b:d1 options:n_rxq=4 "
                        "options:n_rxq_desc=256 options:n_txq_desc=256\n"));
  EXPECT_THAT(vm.run({"args", "--for", "ovs", "--threads", "1"}).out,
              HasSubstr(" other_config:pmd-cpu-mask=0x2 "));
  set_cpus(vm, "3,66,67,70");
  const auto high = vm.run({"args", "--for", "ovs"}).out;
  EXPECT_THAT(high, HasSubstr(" other_config:dpdk-lcore-mask=0x8 "));
  EXPECT_THAT(high, HasSubstr(" other_config:pmd-cpu-mask=0x4c0000000000000000 "));
}

// Hugepages are reserved on the node of the NIC only.
TEST(ArgsCommand, GivesOpenVswitchMemoryOnTheNodeOfTheNic) {
  EXPECT_THAT(manactl_on("hugepages-wrong-node", {"args", "eth1", "--for", "ovs"}).out,
              HasSubstr(" other_config:dpdk-socket-mem=1024 "));
  const CopiedVm vm("hugepages-wrong-node");
  vm.write("sys/bus/pci/devices/7870:00:00.0/numa_node", "1\n");
  EXPECT_THAT(vm.run({"args", "eth1", "--for", "ovs"}).out,
              HasSubstr(" other_config:dpdk-socket-mem=0,1024 "));
}

TEST(ArgsCommand, NamesTheNumbersOfThreadsThatNetManaAccepts) {
  struct Case {
    const char *program, *threads, *use;
  };

  for (const auto& [program, threads, use] : {Case{"ovs", "2", "use 1 or 3"},
                                              {"ovs", "5", "use 3 or 7"},
                                              {"ovs", "64", "use 63"},
                                              {"suricata", "3", "use 2 or 4"},
                                              {"vpp", "6", "use 4 or 8"},
                                              {"testpmd", "12", "use 8 or 16"}}) {
    const auto outcome =
        manactl_on("prepared-uio", {"args", "--for", program, "--threads", threads});
    EXPECT_EQ(outcome.code, 2) << program;
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, EndsWith(fmt::format(": {}\n", use)));
  }
  EXPECT_EQ(manactl_on("prepared-uio", {"args", "--for", "eal", "--threads", "1"}).code, 2);
}

TEST(ArgsCommand, RefusesMoreThreadsThanCpus) {
  const CopiedVm vm("prepared-uio");
  set_cpus(vm, "0-3");
  EXPECT_EQ(vm.run({"args", "--for", "ovs", "--threads", "3"}).code, 0);
  const auto outcome = vm.run({"args", "--for", "ovs", "--threads", "7"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err,
              HasSubstr("7 PMD threads need 8 CPUs with the main lcore, and this "
                        "process may use 4\n"));
}

// Suricata 7 rejects the names of the ports of net_mana and net_netvsc as too long.
TEST(ArgsCommand, GivesPortsANameThatSuricataAccepts) {
  const auto channel = manactl_on("prepared-uio", {"args", "--for", "suricata"}).out;
  EXPECT_THAT(channel,
              HasSubstr(R"(vdev: ["7870:00:00.0,mac=00:0d:3a:76:3b:d1", )"
                        "\"net_failsafe0,dev(000d3a76-3bd1-000d-3a76-3bd1000d3a76)\"]\n"));
  EXPECT_THAT(channel, HasSubstr("- interface: net_failsafe0\n"));
  const auto direct = manactl_on("mana-direct", {"args", "enP30833p0s0", "--for", "suricata"}).out;
  EXPECT_THAT(direct, HasSubstr("\"net_failsafe0,dev(7871:00:00.0)\"]\n"));
  EXPECT_THAT(direct, Not(HasSubstr("allow:")));
}

TEST(ArgsCommand, SetsTheQueuesOfEveryPortOfVpp) {
  const CopiedVm vm("prepared-uio");
  set_cpus(vm, "0-3");
  const auto lines = vm.run({"args", "--for", "vpp"}).out;
  EXPECT_THAT(lines, StartsWith("cpu {\n  main-core 0\n  corelist-workers 1-2\n}\n"));
  EXPECT_THAT(
      lines,
      HasSubstr("  dev default {\n    num-rx-queues 2\n    num-tx-queues 2\n    num-rx-desc "
                "256\n    num-tx-desc 256\n  }\n"));
  EXPECT_THAT(manactl_on("healthy-two-nics", {"args", "eth1", "--for", "vpp"}).err,
              HasSubstr("VPP binds 'eth1' itself unless"));
}

TEST(ArgsCommand, PrintsTheArgumentsOfEveryProgramAsJson) {
  const CopiedVm vm("prepared-uio");
  set_cpus(vm, "0-4");
  const auto json = Json::parse(vm.run({"args", "--json"}).out);
  std::vector<std::string> names;
  for (const auto& program : json.at("programs")) {
    const auto name = program.at("name").get<std::string>();
    names.push_back(name);
    EXPECT_TRUE(program.at("error").is_null()) << name;
    std::string text;
    for (const auto& line : program.at("lines")) text += line.get<std::string>() + '\n';
    EXPECT_EQ(text, vm.run({"args", "--for", name}).out) << name;
  }
  names.emplace_back("json");
  EXPECT_EQ(join(names, "|"), cli::type::kArgsFormat);
  const auto three = Json::parse(vm.run({"args", "--json", "--threads", "3"}).out).at("programs");
  EXPECT_EQ(three.at(2).at("queues"), 4);
  EXPECT_THAT(three.at(3).at("error").get<std::string>(), EndsWith("use 2 or 4"));
}

// Without --for, prepare reserves hugepages for testpmd: 208 pages of 2 MiB on this VM.
TEST(ArgsCommand, NamesHugepagesThatPrepareWillNotReserve) {
  const auto ovs = manactl_on("no-hugepages", {"args", "eth1", "--for", "ovs"});
  EXPECT_THAT(ovs.err, HasSubstr(" eth1 --for ovs' before the program starts"));
  const auto testpmd = manactl_on("no-hugepages", {"args", "eth1"});
  EXPECT_THAT(testpmd.err, HasSubstr(" eth1' before the program starts"));
  const auto all = Json::parse(manactl_on("no-hugepages", {"args", "eth1", "--json"}).out);
  EXPECT_THAT(all.at("programs").at(2).at("warnings").dump(),
              HasSubstr("Open vSwitch needs 512 hugepages of 2 MiB, and 0 are free"));
}

TEST(ArgsCommand, RefusesANicThatCarriesTheAdministratorsTraffic) {
  const auto outcome = manactl_on("healthy-two-nics", {"args", "eth1", "eth0"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err,
              HasSubstr("refusing to print arguments for 'eth0': it carries the default route, "));
}

TEST(ArgsCommand, UsesOneLcorePerQueueAndOneMore) {
  const auto outcome = manactl_on("ubuntu-two-nics", {"args", "eth1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("dpdk-testpmd -l "));
}

TEST(ArgsCommand, PrefersTheCpusOnTheNodeOfTheNic) {
  const CopiedVm vm("hugepages-wrong-node");
  const auto testpmd = [&](const char* near) {
    vm.write("sys/devices/system/node/node0/cpulist", near);
    return vm.run({"args", "eth1"}).out;
  };
  EXPECT_THAT(testpmd("5-7,9"), StartsWith("dpdk-testpmd -l 5-7 "));
  EXPECT_THAT(testpmd("7,9"), StartsWith("dpdk-testpmd -l 0-4 ")) << "one CPU is not enough";
}

TEST(ArgsCommand, PrintsTheArgumentsOfPrepareForTheInstalledDpdk) {
  const CopiedVm vm("prepared-uio");
  const std::string vdev = "--vdev=7870:00:00.0,mac=00:0d:3a:76:3b:d1";
  const std::string id = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";
  const std::string eal = "usr/lib/x86_64-linux-gnu/librte_eal.so.";
  const auto expect_line = [&](const std::string& line) {
    EXPECT_EQ(vm.run({"args", "--for", "eal"}).out, line + '\n');
    EXPECT_THAT(vm.run({"prepare", id, "--dry-run"}).out, HasSubstr("\n  " + line + '\n'));
    const auto variables = vm.run({"args", "--for", "env"}).out;
    EXPECT_THAT(variables, HasSubstr("BUS_INFO=7870:00:00.0\n"));
    EXPECT_THAT(variables, HasSubstr("EAL_ARGS='" + line + "'\n"));
  };
  expect_line(vdev + " -a " + id);
  vm.write(eal + "24", "");
  expect_line(vdev + " -a " + id);
  vm.write(eal + "23", "");
  expect_line(vdev);  // 22.11 would reject the id, and 23.11 does not need it
}

TEST(ArgsCommand, FailsWhenNoNicIsPrepared) {
  const auto outcome = manactl_on("healthy-two-nics", {"args"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.error_lines(), 1U);
}

}  // namespace
}  // namespace manactl::test::cmd_args_test
