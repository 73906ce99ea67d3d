// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/carried_traffic.h"
#include "host/facts.h"
#include "host/gather.h"
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

// Every user can open a connection to the server, so a connection adds a NIC and excludes none.
TEST(RemoteStorage, IsCarriedByTheNicsOfItsConnectionAndOfItsRoute) {
  // The connection uses an address of eth1, as if a policy rule overrode the main table.
  const std::vector<test::Edit> root{mounted("10.0.0.77"), connected("10.0.1.4", "10.0.0.77")};
  EXPECT_THAT(carried_by("eth1", root), ElementsAre("nfs4 mount at / (10.0.0.77)"));
  EXPECT_THAT(carried_by("eth0", root), Contains("nfs4 mount at / (10.0.0.77)"));
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
  const std::vector<test::Edit> edits{{"proc/1398/stat", "(sshd)", "(init)"},
                                      {"proc/mounts", "", mounts + "s:/b /b nfs4 addr=10.0.1.77\n"},
                                      {"manactl/sockets.json", "", sockets + "}"}};
  EXPECT_TRUE(facts_of("ubuntu-two-nics", edits).carries_complete);
  EXPECT_EQ(carried_by("eth0", edits).size(), 100U);
  EXPECT_THAT(carried_by("eth1", edits), ElementsAre("nfs4 mount at /b (10.0.1.77)"));
}

// Azure Files mounts NFS with TLS through stunnel on this machine.
TEST(RemoteStorage, MayUseEveryNicThroughAProxyOnThisMachine) {
  constexpr const char* kPerhaps = "nfs4 mount at / (perhaps, because its server is not known)";
  EXPECT_THAT(carried_by("eth1", {mounted("127.0.0.1")}), ElementsAre(kPerhaps));
  EXPECT_THAT(carried_by("eth1", {mounted("::1")}), ElementsAre(kPerhaps));
}

TEST(RemoteStorage, IsUnknownIfTheMountsCannotBeRead) {
  const std::string filler((17U << 20U) - 1, ' ');
  const auto facts = facts_of("ubuntu-two-nics", {{"proc/mounts", "", filler + "\n"}});
  ASSERT_FALSE(facts.carries_complete);
  EXPECT_THAT(facts.carries_complete.error().message,
              ::testing::HasSubstr("cannot determine which NIC carries network storage"));
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

test::Edit mount_line(const std::string& line) {
  return {"proc/mounts", "sysfs /sys", line + " 0 0\nsysfs /sys"};
}

// A connection from an address of eth1.
test::Edit connection(const std::string& to, int port, int inode = 0) {
  return {"manactl/sockets.json",
          "\"tcp\": [",
          R"("tcp": [{"listening": false, "local_address": "10.0.1.4", "local_port": 870,
              "remote_address": ")" +
              to + R"(", "remote_port": )" + std::to_string(port) + R"(, "inode": )" +
              std::to_string(inode) + "},"};
}

struct MountCase {
  const char* name;
  const char* line;
  const char* traffic;  // of eth1
};

class MountsOfAServer : public ::testing::TestWithParam<MountCase> {};

TEST_P(MountsOfAServer, AreCarriedByTheNicOfItsRoute) {
  const auto carried = carried_by("eth1", {mount_line(GetParam().line)});
  EXPECT_THAT(carried, ElementsAre(GetParam().traffic));
}

constexpr MountCase kServers[] = {
    {"Ceph", "10.0.1.7:6789:/ /c ceph rw,name=a", "ceph mount at /c (10.0.1.7)"},
    {"CephOfTwoMonitors", "10.0.0.7,10.0.1.7:/ /c ceph rw", "ceph mount at /c (10.0.1.7)"},
    {"CephWithOptions",
     "a@1-2.fs=/ /c ceph rw,mon_addr=10.0.1.7:3300/10.0.0.8:3300",
     "ceph mount at /c (10.0.1.7)"},
    {"Lustre", "10.0.1.7@tcp:/fs /l lustre rw", "lustre mount at /l (10.0.1.7)"},
    {"Gluster", "10.0.1.7:/v /g fuse.glusterfs rw", "fuse.glusterfs mount at /g (10.0.1.7)"},
    {"Sshfs", "root@10.0.1.7:/ /s fuse.sshfs rw", "fuse.sshfs mount at /s (10.0.1.7)"},
    {"NineP", "10.0.1.7 /n 9p rw,trans=tcp,port=564", "9p mount at /n (10.0.1.7)"},
};

INSTANTIATE_TEST_SUITE_P(Types,
                         MountsOfAServer,
                         ::testing::ValuesIn(kServers),
                         [](const auto& mount) { return std::string(mount.param.name); });

TEST(RemoteStorage, MayUseEveryNicIfItsServerIsNotKnown) {
  for (const std::string line : {"mon1,mon2:/ /m ceph rw",
                                 "server:/volume /m fuse.glusterfs rw",
                                 "root@server:/ /m fuse.sshfs rw",
                                 "s3fs /m fuse.s3fs rw",
                                 "blobfuse2 /m fuse rw",
                                 "mountpoint-s3 /m fuse rw",
                                 "beegfs_nodev /m beegfs rw",
                                 "mgs@tcp:/fs /m lustre rw",
                                 "#example.org:root.cell /m afs rw"}) {
    const auto type = line.substr(line.find("/m ") + 3);
    const auto expected =
        type.substr(0, type.find(' ')) + " mount at /m (perhaps, because its server is not known)";
    for (const char* nic : {"eth0", "eth1"}) {
      EXPECT_THAT(carried_by(nic, {mount_line(line)}), Contains(expected)) << line << nic;
    }
  }
}

TEST(RemoteStorage, MayUseEveryNicWithoutARouteToItsServer) {
  EXPECT_THAT(
      carried_by("eth1", {mounted("2001:db8::7")}),
      ElementsAre("nfs4 mount at / (2001:db8::7) (perhaps, because its server is not known)"));
}

TEST(RemoteStorage, OmitsLocalMounts) {
  for (const std::string line : {"lxcfs /m fuse.lxcfs rw",
                                 "/dev/sdb1 /m fuseblk rw",
                                 "overlay /m fuse.fuse-overlayfs rw",
                                 "fusectl /m fusectl rw",
                                 "share /m 9p rw,trans=virtio",
                                 "overlay /m fuse rw"}) {
    EXPECT_THAT(carried_by("eth1", {mount_line(line)}), IsEmpty()) << line;
  }
}

TEST(RemoteStorage, IsCarriedByTheNicOfConnectionsToItsPorts) {
  // Monitors and storage daemons of Ceph have different addresses.
  const auto ceph = mount_line("mon1:/ /c ceph rw");
  EXPECT_THAT(carried_by("eth1", {ceph, connection("192.0.2.7", 6804)}),
              ElementsAre("ceph mount at /c"));
  EXPECT_THAT(carried_by("eth0", {ceph, connection("192.0.2.7", 6804)}),
              Not(Contains("ceph mount at /c")));
  EXPECT_THAT(carried_by("eth1", {ceph, connection("192.0.2.7", 7569)}),
              ElementsAre("ceph mount at /c (perhaps, because its server is not known)"));
}

TEST(RemoteStorage, IgnoresTheConnectionsOfProcessesToItsPorts) {
  const test::SymbolicLinks processes{{"proc/801/fd/3", "socket:[77]"}};
  const auto captured = test::edited_system("ubuntu-two-nics",
                                            {{"sys/block/nbd0/pid", "", "812\n"},
                                             {"proc/801/stat", "", "801 (nc) S 800 0\n"},
                                             connection("192.0.2.7", 10809, 77)},
                                            processes);
  const auto facts = gather(captured->system(), SshSearch::every_process);
  EXPECT_THAT(facts.find_nic("eth0")->carries,
              Contains("network disk nbd0 (perhaps, because its server is not known)"));
}

TEST(RemoteStorage, IncludesNvmeControllersOnTheNetwork) {
  const std::string path = "sys/class/nvme/nvme3/";
  const auto with = [&](const std::string& transport, const std::string& address) {
    return std::vector<test::Edit>{{path + "transport", "", transport + "\n"},
                                   {path + "address", "", address + "\n"}};
  };
  EXPECT_THAT(carried_by("eth1", with("tcp", "traddr=10.0.1.60,trsvcid=4420")),
              ElementsAre("NVMe/tcp disk nvme3 (10.0.1.60)"));
  EXPECT_THAT(carried_by("eth1", with("tcp", "traddr=192.0.2.1,trsvcid=4420,src_addr=10.0.1.4")),
              ElementsAre("NVMe/tcp disk nvme3 (192.0.2.1)"));
  EXPECT_THAT(carried_by("eth1", with("rdma", "")),
              ElementsAre("NVMe/rdma disk nvme3 (perhaps, because its server is not known)"));
  EXPECT_THAT(carried_by("eth1", with("pcie", "0000:00:00.0")), IsEmpty());
}

TEST(RemoteStorage, IncludesCephDisks) {
  EXPECT_THAT(carried_by("eth1", {{"sys/bus/rbd/devices/0/client_addr", "", "10.0.1.4:0/321\n"}}),
              ElementsAre("Ceph disk rbd0"));
  EXPECT_THAT(carried_by("eth1", {{"sys/bus/rbd/devices/0/pool", "", "rbd\n"}}),
              ElementsAre("Ceph disk rbd0 (perhaps, because its server is not known)"));
}

TEST(RemoteStorage, IncludesNetworkBlockDevices) {
  const test::Edit nbd{"sys/block/nbd0/pid", "", "812\n"};
  EXPECT_THAT(carried_by("eth1", {nbd, {"sys/block/nbd1/size", "", "0\n"}}),
              ElementsAre("network disk nbd0 (perhaps, because its server is not known)"));
  EXPECT_THAT(carried_by("eth1", {nbd, connection("192.0.2.9", 10809)}),
              ElementsAre("network disk nbd0"));
  EXPECT_THAT(carried_by("eth1",
                         {{"sys/block/drbd0/size", "", "2048\n"},
                          {"sys/block/drbd1/size", "", "0\n"},
                          connection("192.0.2.9", 7789)}),
              ElementsAre("network disk drbd0"));
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
