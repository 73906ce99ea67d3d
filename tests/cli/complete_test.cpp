// SPDX-License-Identifier: MIT

#include "cli/complete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "adapter/launch/launch.h"
#include "base/text.h"
#include "cli/command.h"
#include "datapath/engines.h"
#include "datapath/mode.h"
#include "support/fixtures.h"

namespace manactl::cli::complete_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

std::string completion(std::vector<std::string> words,
                       const std::vector<test::Edit>& edits,
                       const test::SymbolicLinks& links = {},
                       const std::string& fixture = "healthy-two-nics") {
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  const auto captured = test::edited_system(fixture, edits, links);
  Context context{
      screen, screen, false, 0, {}, {}, [&] { return Result<os::System>(captured->system()); }};
  EXPECT_EQ(complete(std::move(words), context), Exit::ok);
  return out.str();
}

std::vector<std::string> candidates(std::vector<std::string> words,
                                    const std::vector<test::Edit>& edits = {}) {
  std::vector<std::string> found;
  const std::string text = completion(std::move(words), edits);
  for (const auto line : split(text, '\n')) {
    if (!line.empty()) found.emplace_back(line.substr(0, line.find('\t')));
  }
  return found;
}

TEST(Complete, OffersCommands) {
  std::vector<std::string> names;
  for (const auto& command : commands()) {
    if (command.name.find(' ') == std::string_view::npos) names.emplace_back(command.name);
  }
  ASSERT_THAT(names, Contains("check"));
  names.insert(names.end(), {"help", "version"});
  EXPECT_THAT(candidates({"--", ""}), ElementsAreArray(names));
  EXPECT_THAT(candidates({}), ElementsAreArray(names));
  EXPECT_THAT(candidates({"ch"}), ElementsAre("check"));
  EXPECT_THAT(candidates({"--json", "do"}), ElementsAre("doctor"));
  EXPECT_THAT(candidates({"xyz", ""}), IsEmpty());
}

TEST(Complete, OffersTheSecondWordOfACommand) {
  EXPECT_THAT(candidates({"bench", "com"}), ElementsAre("compare"));
  EXPECT_THAT(candidates({"bench", ""}), Contains("compare"));
  EXPECT_THAT(candidates({"bench", ""}), Contains("eth1"));
  EXPECT_THAT(candidates({"bench", "--no-huge", "com"}), IsEmpty());
  EXPECT_THAT(candidates({"bench", "compare", ""}), ElementsAre(":files"));
  EXPECT_THAT(candidates({"bench", "compare", "a", ""}), ElementsAre(":files"));
  EXPECT_THAT(candidates({"bench", "compare", "a", "b", ""}), IsEmpty());
  EXPECT_THAT(candidates({"bench", "compare", "--thr"}), ElementsAre("--threshold"));
}

TEST(Complete, OffersOptionsThatAreNotGivenYet) {
  EXPECT_THAT(candidates({"check", "--st"}), ElementsAre("--strict"));
  EXPECT_THAT(candidates({"check", "--strict", "--st"}), IsEmpty());
  EXPECT_THAT(candidates({"check", "--js"}), ElementsAre("--json"));
  EXPECT_THAT(candidates({"doctor", "--log", "a", "--lo"}), ElementsAre("--log"));
  EXPECT_THAT(candidates({"check", "--queues=4", "--que"}), IsEmpty());
}

TEST(Complete, OffersKindsAndThenFiles) {
  EXPECT_THAT(candidates({"decode", "cqe"}),
              ElementsAre("cqe", "cqe-header", "cqe-info", "cqe-type"));
  EXPECT_THAT(candidates({"decode", "--explain", "sq-w"}), ElementsAre("sq-wqe"));
  EXPECT_THAT(candidates({"decode", "--offset", "0", "doorb"}), ElementsAre("doorbell"));
  EXPECT_THAT(candidates({"decode", "cqe", ""}), ElementsAre(":files"));
  EXPECT_THAT(candidates({"decode", "cqe", "--order", "w"}), ElementsAre("words"));
}

TEST(Complete, OffersValues) {
  std::vector<std::string_view> modes;
  for (const auto& row : datapath::kModes) modes.push_back(row.name);
  ASSERT_THAT(modes, Contains("tx"));
  EXPECT_THAT(candidates({"bench", "--mode", ""}), ElementsAreArray(modes));
  EXPECT_THAT(candidates({"check", "--color=al"}), ElementsAre("--color=always"));
  EXPECT_THAT(candidates({"check", "--color", "=", "al"}), ElementsAre("--color=always"));
  EXPECT_THAT(candidates({"check", "--color", "="}), Contains("--color=never"));
  EXPECT_THAT(candidates({"check", "--only", "rdma.driver"}), ElementsAre("rdma.driver-id"));
  EXPECT_THAT(candidates({"check", "--only", "rdma,mem"}), Contains("rdma,memory"));
  EXPECT_THAT(candidates({"bench", "--queues", ""}), IsEmpty());
  EXPECT_THAT(candidates({"prepare", "--hugepages", ""}), ElementsAre("none"));
}

TEST(Complete, OffersInterfaces) {
  EXPECT_THAT(candidates({"check", "eth"}), UnorderedElementsAre("eth0", "eth1"));
  EXPECT_THAT(candidates({"bench", "--mode", "tx", "eth1"}), ElementsAre("eth1"));
  EXPECT_THAT(candidates({"doctor", "eth"}), ElementsAre(":files"));
}

TEST(Complete, OffersCommandsAndChecksAfterHelp) {
  EXPECT_THAT(candidates({"help", "rdma.cor"}), ElementsAre("rdma.core"));
  EXPECT_THAT(candidates({"help", "mem"}), Contains("memory"));
  EXPECT_THAT(candidates({"rdma.cor"}), IsEmpty());
  EXPECT_THAT(candidates({"help", "doc"}), ElementsAre("doctor"));
  EXPECT_THAT(candidates({"help", "he"}), IsEmpty());
}

TEST(Complete, OffersNicsThatCanBePrepared) {
  EXPECT_EQ(completion({"prepare", ""}, {}), "eth1\tVF enP30832p0s0d1\n") << "eth0 carries SSH";
  const test::Edit vlan{"manactl/links.json", "\"links\": [", R"("links": [{"index": 20,
      "name": "eth1.5", "mac": "00:0d:3a:76:3b:d1", "master": null, "lower": 3, "kind": "vlan",
      "alternative_names": [], "flags": 69699, "operstate": "up", "mtu": 1500, "rx_packets": 0,
      "tx_packets": 0},)"};
  EXPECT_EQ(completion({"prepare", ""}, {vlan}), "");
  for (const auto* fixture : {"ssh-on-dpdk-nic", "prepared-uio", "vf-missing"}) {
    EXPECT_EQ(completion({"prepare", ""}, {}, {}, fixture), "") << fixture;
  }
}

TEST(Complete, OffersProgramsAfterTheSeparatorOfSim) {
  EXPECT_THAT(candidates({"sim", "--"}), Contains("--fault"));
  EXPECT_THAT(candidates({"sim", "--", ""}), ElementsAre(":commands"));
  EXPECT_THAT(candidates({"sim", "--", "dpdk-testpmd", ""}), ElementsAre(":files"));
}

TEST(Complete, OffersDevicesFaultsAndGoals) {
  const auto devices = candidates({"bench", "--vdev", "net_nu"});
  EXPECT_THAT(devices, ElementsAre("net_null0"));
  EXPECT_THAT(candidates({"bench", "--vdev", "net_"}), Not(Contains(HasSubstr("memif"))));
  EXPECT_THAT(candidates({"sim", "--fault", "rx="}), ElementsAre("rx=truncate", "rx=drop"));
  for (const auto& fault : candidates({"sim", "--fault", ""})) {
    EXPECT_TRUE(adapter::Config::check("fault", fault)) << fault;
  }
  EXPECT_THAT(candidates({"bench", "--find", ""}), ElementsAre("ndr", "pdr", "ndr,pdr"));
  EXPECT_THAT(candidates({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
}

TEST(Complete, OmitsNamesThatAShellWouldInterpret) {
  std::vector<test::Edit> edits;
  for (const std::string name :
       {"eth0;id>X;#", "$(id)",   "`id`",  "'id",    "\"id",        "\\id", "a b",
        "a\nb",        "~root",   "{a,b}", "*",      "?",           "[a]",  "a|id",
        "a&id",        "a<X",     "a>X",   "!1",     "^a",          "#a",   "%1",
        "\x1b[2J",     "\u00e9t", "-rf",   ":files", ":directories"}) {
    edits.push_back({"sys/class/net/" + name + "/address", "", "00:00:00:00:00:00\n"});
  }
  EXPECT_THAT(candidates({"check", ""}, edits),
              UnorderedElementsAre("eth0", "eth1", "enP30832p0s0", "enP30832p0s0d1"));
  EXPECT_THAT(candidates({"doctor", "--probe", "-"}, edits), IsEmpty());
}

TEST(Complete, LeavesFilesToTheShell) {
  EXPECT_THAT(candidates({"doctor", "--log", "x"}), ElementsAre(":files"));
  EXPECT_THAT(candidates({"check", "--root", ""}), ElementsAre(":directories"));
}

}  // namespace
}  // namespace manactl::cli::complete_test
