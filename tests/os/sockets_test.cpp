// SPDX-License-Identifier: MIT

#include "os/sockets.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstring>

#include "os/attributes.h"
#include "os/memory_files.h"
#include "os/netlink_messages.h"
#include "os/owned.h"

namespace manactl::os::sockets_test {
namespace {

inet_diag_msg message(unsigned char family, unsigned char state) {
  inet_diag_msg reply{};
  reply.idiag_family = family;
  reply.idiag_state = state;
  reply.id.idiag_sport = htons(22);
  reply.idiag_inode = 7;
  return reply;
}

TEST(SocketMessages, ConvertMappedAddressesToIpv4) {
  auto reply = message(AF_INET6, TCP_ESTABLISHED);
  ASSERT_EQ(inet_pton(AF_INET6, "::ffff:10.0.0.4", reply.id.idiag_src), 1);
  ASSERT_EQ(inet_pton(AF_INET6, "fe80::1", reply.id.idiag_dst), 1);
  const auto socket = decode_tcp(bytes_of(reply));
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->local_address, "10.0.0.4");
  EXPECT_EQ(socket->remote_address, "fe80::1");
  EXPECT_EQ(socket->local_port, 22);
  EXPECT_EQ(socket->inode, 7U);
  EXPECT_FALSE(socket->listening);
}

TEST(SocketMessages, ContainBothEnds) {
  auto reply = message(AF_INET, TCP_ESTABLISHED);
  reply.id.idiag_src[0] = htonl(0x0a000004);
  reply.id.idiag_dst[0] = htonl(0x0a010009);
  reply.id.idiag_dport = htons(50122);
  const auto socket = decode_tcp(bytes_of(reply));
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->local_address, "10.0.0.4");
  EXPECT_EQ(socket->remote_address, "10.1.0.9");
  EXPECT_EQ(socket->remote_port, 50122);
  EXPECT_FALSE(socket->listening);
}

// An IPv4 message whose unused words look like a mapped address.
TEST(SocketMessages, ConvertOnlyIpv6Addresses) {
  auto reply = message(AF_INET, TCP_ESTABLISHED);
  reply.id.idiag_src[2] = htonl(0xffff);
  reply.id.idiag_src[3] = htonl(0x0a000004);
  EXPECT_EQ(decode_tcp(bytes_of(reply))->local_address, "0.0.0.0");
}

TEST(SocketMessages, RejectOtherStatesOtherFamiliesAndTruncation) {
  EXPECT_TRUE(decode_tcp(bytes_of(message(AF_INET, TCP_LISTEN)))->listening);
  EXPECT_FALSE(decode_tcp(bytes_of(message(AF_INET, TCP_TIME_WAIT))));
  EXPECT_FALSE(decode_tcp(bytes_of(message(AF_UNIX, TCP_LISTEN))));
  const auto whole = message(AF_INET, TCP_LISTEN);
  EXPECT_FALSE(decode_tcp(bytes_of(whole).substr(0, sizeof(whole) - 1)));
}

constexpr const char* kLine =
    "   1: 0400000A:0016 0900010A:C3CA 01 00000000:00000000 02:0001 00000000     0        0 4711 2";

TEST(SocketMessages, ShowWhichInterfaceASocketIsBoundTo) {
  auto reply = message(AF_INET, TCP_CLOSE);
  reply.id.idiag_if = 4;
  EXPECT_EQ(decode_bound(bytes_of(reply), 4), 7U);
  EXPECT_EQ(decode_bound(bytes_of(reply), 5), std::nullopt);
  EXPECT_EQ(decode_bound(bytes_of(reply).substr(1), 4), std::nullopt);
}

TEST(SocketLines, ContainAddressesPortsAndInode) {
  const auto socket = decode_tcp_line(kLine);
  ASSERT_TRUE(socket);
  EXPECT_FALSE(socket->listening);
  EXPECT_EQ(socket->local_address, "10.0.0.4");
  EXPECT_EQ(socket->local_port, 22);
  EXPECT_EQ(socket->remote_address, "10.1.0.9");
  EXPECT_EQ(socket->remote_port, 50122);
  EXPECT_EQ(socket->inode, 4711U);
}

TEST(SocketLines, ConvertMappedAddressesToIpv4) {
  const auto socket = decode_tcp_line(
      " 0: 0000000000000000FFFF00000400000A:0016 000080FE000000000000000001000000:0000 0A"
      " 0:0 00:00000000 00000000 0 0 7 1");
  ASSERT_TRUE(socket);
  EXPECT_TRUE(socket->listening);
  EXPECT_EQ(socket->local_address, "10.0.0.4");
  EXPECT_EQ(socket->remote_address, "fe80::1");
}

TEST(SocketLines, RejectTheHeadingAndMalformedLines) {
  const std::string line(kLine);
  EXPECT_FALSE(
      decode_tcp_line("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when "
                      "retrnsmt   uid  timeout inode"));
  EXPECT_FALSE(decode_tcp_line(""));
  for (const auto& [good, bad] : {std::pair{"0016 ", "00160 "},
                                  {"0016 ", "001 "},
                                  {"0016 ", "00x6 "},
                                  {" 0900010A:", " 09000x0A:"},
                                  {" 0900010A:", " 0900010A0:"},
                                  {" 0900010A:", " 0900010A00:"},
                                  {" 01 ", " xx "}}) {
    auto changed = line;
    EXPECT_FALSE(decode_tcp_line(changed.replace(line.find(good), strlen(good), bad))) << bad;
  }
  EXPECT_FALSE(decode_tcp_line(std::string(line).replace(line.find(" 01 "), 4, " 06 ")));
  EXPECT_FALSE(decode_tcp_line(std::string(line).replace(line.find("0400"), 4, "04xx")));
  EXPECT_FALSE(decode_tcp_line(std::string(line).replace(line.find("0400"), 4, "04000")));
  EXPECT_FALSE(decode_tcp_line(std::string(line).replace(line.find("4711"), 4, "inode")));
  for (std::size_t length = 0; length < line.find("4711"); ++length) {
    EXPECT_FALSE(decode_tcp_line(line.substr(0, length)));
  }
}

// A sock_diag request would make the kernel load tcp_diag, so without it only /proc/net/tcp is
// read.
TEST(Sockets, AreReadFromProcfsIfTcpDiagIsNotLoaded) {
  MemoryFiles files;
  files.add_file("proc/net/tcp", std::string("  sl  local_address\n") + kLine + "\n");
  const auto without_ipv6 = open_sockets(files)->tcp();
  ASSERT_TRUE(without_ipv6) << without_ipv6.error().message;
  ASSERT_EQ(without_ipv6->size(), 1U);
  EXPECT_EQ(without_ipv6->front().inode, 4711U);
  files.add_file("proc/net/tcp6", kLine);
  EXPECT_EQ(open_sockets(files)->tcp()->size(), 2U);
  const MemoryFiles nothing;
  EXPECT_EQ(open_sockets(nothing)->tcp().error().code, Errc::not_found);
}

TEST(Sockets, AreReadWithNetlinkIfTcpDiagIsLoaded) {
  MemoryFiles files;
  files.add_file("proc/net/tcp", kLine);
  files.add_file("sys/module/tcp_diag/initstate", "live");
  const auto all = open_sockets(files)->tcp();
  const bool from_procfs = all && all->size() == 1 && all->front().inode == 4711;
  EXPECT_FALSE(from_procfs);
}

TEST(Sockets, ListAListener) {
  const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener.get(), generic, length), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), generic, &length), 0);

  struct stat status{};

  ASSERT_EQ(fstat(listener.get(), &status), 0);
  const auto files = open_files("/");
  ASSERT_TRUE(files);
  const auto all = open_sockets(**files)->tcp();
  ASSERT_TRUE(all) << all.error().message;
  bool found = false;
  for (const auto& one : *all) {
    if (one.inode != status.st_ino) continue;
    found = true;
    EXPECT_TRUE(one.listening);
    EXPECT_EQ(one.local_address, "127.0.0.1");
    EXPECT_EQ(one.local_port, ntohs(address.sin_port));
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace manactl::os::sockets_test
