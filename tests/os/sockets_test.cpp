// SPDX-License-Identifier: MIT

#include "os/sockets.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "os/attributes.h"
#include "os/owned.h"
#include "os/socket_messages.h"

namespace manactl::os {
namespace {

inet_diag_msg message(unsigned char family, unsigned char state) {
  inet_diag_msg answer{};
  answer.idiag_family = family;
  answer.idiag_state = state;
  answer.id.idiag_sport = htons(22);
  answer.idiag_inode = 7;
  return answer;
}

TEST(SocketMessages, TellMappedAddressesAsIpv4) {
  auto answer = message(AF_INET6, TCP_ESTABLISHED);
  ASSERT_EQ(inet_pton(AF_INET6, "::ffff:10.0.0.4", answer.id.idiag_src), 1);
  ASSERT_EQ(inet_pton(AF_INET6, "fe80::1", answer.id.idiag_dst), 1);
  const auto socket = decode_tcp(bytes_of(answer));
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->local_address, "10.0.0.4");
  EXPECT_EQ(socket->remote_address, "fe80::1");
  EXPECT_EQ(socket->local_port, 22);
  EXPECT_EQ(socket->inode, 7U);
  EXPECT_FALSE(socket->listening);
}

TEST(SocketMessages, LeaveOutOtherStatesFamiliesAndShortOnes) {
  EXPECT_TRUE(decode_tcp(bytes_of(message(AF_INET, TCP_LISTEN)))->listening);
  EXPECT_FALSE(decode_tcp(bytes_of(message(AF_INET, TCP_TIME_WAIT))));
  EXPECT_FALSE(decode_tcp(bytes_of(message(AF_UNIX, TCP_LISTEN))));
  const auto whole = message(AF_INET, TCP_LISTEN);
  EXPECT_FALSE(decode_tcp(bytes_of(whole).substr(0, sizeof(whole) - 1)));
}

TEST(Sockets, ListALivingListener) {
  const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener.get(), generic, length), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), generic, &length), 0);

  struct stat status {};

  ASSERT_EQ(fstat(listener.get(), &status), 0);
  const auto all = open_sockets()->tcp();
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
}  // namespace manactl::os
