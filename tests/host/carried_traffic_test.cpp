// SPDX-License-Identifier: MIT

#include "host/carried_traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/gather.h"
#include "support/fixtures.h"

namespace manactl::host::carried_traffic_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kSession = "SSH session from 10.1.0.9";

std::vector<std::string> carried_by(const std::string& nic, const std::vector<test::Edit>& edits) {
  const Facts facts = facts_of("ubuntu-two-nics", edits);
  const Nic* found = facts.find_nic(nic);
  return found == nullptr ? std::vector<std::string>{"no such NIC"} : found->carries;
}

const test::Edit kNoSshConnection{"manactl/process.json", "10.1.0.9 50122 10.0.0.4 22", ""};
const test::Edit kNoSshd{"proc/1398/stat", "(sshd)", "(init)"};

// The listening socket and the connection use port 2222 instead of 22.
const test::Edit kOtherPort{
    "manactl/sockets.json", "\"local_port\": 22", "\"local_port\": 2222", 2};

// The address of the session belongs to the interface of with_upper().
const test::Edit kAddressOfUpper{"manactl/addresses.json",
                                 "\"index\": 2,\n   \"text\": \"10.0.0.4\"",
                                 "\"index\": 20,\n   \"text\": \"10.0.0.4\""};

test::Edit with_upper(const std::string& kind, const std::string& lower) {
  return {"manactl/links.json",
          "\"links\": [",
          R"("links": [{"index": 20, "name": "upper0", "alternative_names": [], "flags": 69699,
              "operstate": "up", "mtu": 1500, "mac": "00:0d:3a:76:3b:d1", "master": null,
              "lower": )" +
              lower + ", \"kind\": \"" + kind + R"(", "rx_packets": 0, "tx_packets": 0},)"};
}

std::string link_text(int index, int lower) {
  return R"({"index": )" + std::to_string(index) + R"(, "name": "v)" + std::to_string(index) +
         R"(", "alternative_names": [], "flags": 69699, "operstate": "up", "mtu": 1500,
             "mac": "00:00:00:00:00:00", "master": null, "lower": )" +
         std::to_string(lower) + R"(, "kind": "vlan", "rx_packets": 0, "tx_packets": 0},)";
}

TEST(CarriedTraffic, FindsTheSessionBySocketAlone) {
  EXPECT_THAT(carried_by("eth0", {kNoSshConnection, kNoSshd}), Contains(kSession));
}

TEST(CarriedTraffic, FindsTheSessionBySshConnectionAlone) {
  EXPECT_THAT(carried_by("eth0", {kNoSshd, {"manactl/sockets.json", "", R"({"tcp": []})"}}),
              Contains(kSession));
}

TEST(CarriedTraffic, FindsTheSessionOfItsServerOnAnotherPort) {
  // sshd on port 2222 without SSH_CONNECTION: only the socket of sshd, an ancestor of this process,
  // shows the session.
  EXPECT_THAT(carried_by("eth0", {kNoSshConnection, kOtherPort}), Contains(kSession));
  EXPECT_THAT(carried_by("eth0", {kNoSshConnection, kOtherPort, kNoSshd}), Not(Contains(kSession)));
}

TEST(CarriedTraffic, FindsTheSessionOfSshdSession) {
  const test::Edit renamed{"proc/1398/stat", "(sshd)", "(sshd-session)"};
  EXPECT_THAT(carried_by("eth0", {kNoSshConnection, kOtherPort, renamed}), Contains(kSession));
}

// Returns the traffic of eth0 if sshd listens on port 2222, is not an ancestor of this process, and
// SSH_CONNECTION is not set.
Result<std::vector<std::string>> carried_with_other_sshd(SshSearch ssh_search,
                                                         const test::SymbolicLinks& processes,
                                                         std::vector<test::Edit> edits = {}) {
  edits.insert(edits.end(), {kNoSshConnection, kNoSshd, kOtherPort});
  const auto captured = test::edited_system("ubuntu-two-nics", edits, processes);
  const Facts facts = gather(captured->system(), ssh_search);
  if (!facts.carries_complete) return tl::unexpected<Error>(facts.carries_complete.error());
  return facts.find_nic("eth0")->carries;
}

TEST(CarriedTraffic, FindsAnUnrelatedServerByReadingEveryProcess) {
  const test::SymbolicLinks listens{{"proc/700/exe", "/usr/sbin/sshd"},
                                    {"proc/700/fd/3", "socket:[20111]"}};
  EXPECT_THAT(*carried_with_other_sshd(SshSearch::every_process, listens), Contains(kSession));
  EXPECT_THAT(*carried_with_other_sshd(SshSearch::quick, listens), Not(Contains(kSession)));
}

TEST(CarriedTraffic, FindsAServerThatSystemdListensFor) {
  // ssh.socket with Accept=yes: systemd listens, and the SSH server has only its connection open.
  // Its executable was replaced while it was running.
  const test::SymbolicLinks socket_unit{{"proc/1/exe", "/usr/lib/systemd/systemd"},
                                        {"proc/1/fd/40", "socket:[20111]"},
                                        {"proc/701/exe", "/usr/lib/openssh/sshd-session (deleted)"},
                                        {"proc/701/fd/0", "socket:[31337]"}};
  EXPECT_THAT(*carried_with_other_sshd(SshSearch::every_process, socket_unit), Contains(kSession));
}

TEST(CarriedTraffic, IgnoresServersThatOnlyHaveTheNameOfSshd) {
  const test::SymbolicLinks web{{"proc/702/exe", "/usr/sbin/nginx"},
                                {"proc/702/fd/3", "socket:[20111]"},
                                {"proc/702/fd/4", "socket:[31337]"},
                                {"proc/703/exe", "/usr/sbin/sshd"},
                                {"proc/703/fd/3", "socket:[555]"},
                                {"proc/703/fd/4", "/dev/null"}};
  const test::Edit called_sshd{"proc/702/comm", "", "sshd\n"};
  EXPECT_THAT(*carried_with_other_sshd(SshSearch::every_process, web, {called_sshd}),
              Not(Contains(kSession)));
}

TEST(CarriedTraffic, IsIncompleteIfAServerCannotBeRead) {
  const test::Edit denied{"manactl/file_errors.json", "", R"({
      "proc/704/exe": {"error": {"code": "denied", "message": "no"}},
      "proc/704/fd": {"error": {"code": "denied", "message": "no"}}})"};
  const test::Edit name{"proc/704/comm", "", "sshd\n"};
  const auto carried = carried_with_other_sshd(SshSearch::every_process, {}, {denied, name});
  ASSERT_FALSE(carried);
  EXPECT_EQ(carried.error().code, Errc::denied);
  EXPECT_TRUE(carried_with_other_sshd(SshSearch::quick, {}, {denied, name}));
}

TEST(CarriedTraffic, IgnoresOutgoingSessions) {
  // Without a listening socket, local port 22 does not belong to an SSH server.
  const test::Edit silent{"manactl/sockets.json", "\"listening\": true", "\"listening\": false"};
  EXPECT_THAT(carried_by("eth0", {kNoSshConnection, kNoSshd, silent}), Not(Contains(kSession)));
}

TEST(CarriedTraffic, FollowsAVlanDownToItsNic) {
  EXPECT_THAT(carried_by("eth1", {with_upper("vlan", "3"), kAddressOfUpper}),
              ElementsAre(kSession));
}

TEST(CarriedTraffic, FollowsABondDownToAllMembers) {
  const std::vector<test::Edit> edits = {
      with_upper("bond", "null"),
      kAddressOfUpper,
      {"manactl/links.json",
       "\"mac\": \"00:0d:3a:76:3b:d1\",\n   \"master\": null",
       "\"mac\": \"00:0d:3a:76:3b:d1\",\n   \"master\": 20"},
  };
  EXPECT_THAT(carried_by("eth1", edits), ElementsAre(kSession));
}

TEST(CarriedTraffic, FollowsAVlanOfABondDownToAllMembers) {
  std::vector<test::Edit> edits = {
      with_upper("bond", "null"),
      {"manactl/links.json", "\"links\": [", "\"links\": [" + link_text(21, 20)},
      {"manactl/addresses.json",
       "\"index\": 2,\n   \"text\": \"10.0.0.4\"",
       "\"index\": 21,\n   \"text\": \"10.0.0.4\""}};
  for (const std::string mac : {"00:0d:3a:76:3b:d0", "00:0d:3a:76:3b:d1"}) {
    const std::string master = "\"mac\": \"" + mac + "\",\n   \"master\": ";
    edits.push_back({"manactl/links.json", master + "null", master + "20"});
  }
  EXPECT_THAT(carried_by("eth0", edits), Contains(kSession));
  EXPECT_THAT(carried_by("eth1", edits), ElementsAre(kSession));
}

TEST(CarriedTraffic, AssignsASessionToEveryInterfaceWithItsAddress) {
  const test::Edit twice{"manactl/addresses.json",
                         "\"addresses\": [",
                         R"("addresses": [{"index": 3, "text": "10.0.0.4", "prefix_length": 24},)"};
  EXPECT_THAT(carried_by("eth0", {twice}), Contains(kSession));
  EXPECT_THAT(carried_by("eth1", {twice}), ElementsAre(kSession));
}

TEST(CarriedTraffic, SurvivesCyclesOfLinks) {
  EXPECT_THAT(carried_by("eth1", {with_upper("vlan", "20"), kAddressOfUpper}),
              ElementsAre(std::string(kSession) + " (perhaps, through upper0)"));
}

TEST(CarriedTraffic, ListsTheDefaultRouteForEveryNextHop) {
  const std::string routes = R"({"routes": [{"destination": "default", "gateway": "10.0.0.1",
                                 "outputs": [2, 3], "table": 254, "metric": 100}]})";
  EXPECT_THAT(carried_by("eth1", {{"manactl/routes.json", "", routes}}),
              ElementsAre("default route", kSession))
      << "replies of the session may use it";
  EXPECT_THAT(carried_by("eth0", {{"manactl/routes.json", "", routes}}),
              ElementsAre("default route", kSession));
}

TEST(CarriedTraffic, OmitsUnusedDefaultRoutes) {
  const std::string second_default =
      "\"10.0.1.1\",\n   \"outputs\": [\n    3\n   ],\n   \"table\": 254,\n   \"metric\": ";
  EXPECT_THAT(carried_by("eth1", {}), Not(Contains("default route")));
  const test::Edit same_metric{
      "manactl/routes.json", second_default + "200", second_default + "100"};
  EXPECT_THAT(carried_by("eth1", {same_metric}), Contains("default route"));
}

TEST(CarriedTraffic, ListsTheDefaultRouteThatReplacesOneWithoutCarrier) {
  // No running link has the index of eth0, so packets use eth1 regardless of its metric.
  const test::Edit no_carrier{"manactl/links.json", "\"index\": 2,", R"("index": 2000,)"};
  EXPECT_THAT(carried_by("eth1", {no_carrier}), Contains("default route"));
}

TEST(CarriedTraffic, ListsTheDefaultRouteOfEveryTable) {
  const std::string routes = R"({"routes": [
      {"destination": "default", "gateway": "10.0.0.1", "outputs": [2], "table": 254, "metric": 100},
      {"destination": "default", "gateway": "10.0.1.1", "outputs": [3], "table": 7, "metric": 900}
      ]})";
  EXPECT_THAT(carried_by("eth1", {{"manactl/routes.json", "", routes}}), Contains("default route"));
}

TEST(CarriedTraffic, AssignsASessionThroughATunnelToEveryNic) {
  // The NIC that the tunnel uses is not known.
  const std::vector<test::Edit> edits = {with_upper("wireguard", "null"), kAddressOfUpper};
  const std::string perhaps = std::string(kSession) + " (perhaps, through upper0)";
  EXPECT_THAT(carried_by("eth0", edits), Contains(perhaps));
  EXPECT_THAT(carried_by("eth1", edits), Contains(perhaps));
}

TEST(CarriedTraffic, IsIncompleteIfAKernelReplyIsMissing) {
  const std::string denied = R"({"error": {"code": "denied", "message": "no"}})";
  EXPECT_TRUE(facts_of("ubuntu-two-nics").carries_complete);
  for (const char* path :
       {"manactl/routes.json", "manactl/sockets.json", "manactl/addresses.json"}) {
    const Facts facts = facts_of("ubuntu-two-nics", {{path, "", denied}});
    ASSERT_FALSE(facts.carries_complete) << path;
    EXPECT_EQ(facts.carries_complete.error().code, Errc::denied);
  }
}

TEST(CarriedTraffic, ListsWhatIsKnownIfTheRoutesAreNot) {
  const std::string denied = R"({"error": {"code": "denied", "message": "no"}})";
  EXPECT_THAT(carried_by("eth0", {{"manactl/routes.json", "", denied}}), ElementsAre(kSession));
}

// A recursive search would need one stack frame per link.
TEST(CarriedTraffic, FollowsAChainOfAThousandLinks) {
  constexpr int kFirst = 1000, kLast = 2000;
  std::string links = "\"links\": [";
  for (int i = kFirst; i < kLast; ++i) links += link_text(i, i + 1);
  links += link_text(kLast, 2);
  const test::Edit chain{"manactl/links.json", "\"links\": [", links};
  const test::Edit address{
      "manactl/addresses.json",
      "\"addresses\": [",
      R"("addresses": [{"index": 1000, "text": "10.9.9.9", "prefix_length": 24},)"};
  const test::Edit session{
      "manactl/process.json", "10.1.0.9 50122 10.0.0.4 22", "10.1.0.8 50122 10.9.9.9 22"};
  EXPECT_THAT(carried_by("eth0", {chain, address, session}), Contains("SSH session from 10.1.0.8"));
}

// SSH sessions from 10.2.<i>.1 to a local address.
test::Edit with_sessions(int count, const std::string& local) {
  std::string sockets = R"({"tcp": [{"listening": true, "local_address": "", "remote_address": "",
                            "local_port": 22, "remote_port": 0, "inode": 1})";
  for (int i = 0; i < count; ++i) {
    sockets += R"(, {"listening": false, "local_address": ")" + local +
               R"(", "remote_address": "10.2.)" + std::to_string(i) +
               R"(.1", "local_port": 22, "remote_port": 1, "inode": 2})";
  }
  return {"manactl/sockets.json", "", sockets + "]}"};
}

TEST(CarriedTraffic, LimitsTheNumberOfSessionsOfANic) {
  EXPECT_EQ(carried_by("eth0", {with_sessions(300, "10.0.0.4")}).size(), 100U);
}

TEST(CarriedTraffic, IsIncompleteIfTheSearchWouldTakeTooLong) {
  std::string addresses = R"({"addresses": [{"index": 2, "text": "10.9.9.9", "prefix_length": 24})";
  for (int i = 0; i < 3000; ++i) {
    addresses += R"(, {"index": 3, "text": "10.9.9.9", "prefix_length": 24})";
  }
  const Facts facts =
      facts_of("ubuntu-two-nics",
               {with_sessions(2000, "10.9.9.9"), {"manactl/addresses.json", "", addresses + "]}"}});
  ASSERT_FALSE(facts.carries_complete);
  EXPECT_EQ(facts.carries_complete.error().code, Errc::invalid);
  EXPECT_THAT(facts.carries_complete.error().message, HasSubstr("there are too many"));
  EXPECT_EQ(facts.find_nic("eth1")->carries.size(), 100U);
}

TEST(WorkLimit, EndsAfterItsStepsAndStaysExceeded) {
  WorkLimit limit;
  EXPECT_TRUE(limit.take(WorkLimit::kMaxSteps - 1));
  EXPECT_TRUE(limit.take(1));
  EXPECT_FALSE(limit.is_exceeded());
  EXPECT_FALSE(limit.take(1));
  EXPECT_TRUE(limit.is_exceeded());
  EXPECT_FALSE(limit.take(0));
}

}  // namespace
}  // namespace manactl::host::carried_traffic_test
