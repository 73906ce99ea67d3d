// SPDX-License-Identifier: MIT
//
// Tests the command status on captured systems.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/on_machine.h"

namespace manactl::test::cmd_status_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

TEST(StatusCommand, ShowsTheOwnerOfEachNic) {
  const auto outcome = manactl_on("prepared-uio", {"status", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<std::string> owners;
  const auto status = Json::parse(outcome.out);
  for (const auto& nic : status.at("nics")) owners.push_back(nic.at("owner"));
  EXPECT_THAT(owners, ElementsAre("kernel", "uio"));
  EXPECT_EQ(status.at("nics").at(1).at("journal"), "unknown") << "as in the text";
}

constexpr const char* kStatusOfEth1 =
    "7870:00:00.0  MANA function\n"
    "  driver     mana, NUMA node unknown\n"
    "  ports      enP30832p0s0, enP30832p0s0d1\n"
    "  RDMA       mana_0, uverbs0, driver id 20, provider libmana-rdmav34.so\n"
    "eth1  owned by kernel\n"
    "  synthetic  eth1, hv_netvsc, up, MTU 1500\n"
    "  VF         enP30832p0s0d1, mana, up, MTU 1500\n"
    "  MAC        00:0d:3a:76:3b:d1, port 1 of 7870:00:00.0\n"
    "  path       VF\n"
    "  channel    000d3a76-3bd1-000d-3a76-3bd1000d3a76, hv_netvsc\n"
    "  journal    unknown\n"
    "Hugepages\n"
    "  node 0     64 of 64 pages of 2 MiB free\n";

TEST(StatusCommand, ShowsOneNicWithItsFunction) {
  for (const char* name : {"eth1", "enP30832p0s0d1", "000d3a76-3bd1-000d-3a76-3bd1000d3a76"}) {
    const auto outcome = manactl_on("healthy-two-nics", {"status", name, "-v"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, kStatusOfEth1);
  }
  const auto unknown = manactl_on("healthy-two-nics", {"status", "ehh1"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean"));
}

TEST(StatusCommand, ShowsWhyPrepareRefusesANic) {
  const auto outcome = manactl_on("healthy-two-nics", {"status", "-v"});
  EXPECT_THAT(outcome.out,
              HasSubstr("  refused    prepare refuses this NIC: it carries the default "));
  const auto json = Json::parse(manactl_on("healthy-two-nics", {"status", "--json"}).out);
  EXPECT_FALSE(json.at("nics").at(0).at("objections").empty());
  EXPECT_TRUE(json.at("nics").at(1).at("objections").empty());
  EXPECT_EQ(json.at("functions").at(0).at("rdma_devices").at(0).at("provider"),
            "libmana-rdmav34.so");
  EXPECT_EQ(json.at("hugepages").at(0).at("free"), 64);
}

TEST(StatusCommand, ShowsWhatAPreparedNicLacks) {
  const auto outcome = manactl_on("prepared-uio", {"status", "enP30832p0s0d1", "-v"});
  EXPECT_THAT(outcome.out,
              HasSubstr("enP30832p0s0d1  owned by uio\n"
                        "  VF         enP30832p0s0d1, mana, down, MTU 1500\n"));
  EXPECT_THAT(outcome.out, HasSubstr(", uio_hv_generic, uio0\n"));
  const auto json = Json::parse(manactl_on("prepared-uio", {"status", "--json"}).out);
  EXPECT_TRUE(json.at("nics").at(1).at("synthetic").is_null());
  EXPECT_EQ(json.at("nics").at(1).at("driver"), "uio_hv_generic");
}

TEST(StatusCommand, PrintsARowForEachNic) {
  EXPECT_EQ(manactl_on("prepared-uio", {"status"}).out,
            "NIC             owner   VF              path        state\n"
            "eth0            kernel  enP30832p0s0    VF          refused: SSH session, default "
            "route and 2 more\n"
            "enP30832p0s0d1  uio     enP30832p0s0d1  user space  journal not read; "
            "'manactl restore enP30832p0s0d1' returns the NIC to the kernel\n"
            "Hugepages\n"
            "  node 0     64 of 64 pages of 2 MiB free\n");
  EXPECT_THAT(manactl_on("healthy-two-nics", {"status", "eth1"}).out,
              HasSubstr("eth1  kernel  enP30832p0s0d1  VF    free\n"));
}

TEST(StatusCommand, ShowsThatAVfIsNotPaired) {
  EXPECT_THAT(
      manactl_on("vf-unpaired", {"status", "eth1"}).out,
      HasSubstr("eth1  kernel  enP30832p0s0d1  synthetic  not free: its VF is not paired\n"));
  EXPECT_THAT(manactl_on("vf-unpaired", {"status", "eth1", "-v"}).out,
              HasSubstr("  VF         enP30832p0s0d1, mana, up, MTU 1500, not paired\n"));
  const auto nics = Json::parse(manactl_on("vf-unpaired", {"status", "--json"}).out).at("nics");
  EXPECT_EQ(nics.at(0).at("paired"), true);
  EXPECT_EQ(nics.at(1).at("paired"), false);
  EXPECT_EQ(nics.at(1).at("path"), "synthetic");
}

// status and check call no NIC free that prepare refuses.
TEST(StatusCommand, ShowsThatAModuleIsMissing) {
  const std::string reason = "mana_ib is missing from kernel ";
  for (const auto* tree : {"mana-ib-missing", "image-debian-12", "image-azure-linux-3"}) {
    EXPECT_THAT(manactl_on(tree, {"prepare", "eth1", "--dry-run"}).err, HasSubstr(reason)) << tree;
    EXPECT_THAT(manactl_on(tree, {"status", "eth1"}).out, HasSubstr("not free: " + reason)) << tree;
    EXPECT_THAT(manactl_on(tree, {"check", "eth1"}).out, HasSubstr("no: " + reason)) << tree;
    const auto nics = Json::parse(manactl_on(tree, {"status", "--json"}).out).at("nics");
    EXPECT_EQ(nics.at(1).at("free"), false) << tree;
    EXPECT_THAT(nics.at(1).at("reason").get<std::string>(), StartsWith(reason)) << tree;
  }
}

// A fact that the bundle lacks is named as missing, and never taken for an absent device.
TEST(StatusCommand, NamesWhatWasNotCaptured) {
  const CopiedVm vm("healthy-two-nics");
  vm.remove("manactl/links.json");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"status"},
                                                {"args", "eth1"},
                                                {"args"},
                                                {"prepare", "eth1", "--dry-run"}}) {
    const auto outcome = vm.run(words);
    EXPECT_EQ(outcome.code, 2) << words[0];
    EXPECT_EQ(outcome.err, "manactl: cannot list the NICs: not captured: links\n");
  }
}

TEST(StatusCommand, NamesMissingRoutesOnce) {
  const CopiedVm vm("healthy-two-nics");
  vm.remove("manactl/routes.json");
  const std::string message = "not captured: routes";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"status", "eth1", "-v"}, {"prepare", "eth1", "--dry-run"}}) {
    const auto outcome = vm.run(words);
    const auto text = outcome.out + outcome.err;
    EXPECT_THAT(text, HasSubstr(message));
    EXPECT_EQ(text.find(message), text.rfind(message)) << text;
  }
}

TEST(StatusCommand, CallsNoModuleMissingWithoutTheKernelRelease) {
  const CopiedVm vm("healthy-two-nics");
  vm.remove("manactl/process.json");
  vm.remove("manactl/modules.json");
  std::filesystem::remove_all(vm.path("sys/module/mana_ib"));
  EXPECT_THAT(vm.run({"check", "--only", "kernel.mana-ib", "-v"}).out,
              HasSubstr("not captured: kernel"));
  EXPECT_THAT(vm.run({"prepare", "eth1", "--dry-run"}).err, HasSubstr("not captured: kernel"));
}

TEST(StatusCommand, CallsNoAdapterMissingThatHasAVf) {
  const CopiedVm vm("healthy-two-nics");
  vm.remove("sys/devices/pci7870:00/7870:00:00.0/vendor");
  const auto check = vm.run({"check", "-v"});
  EXPECT_EQ(check.code, 0);
  EXPECT_THAT(check.out, HasSubstr("cannot read the ids of 7870:00:00.0"));
  EXPECT_THAT(check.out, Not(HasSubstr("no MANA")));
}

TEST(StatusCommand, ProposesTheSameHugepagesAsCheckAndPrepare) {
  const std::string nodes = "/sys/devices/system/node/", pool = "/hugepages/hugepages-2048kB";
  const auto reserve = "echo 235 | tee " + nodes + "node0" + pool + "/nr_hugepages";
  const auto release = "echo 0 | tee " + nodes + "node1" + pool + "/nr_hugepages";
  const auto status = manactl_on("hugepages-wrong-node", {"status"}).out;
  EXPECT_THAT(status, HasSubstr("run:       " + reserve + '\n'));
  EXPECT_THAT(status, HasSubstr("run:       " + release + '\n'));
  const auto check = manactl_on("hugepages-wrong-node", {"check"}).out;
  EXPECT_THAT(check, HasSubstr("        " + reserve + '\n'));
  const auto prepare = manactl_on("hugepages-wrong-node", {"prepare", "eth1", "--dry-run"});
  EXPECT_THAT(prepare.out, HasSubstr("reserve 235 more pages in " + nodes + "node0" + pool));
  EXPECT_THAT(prepare.err, HasSubstr("to release them, run '" + release + "'\n"));
}

TEST(StatusCommand, ListsNicsWithoutAnInterfaceForANameThatIsGone) {
  const auto outcome = manactl_on("prepared-uio", {"status", "eth1"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err,
              HasSubstr("interface 'eth1' does not exist; these NICs have no interface now: "
                        "'enP30832p0s0d1' (uio_hv_generic)"));
}

TEST(StatusCommand, StatesThatANicIsInAnotherNetworkNamespace) {
  const CopiedVm vm("healthy-two-nics");
  auto links = nlohmann::json::parse(std::ifstream(vm.path("manactl/links.json")));
  std::erase_if(links["links"].get_ref<nlohmann::json::array_t&>(), [](const auto& link) {
    return link["name"] == "eth1" || link["name"] == "enP30832p0s0d1";
  });
  vm.write("manactl/links.json", links.dump());
  const std::string where =
      "; another network namespace has the interface of NIC 000d3a76-3bd1-000d-3a76-3bd1000d3a76 "
      "('ip netns' and 'lsns -t net' list namespaces); NICs in this namespace: 'eth0'\n";
  for (const std::string name : {"eth1", "00:0d:3a:76:3b:d1"}) {
    for (const auto& words : {std::vector<std::string>{"status", name},
                              {"args", name},
                              {"check", name},
                              {"prepare", name, "--dry-run"},
                              {"restore", name, "--dry-run"}}) {
      const auto outcome = vm.run(words);
      EXPECT_EQ(outcome.code, 3) << words[0];
      EXPECT_THAT(outcome.err, testing::EndsWith(where)) << words[0];
    }
  }
  EXPECT_THAT(vm.run({"status"}).out,
              HasSubstr("NIC 000d3a76-3bd1-000d-3a76-3bd1000d3a76: its interface is in another "
                        "network namespace\n"));
}

}  // namespace
}  // namespace manactl::test::cmd_status_test
