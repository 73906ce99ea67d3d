// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "host/facts_text.h"
#include "host/gather.h"
#include "support/fixtures.h"

namespace manactl::host::gather_errors_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kDenied = R"({"error": {"code": "denied", "message": "refused"}})";

// The lines of the facts that the edits add to those of the fixture.
std::vector<std::string> new_lines(const std::vector<test::Edit>& edits,
                                   const test::SymbolicLinks& links = {}) {
  const auto lines_of = [&](const std::vector<test::Edit>& some, const test::SymbolicLinks& more) {
    const auto captured = test::edited_system("ubuntu-two-nics", some, more);
    const std::string text = text_of(gather(captured->system()));
    std::vector<std::string> lines;
    for (const auto line : split(text, '\n')) lines.emplace_back(line);
    return lines;
  };
  const auto before = lines_of({}, {});
  auto lines = lines_of(edits, links);
  std::erase_if(lines, [&](const std::string& line) {
    return std::find(before.begin(), before.end(), line) != before.end();
  });
  return lines;
}

struct Input {
  const char* fact;
  const char* path;
  const char* json = "";  // the file's new text; empty: reading or listing the path fails
};

void PrintTo(const Input& input, std::ostream* out) {
  *out << input.fact << " " << input.path;
}

class FailingInput : public ::testing::TestWithParam<Input> {};

TEST_P(FailingInput, MakesItsFactUnknown) {
  const Input& input = GetParam();
  const bool is_reply = *input.json != '\0';
  const test::Edit edit = is_reply ? test::Edit{input.path, "", input.json}
                                   : test::Edit{"manactl/file_errors.json",
                                                "",
                                                fmt::format("{{\"{}\": {}}}", input.path, kDenied)};
  EXPECT_THAT(
      new_lines({edit}),
      Contains(AllOf(StartsWith(std::string(input.fact) + ": error "), EndsWith("refused"))));
}

constexpr const char* kReply = R"({"error": {"code": "denied", "message": "refused"}})";
constexpr const char* kProcess = R"({
    "privileges": {"error": {"code": "denied", "message": "refused"}},
    "kernel": {"error": {"code": "denied", "message": "refused"}},
    "affinity": {"error": {"code": "denied", "message": "refused"}}})";

INSTANTIATE_TEST_SUITE_P(
    All,
    FailingInput,
    ::testing::Values(
        Input{"kernel", "manactl/process.json", kProcess},
        Input{"limits", "manactl/process.json", kProcess},
        Input{"cpus", "manactl/process.json", kProcess},
        Input{"nics", "manactl/links.json", kReply},
        Input{"rdma", "manactl/rdma.json", kReply},
        Input{"providers", "manactl/verbs.json", kReply},
        Input{"libraries", "manactl/libraries.json", kReply},
        Input{"mana_ib",
              "manactl/modules.json",
              R"({"mana_ib": {"error": {"code": "denied", "message": "refused"}}})"},
        Input{"counters", "manactl/ethtool.json", R"({"interfaces": {"eth0": {
              "counters": {"error": {"code": "denied", "message": "refused"}}}}})"},
        Input{"platform", "sys/class/dmi/id/chassis_asset_tag"},
        Input{"functions", "sys/bus/pci/devices"},
        Input{"nics", "sys/bus/vmbus/devices"},
        Input{"nodes", "dev/infiniband"},
        Input{"btf", "sys/kernel/btf/vmlinux"},
        Input{"management", "run/systemd/netif/links/4"},
        Input{"pools", "sys/devices/system/node"},
        Input{"pools", "sys/devices/system/node/node0/hugepages"},
        Input{"pools", "sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages"},
        Input{"pools", "sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages"},
        Input{"mounts", "proc/mounts"}));

TEST(Gather, ReportsEachAttributeOfRdmaDevices) {
  const std::string devices = R"({"devices": [
      {"index": 0, "name": "mana_0", "node_type": 1, "firmware": "", "ports": [],
       "chardev": {"error": {"code": "denied", "message": "refused"}}},
      {"index": 1, "name": "manae_1", "node_type": 1, "firmware": "", "ports": [],
       "chardev": {"name": "uverbs7", "abi": 3}},
      {"index": 2, "name": "rxe0", "node_type": 1, "firmware": "",
       "ports": [{"port": 1, "state": 4, "netdev": "eth0"}],
       "chardev": {"name": "uverbs8", "abi": 4, "driver_id": 14}},
      {"index": 3, "name": "renamed", "node_type": 1, "firmware": "", "ports": [],
       "chardev": {"name": "uverbs9", "abi": 5, "driver_id": 20}},
      {"index": 4, "name": "mlx5_0", "node_type": 1, "firmware": "", "ports": [],
       "chardev": {"name": "uverbs10", "abi": 6, "driver_id": 0}}]})";
  EXPECT_THAT(new_lines({{"manactl/rdma.json", "", devices}},
                        {{"sys/class/infiniband/rxe0/device", "../../eth0"},
                         {"sys/class/infiniband/renamed/device", "../../7870:00:00.0"},
                         {"sys/class/infiniband/mlx5_0/device", "../../7870:00:00.1"}}),
              IsSupersetOf({"rdma mana_0 7870:00:00.0 ports 0  id - abi - 'refused' true",
                            "rdma manae_1 - ports 0 uverbs7 id - abi 3 "
                            "'the kernel driver does not report a driver id' true",
                            "rdma rxe0 - ports 1 uverbs8 id 14 abi 4 '' false",
                            "rdma renamed 7870:00:00.0 ports 0 uverbs9 id 20 abi 5 '' true",
                            "rdma mlx5_0 7870:00:00.1 ports 0 uverbs10 id 0 abi 6 '' false"}));
}

TEST(Gather, ReportsEachProvider) {
  EXPECT_THAT(new_lines({{"manactl/verbs.json", "", R"({"providers": [
                  {"device": "a", "library": "liba.so"},
                  {"device": "b", "library": {"error": {"code": "io", "message": "refused"}}}]})"}}),
              IsSupersetOf({"provider a liba.so ", "provider b  refused"}));
}

TEST(Gather, ListsOnlyNodesOfVerbs) {
  const auto nodes = [](const char* text) { return test::Edit{"manactl/nodes.json", "", text}; };
  const auto lines = new_lines(
      {{"dev/infiniband/rdma_cm", "", ""},
       {"dev/infiniband/uverbs1", "", ""},
       {"dev/infiniband/uverbs2", "", ""},
       nodes(R"({"dev/infiniband/uverbs1": {"type": "character_device", "mode": "0640", "uid": 1,
                 "gid": 2, "readable": true, "writable": false},
                 "dev/infiniband/uverbs2": {"type": "character_device", "mode": "0600", "uid": 3,
                 "gid": 4, "readable": false, "writable": true}})")});
  EXPECT_THAT(lines,
              IsSupersetOf({"node dev/infiniband/uverbs1 640 1 2 false",
                            "node dev/infiniband/uverbs2 600 3 4 false"}));
  EXPECT_THAT(lines, Not(Contains(StartsWith("node dev/infiniband/rdma_cm"))));
}

TEST(Gather, ReadsTheDistributionWithAndWithoutQuotes) {
  const auto distribution = [](const std::string& text) {
    return facts_of("ubuntu-two-nics", {{"etc/os-release", "", text}}).kernel->distribution;
  };
  EXPECT_EQ(distribution("NAME=x\nID=sles\nID=y\n"), "sles");
  EXPECT_EQ(distribution("ID=\"ol\"\n"), "ol");
  EXPECT_EQ(distribution("ID=\"\n"), "\"");
  EXPECT_EQ(distribution("ID=\"\"\n"), "");
  EXPECT_EQ(distribution("ID=\"ol\n"), "\"ol");
  EXPECT_EQ(distribution("ID=ol\"\n"), "ol\"");
  EXPECT_EQ(distribution("NAME=x\n"), "");
  const std::string text = "ID=ubuntu\nVERSION_ID=\"20.04\"\n";
  const auto facts = facts_of("ubuntu-two-nics", {{"etc/os-release", "", text}});
  EXPECT_EQ(facts.kernel->distribution_release, "20.04");
}

TEST(Gather, ReadsTheVersionOfDebiansKernelPackage) {
  const auto version = [](const std::string& text) {
    return facts_of("ubuntu-two-nics", {{"proc/version", "", text}}).kernel->debian_version;
  };
  EXPECT_EQ(version("Linux version 6.1.0-57-amd64 (a@b) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld "
                    "(GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.192-3 "
                    "(2026-11-20)\n"),
            "6.1.192-3");
  EXPECT_EQ(version("Linux version 6.8.0-1062-azure (user@a) #68-Ubuntu SMP\n"), "");
  EXPECT_EQ(version("Linux version Debian\n"), "");
}

TEST(Gather, ExplainsHowItRecognizesAzure) {
  const std::string path = "sys/class/dmi/id/chassis_asset_tag";
  const auto platform = [&](const std::string& tag) {
    return facts_of("ubuntu-two-nics", {{path, "", tag}}).platform.value();
  };
  EXPECT_TRUE(platform("7783-7084-3265-9085-8269-3286-77\n").azure);
  EXPECT_FALSE(platform("other\n").azure);
  EXPECT_EQ(platform("other\n").evidence, path + " is 'other'");
  EXPECT_EQ(facts_of("not-azure", {{"x", "", ""}}).platform->evidence.substr(0, path.size()), path);
}

TEST(Gather, ReadsEachCounterOfTheVf) {
  const auto lines = new_lines({{"manactl/ethtool.json", "", R"({"interfaces": {
      "eth0": {"counters": {"vf_rx_packets": 3, "vf_tx_packets": 4, "x": 5}},
      "eth1": {"counters": {"vf_tx_packets": 4}}}})"}});
  EXPECT_THAT(lines, Contains(StartsWith("counters 3 4 ")));
  EXPECT_THAT(lines, Contains(EndsWith("'eth1' has no counters of VF packets")));
}

}  // namespace
}  // namespace manactl::host::gather_errors_test
