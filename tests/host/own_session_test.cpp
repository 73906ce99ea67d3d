// SPDX-License-Identifier: MIT
//
// Sessions whose NIC the local address does not show, and logins without a visible connection.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "host/gather.h"
#include "support/fixtures.h"

namespace manactl::host::own_session_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kSession = "SSH session from 10.1.0.9";
const std::string kPerhaps = std::string(kSession) + " (perhaps, ";

// The captured links with the routes of a test. Keeps the requests.
class RoutedLinks final : public os::Links {
 public:
  explicit RoutedLinks(os::Links& real) : real_(real) {}

  Result<std::vector<os::Link>> links() const override { return real_.links(); }

  Result<std::vector<os::Address>> addresses() const override { return real_.addresses(); }

  Result<std::vector<os::Route>> routes() const override { return real_.routes(); }

  Result<std::vector<int>> find_outputs(const os::RouteQuery& query) const override {
    queries.push_back(query);
    if (!query.source.empty() && query.source == rejected_source) {
      return fail_errno(EINVAL, "cannot find the route");
    }
    const auto found = outputs.find(query.destination);
    if (found == outputs.end()) return fail_errno(ENETUNREACH, "cannot find the route");
    return found->second;
  }

  std::map<std::string, std::vector<int>> outputs;
  std::string rejected_source;
  mutable std::vector<os::RouteQuery> queries;

 private:
  os::Links& real_;
};

// A VM with two NICs, eth0 (index 2) and eth1 (index 3), and a session through eth0.
struct Vm {
  explicit Vm(const std::vector<test::Edit>& edits = {}, const test::SymbolicLinks& processes = {})
      : captured(test::edited_system("ubuntu-two-nics", edits, processes)),
        links(captured->system().links) {}

  Facts facts(SshSearch ssh_search = SshSearch::quick) {
    const auto other = captured->system();
    return gather({other.files,
                   links,
                   other.ethtool,
                   other.rdma,
                   other.verbs,
                   other.devices,
                   other.modules,
                   other.process,
                   other.sockets,
                   other.kernel_log},
                  ssh_search);
  }

  std::unique_ptr<host::CapturedSystem> captured;
  RoutedLinks links;
};

std::vector<std::string> carried_by(const std::string& nic,
                                    const std::vector<test::Edit>& edits,
                                    const test::SymbolicLinks& processes = {},
                                    SshSearch ssh_search = SshSearch::quick) {
  const auto captured = test::edited_system("ubuntu-two-nics", edits, processes);
  return gather(captured->system(), ssh_search).find_nic(nic)->carries;
}

// The socket of the session, and SSH_CONNECTION, with another local address.
std::vector<test::Edit> with_local_address(const std::string& local) {
  return {{"manactl/sockets.json",
           "\"local_address\": \"10.0.0.4\"",
           "\"local_address\": \"" + local + "\""},
          {"manactl/process.json", "50122 10.0.0.4 22", "50122 " + local + " 22"}};
}

const test::Edit kNoSshConnection{"manactl/process.json", "10.1.0.9 50122 10.0.0.4 22", ""};
const test::Edit kNoSockets{"manactl/sockets.json", "", R"({"tcp": []})"};

test::Edit with_server(const std::string& name) {
  return {"proc/1398/stat", "(sshd)", "(" + name + ")"};
}

TEST(OwnSession, MayUseEveryNicIfItsAddressIsOnLoopback) {
  // A load balancer with a floating IP address, or direct server return.
  auto edits = with_local_address("20.1.2.3");
  edits.push_back({"manactl/addresses.json",
                   "\"addresses\": [",
                   R"("addresses": [{"index": 1, "text": "20.1.2.3", "prefix_length": 32},)"});
  for (const char* nic : {"eth0", "eth1"}) {
    EXPECT_THAT(carried_by(nic, edits), Contains(kPerhaps + "through lo)")) << nic;
  }
}

TEST(OwnSession, MayUseEveryNicIfNoInterfaceHasItsAddress) {
  // AnyIP: "ip route add local 10.77.0.0/16 dev lo".
  EXPECT_THAT(carried_by("eth1", with_local_address("10.77.0.1")),
              ElementsAre(kPerhaps + "because no interface has its local address 10.77.0.1)"));
}

TEST(OwnSession, MayUseEveryNicIfItsPeerIsOnThisMachine) {
  // Reverse tunnels, and proxies such as sslh.
  for (const std::string peer : {"127.0.0.1", "10.0.0.4"}) {
    const std::vector<test::Edit> edits{
        {"manactl/sockets.json", "10.1.0.9", peer},
        {"manactl/process.json", "10.1.0.9 50122", peer + " 50122"}};
    EXPECT_THAT(carried_by("eth1", edits),
                ElementsAre("SSH session from " + peer + " (perhaps, because its peer " + peer +
                            " is on this machine)"));
  }
}

TEST(OwnSession, UsesTheNicByWhichItsRepliesLeave) {
  Vm vm;
  vm.links.outputs["10.1.0.9"] = {3};
  const auto facts = vm.facts();
  EXPECT_THAT(facts.find_nic("eth0")->carries, Contains(kSession));
  EXPECT_THAT(facts.find_nic("eth1")->carries, ElementsAre(kSession));
  const auto query = std::ranges::find(vm.links.queries, "10.1.0.9", &os::RouteQuery::destination);
  ASSERT_NE(query, vm.links.queries.end());
  EXPECT_EQ(query->source, "10.0.0.4");
  EXPECT_EQ(query->source_port, 22);
  EXPECT_EQ(query->destination_port, 50122);
}

TEST(OwnSession, FindsItsRepliesWithoutASourceThatTheKernelRejects) {
  // The local address belongs to the network namespace of a container (DNAT).
  Vm vm(with_local_address("172.17.0.2"));
  vm.links.outputs["10.1.0.9"] = {3};
  vm.links.rejected_source = "172.17.0.2";
  EXPECT_THAT(vm.facts().find_nic("eth1")->carries, Contains(kSession));
}

TEST(OwnSession, UsesEveryNextHopOfTheRouteInACapturedTree) {
  const test::Edit both{"manactl/routes.json", "", R"({"routes": [{"destination": "10.1.0.0/16",
      "gateway": "10.0.0.1", "outputs": [2, 3], "table": 254, "metric": 0}]})"};
  EXPECT_THAT(carried_by("eth1", {both}), ElementsAre(kSession));
}

TEST(OwnSession, MayUseEveryNicIfItsConnectionIsInAnotherNetworkNamespace) {
  // nsenter from a container with sshd: its sockets are not listed, and sudo removed
  // SSH_CONNECTION.
  for (const auto& edits : {std::vector<test::Edit>{kNoSshConnection, kNoSockets}, {kNoSockets}}) {
    EXPECT_THAT(carried_by("eth1", edits),
                ElementsAre("login through sshd (perhaps, because its connection is not in this "
                            "network namespace)"));
  }
  EXPECT_THAT(carried_by("eth1", {kNoSshConnection}), IsEmpty());
}

TEST(OwnSession, IsFoundInTheEnvironmentOfAnAncestor) {
  const std::vector<test::Edit> edits{
      with_server("init"),
      kNoSockets,
      {"manactl/process.json",
       "\"ssh_connection\": \"10.1.0.9 50122 10.0.0.4 22\"",
       R"("ssh_connections": ["10.1.0.9 50122 10.0.0.4 22", "10.1.0.8 7 10.0.1.4 2222"])"}};
  EXPECT_THAT(carried_by("eth0", edits), Contains(kSession));
  EXPECT_THAT(carried_by("eth1", edits), ElementsAre("SSH session from 10.1.0.8"));
}

TEST(OwnSession, HasAScopeIdIfItsAddressIsLinkLocal) {
  const std::vector<test::Edit> edits{with_server("init"),
                                      kNoSockets,
                                      {"manactl/process.json",
                                       "10.1.0.9 50122 10.0.0.4 22",
                                       "fe80::9%eth1 50122 fe80::20d:3aff:fe76:3bd1%eth1 22"}};
  EXPECT_THAT(carried_by("eth1", edits), ElementsAre("SSH session from fe80::9%eth1"));
  EXPECT_THAT(carried_by("eth0", edits), Not(Contains(HasSubstr("SSH session"))));
}

TEST(OwnSession, ThroughMoshMayUseEveryNic) {
  const std::string login =
      "login through mosh-server (perhaps, because the connection of "
      "mosh-server is not known)";
  EXPECT_THAT(carried_by("eth1", {kNoSshConnection, kNoSockets, with_server("mosh-server")}),
              ElementsAre(login));
  EXPECT_THAT(carried_by("eth1", {with_server("mosh-server")}), ElementsAre(login))
      << "the connection that started mosh-server does not show its present one";
}

TEST(OwnSession, IncludesMoshOfOtherUsersIfEveryProcessIsRead) {
  const test::SymbolicLinks mosh{{"proc/800/exe", "/usr/bin/mosh-server"},
                                 {"proc/800/fd/4", "socket:[5]"}};
  EXPECT_THAT(carried_by("eth1", {}, mosh, SshSearch::every_process),
              ElementsAre(HasSubstr("login through mosh-server (perhaps")));
  EXPECT_THAT(carried_by("eth1", {}, mosh), IsEmpty());
}

// A connection to port 2222 of eth1, whose listening socket is visible.
std::vector<test::Edit> with_connection(int inode) {
  return {{"manactl/sockets.json",
           "\"tcp\": [",
           R"("tcp": [{"listening": true, "local_address": "::", "remote_address": "::",
               "local_port": 2222, "remote_port": 0, "inode": 901},
              {"listening": false, "local_address": "10.0.1.4", "remote_address": "10.3.0.3",
               "local_port": 2222, "remote_port": 4711, "inode": )" +
               std::to_string(inode) + "},"}};
}

TEST(Connection, IsPerhapsASessionIfNoVisibleProcessHasItOpen) {
  // In a container with a PID namespace of its own, the host's sshd is not visible.
  EXPECT_THAT(carried_by("eth1", with_connection(902), {}, SshSearch::every_process),
              ElementsAre("connection from 10.3.0.3 to port 2222 (perhaps an SSH session: no "
                          "process that manactl can see has it open)"));
  EXPECT_THAT(carried_by("eth1", with_connection(902)), IsEmpty());
}

TEST(Connection, IsNotASessionIfAnotherProgramHasItOpen) {
  const test::SymbolicLinks web{{"proc/702/exe", "/usr/sbin/nginx"},
                                {"proc/702/fd/4", "socket:[902]"}};
  EXPECT_THAT(carried_by("eth1", with_connection(902), web, SshSearch::every_process), IsEmpty());
  EXPECT_THAT(carried_by("eth1", with_connection(0), {}, SshSearch::every_process), IsEmpty())
      << "no process has accepted it yet";
}

TEST(AzureServices, AreCarriedByTheNicOfAWiderRoute) {
  const test::Edit wide{"manactl/routes.json", "", R"({"routes": [
      {"destination": "default", "gateway": "10.0.0.1", "outputs": [2], "table": 254, "metric": 0},
      {"destination": "168.63.0.0/16", "gateway": "", "outputs": [3], "table": 254, "metric": 0}
      ]})"};
  EXPECT_THAT(carried_by("eth1", {wide}),
              ElementsAre("route to Azure's wire server (168.63.129.16)"));
  EXPECT_THAT(carried_by("eth0", {wide}), ElementsAre("default route", kSession));
}

TEST(AzureServices, FollowTheRouteOfTheKernel) {
  Vm vm;
  vm.links.outputs["169.254.169.254"] = {3};
  EXPECT_THAT(vm.facts().find_nic("eth1")->carries,
              ElementsAre("route to the instance metadata service (169.254.169.254)"));
}

TEST(NextHops, OfUnknownRoutesMayUseEveryNic) {
  const test::Edit unknown{"manactl/routes.json", "", R"({"routes": [
      {"destination": "default", "gateway": "", "outputs": [], "table": 254, "metric": 0},
      {"destination": "10.9.0.0/16", "gateway": "", "outputs": [], "table": 254, "metric": 0}]})"};
  EXPECT_THAT(carried_by("eth1", {unknown}),
              AllOf(Contains(HasSubstr("default route (perhaps")),
                    Contains(HasSubstr("route to 10.9.0.0/16 (perhaps"))));
}

}  // namespace
}  // namespace manactl::host::own_session_test
