// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/carried_traffic.h"
#include "host/facts.h"
#include "support/fixtures.h"

namespace manactl::host::remote_storage_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> carried_by(const std::string& nic, const std::vector<test::Edit>& edits) {
  const Facts facts = facts_of("ubuntu-two-nics", edits);
  const Nic* found = facts.find_nic(nic);
  return found == nullptr ? std::vector<std::string>{"no such NIC"} : found->carries;
}

test::Edit mounted(const std::string& server) {
  return {"proc/mounts",
          "sysfs /sys",
          server + ":/export / nfs4 rw,vers=4.2,proto=tcp,clientaddr=10.0.0.4,addr=" + server +
              " 0 0\nsysfs /sys"};
}

test::Edit connected(const std::string& from, const std::string& to) {
  return {"manactl/sockets.json",
          "\"tcp\": [",
          R"("tcp": [{"listening": false, "local_address": ")" + from +
              R"(", "local_port": 870, "remote_address": ")" + to +
              R"(", "remote_port": 2049, "inode": 0},)"};
}

TEST(RemoteStorage, IsCarriedByTheNicOfItsRoute) {
  const std::vector<test::Edit> root{mounted("10.0.1.77")};
  EXPECT_THAT(carried_by("eth1", root), ElementsAre("nfs4 mount at / (10.0.1.77)"));
  EXPECT_THAT(carried_by("eth0", root), Not(Contains("nfs4 mount at / (10.0.1.77)")));
  EXPECT_THAT(carried_by("eth1", {}), IsEmpty());
}

TEST(RemoteStorage, IsCarriedByTheNicOfItsConnection) {
  // The connection uses an address of eth1, as if a policy rule overrode the main table.
  const std::vector<test::Edit> root{mounted("10.0.0.77"), connected("10.0.1.4", "10.0.0.77")};
  EXPECT_THAT(carried_by("eth1", root), ElementsAre("nfs4 mount at / (10.0.0.77)"));
  EXPECT_THAT(carried_by("eth0", root), Not(Contains("nfs4 mount at / (10.0.0.77)")));
}

TEST(RemoteStorage, BehindTheGatewayUsesTheDefaultRoute) {
  EXPECT_THAT(carried_by("eth0", {mounted("192.0.2.9")}), Contains("nfs4 mount at / (192.0.2.9)"));
}

TEST(RemoteStorage, IncludesEveryMountOfAServer) {
  const test::Edit two{
      "proc/mounts",
      "sysfs /sys",
      "s:/a /a nfs4 addr=10.0.1.77 0 0\ns:/b /b nfs4 addr=10.0.1.77 0 0\nsysfs /sys"};
  const auto both = ElementsAre("nfs4 mount at /a (10.0.1.77)", "nfs4 mount at /b (10.0.1.77)");
  EXPECT_THAT(carried_by("eth1", {two}), both);
  EXPECT_THAT(carried_by("eth1", {two, connected("10.0.1.4", "10.0.1.77")}), both);
}

TEST(RemoteStorage, IsCarriedByTheNicOfEachConnection) {
  const std::vector<test::Edit> root{
      mounted("192.0.2.9"), connected("10.0.0.4", "192.0.2.9"), connected("10.0.1.4", "192.0.2.9")};
  EXPECT_THAT(carried_by("eth0", root), Contains("nfs4 mount at / (192.0.2.9)"));
  EXPECT_THAT(carried_by("eth1", root), ElementsAre("nfs4 mount at / (192.0.2.9)"));
}

TEST(RemoteStorage, IsFoundBehindThousandsOfConnectionsAndMounts) {
  std::string mounts;
  for (int i = 0; i < 3000; ++i) mounts += "s:/a /a" + std::to_string(i) + " nfs4 addr=10.0.0.77\n";
  std::string sockets = R"({"tcp": [)";
  for (int i = 0; i < 2000; ++i) {
    sockets += R"({"listening": false, "local_address": "10.0.0.4", "local_port": 870,
                   "remote_address": "10.0.0.77", "remote_port": 2049, "inode": 0},)";
  }
  sockets.back() = ']';
  const std::vector<test::Edit> edits{{"proc/mounts", "", mounts + "s:/b /b nfs4 addr=10.0.1.77\n"},
                                      {"manactl/sockets.json", "", sockets + "}"}};
  EXPECT_TRUE(facts_of("ubuntu-two-nics", edits).carries_complete);
  EXPECT_EQ(carried_by("eth0", edits).size(), 100U);
  EXPECT_THAT(carried_by("eth1", edits), ElementsAre("nfs4 mount at /b (10.0.1.77)"));
}

TEST(RemoteStorage, OnThisMachineIsNotRemote) {
  EXPECT_THAT(carried_by("eth0", {mounted("127.0.0.1")}),
              Not(Contains("nfs4 mount at / (127.0.0.1)")));
  EXPECT_THAT(carried_by("eth0", {mounted("::1")}), Not(Contains("nfs4 mount at / (::1)")));
}

TEST(RemoteStorage, IncludesIscsiSessions) {
  const test::Edit address{"sys/class/iscsi_connection/connection1:0/address", "", "10.0.1.60\n"};
  EXPECT_THAT(carried_by("eth1", {address}), ElementsAre("iSCSI session (10.0.1.60)"));
}

TEST(RemoteStorage, IncludesIscsiSessionsThatReconnect) {
  const std::string connection = "sys/class/iscsi_connection/connection1:0/";
  EXPECT_THAT(carried_by("eth1",
                         {{connection + "address", "", "<NULL>\n"},
                          {connection + "persistent_address", "", "10.0.1.60\n"}}),
              ElementsAre("iSCSI session (10.0.1.60)"));
}

os::Route route(std::string destination, int output, unsigned table, std::uint32_t metric) {
  os::Route made;
  made.destination = std::move(destination);
  made.outputs = {output};
  made.table = table;
  made.metric = metric;
  return made;
}

TEST(OutputsTo, PrefersTheLongestPrefixThenTheSmallestMetricOfEachTable) {
  const std::vector<os::Route> routes{route("default", 1, 254, 0),
                                      route("10.0.0.0/8", 2, 254, 100),
                                      route("10.1.0.0/17", 3, 254, 200),
                                      route("10.1.0.0/17", 4, 254, 100),
                                      route("10.1.0.5", 5, 254, 900),
                                      route("10.1.128.0/17", 6, 254, 0),
                                      route("default", 7, 9, 0)};
  EXPECT_THAT(outputs_to("10.1.0.6", routes), ElementsAre(7, 4));
  EXPECT_THAT(outputs_to("10.1.0.5", routes), ElementsAre(7, 5));
  EXPECT_THAT(outputs_to("10.9.9.9", routes), ElementsAre(7, 2));
  EXPECT_THAT(outputs_to("11.0.0.1", routes), ElementsAre(7, 1));
}

TEST(OutputsTo, IgnoresMalformedDestinations) {
  for (const char* destination : {"10.1.0.0/", "10.1.0.0/x", "10.1.0.0/33", "10.1.0/8", "x/8"}) {
    EXPECT_THAT(outputs_to("10.1.0.6", {route(destination, 1, 254, 0)}), IsEmpty()) << destination;
  }
}

TEST(OutputsTo, SeparatesIpv4AndIpv6) {
  auto six = route("default", 2, 254, 0);
  six.ipv6 = true;
  const std::vector<os::Route> routes{
      route("default", 1, 254, 0), six, route("2001:db8::/32", 3, 254, 0)};
  EXPECT_THAT(outputs_to("2001:db8::9", routes), ElementsAre(3));
  EXPECT_THAT(outputs_to("fd00::1", routes), ElementsAre(2));
  EXPECT_THAT(outputs_to("192.0.2.1", routes), ElementsAre(1));
  EXPECT_THAT(outputs_to("server.example", routes), IsEmpty());
}

}  // namespace
}  // namespace manactl::host::remote_storage_test
