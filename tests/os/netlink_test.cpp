// SPDX-License-Identifier: MIT

#include "os/netlink.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>

#include <cerrno>

#include "os/attributes.h"

namespace manactl::os::netlink_test {
namespace {

constexpr std::uint32_t kSequence = 7;

std::string message(unsigned type, unsigned flags, std::string_view body, std::uint32_t sequence) {
  auto bytes = encode_request(type, flags, body);
  auto header = *leading<nlmsghdr>(bytes);
  header.nlmsg_seq = sequence;
  bytes.replace(0, sizeof(header), bytes_of(header));
  bytes.resize(netlink_aligned(bytes.size()));
  return bytes;
}

std::string status(int number) {
  return std::string(bytes_of(std::int32_t{-number}));
}

TEST(Netlink, CollectsMessagesUntilDone) {
  NetlinkReply reply;
  decode_datagram(message(16, NLM_F_MULTI, "abc", kSequence) + message(17, 0, "d", kSequence),
                  kSequence,
                  reply);
  EXPECT_FALSE(reply.complete);
  decode_datagram(message(NLMSG_DONE, 0, status(0), kSequence), kSequence, reply);
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(reply.error, 0);
  ASSERT_EQ(reply.messages.size(), 2U);
  EXPECT_EQ(reply.messages[0].body, "abc");
  EXPECT_EQ(reply.messages[1].type, 17U);
}

TEST(Netlink, ReportsTheErrnoAndTheInterruption) {
  NetlinkReply reply;
  decode_datagram(message(16, NLM_F_DUMP_INTR, "", kSequence) +
                      message(NLMSG_ERROR, 0, status(EPERM), kSequence),
                  kSequence,
                  reply);
  EXPECT_TRUE(reply.interrupted);
  EXPECT_EQ(reply.error, EPERM);
}

TEST(Netlink, IgnoresRepliesToOtherRequests) {
  NetlinkReply reply;
  decode_datagram(message(16, NLM_F_DUMP_INTR, "x", kSequence + 1) +
                      message(NLMSG_NOOP, 0, "", kSequence) + message(17, 0, "y", kSequence),
                  kSequence,
                  reply);
  ASSERT_EQ(reply.messages.size(), 1U);
  EXPECT_EQ(reply.messages[0].body, "y");
  EXPECT_FALSE(reply.interrupted);
  EXPECT_FALSE(reply.complete);
}

TEST(Netlink, EndsWithTheFirstStatus) {
  for (const auto type : std::initializer_list<unsigned>{NLMSG_ERROR, NLMSG_DONE}) {
    NetlinkReply reply;
    decode_datagram(
        message(type, 0, "", kSequence) + message(16, 0, "late", kSequence), kSequence, reply);
    EXPECT_TRUE(reply.complete) << type;
    EXPECT_EQ(reply.error, 0) << "an empty status is a success";
    EXPECT_TRUE(reply.messages.empty());
  }
}

TEST(Netlink, IsNothingByDefault) {
  const NetlinkReply reply;
  EXPECT_FALSE(reply.complete || reply.interrupted);
  EXPECT_EQ(reply.error, 0);
  EXPECT_EQ(NetlinkMessage{}.type, 0U);
}

TEST(Netlink, IgnoresMessagesWithAWrongLength) {
  for (const unsigned length : {0U, 15U, 21U, 1000U}) {
    auto bytes = message(16, 0, "body", kSequence);
    bytes.replace(0, sizeof(length), bytes_of(length));
    NetlinkReply reply;
    decode_datagram(bytes, kSequence, reply);
    EXPECT_TRUE(reply.messages.empty()) << length;
  }
}

TEST(Netlink, StopsAtATruncatedMessage) {
  const auto whole = message(16, 0, "abcdefgh", kSequence);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    NetlinkReply reply;
    decode_datagram(whole.substr(0, length), kSequence, reply);
    EXPECT_TRUE(reply.messages.empty()) << length;
    EXPECT_FALSE(reply.complete) << length;
  }
}

TEST(Netlink, ReportsAMissingProtocol) {
  constexpr int kNoProtocol = 31;  // the highest protocol, MAX_LINKS - 1; unused
  const auto result = send_netlink_request(kNoProtocol, encode_request(16, NLM_F_REQUEST, ""));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::unsupported);
}

TEST(Attributes, AreReadUntilOneIsMalformed) {
  std::string bytes;
  append_attribute(bytes, 3, std::string_view("eth0\0", 5));
  append_attribute(bytes, 0x8000U | 4U, bytes_of(std::uint32_t{1500}));
  std::string_view rest(bytes);
  const auto name = next_attribute(rest);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->type, 3U);
  EXPECT_EQ(name->text(), "eth0");
  const auto mtu = next_attribute(rest);
  ASSERT_TRUE(mtu);
  EXPECT_EQ(mtu->type, 4U);  // the flag NLA_F_NESTED is removed
  EXPECT_EQ(mtu->u32(), 1500U);
  EXPECT_FALSE(next_attribute(rest));
  for (const auto length : {0U, 3U, 200U}) {
    std::string bad(bytes_of(static_cast<std::uint32_t>(length)));
    std::string_view view(bad);
    EXPECT_FALSE(next_attribute(view)) << length;
  }
}

}  // namespace
}  // namespace manactl::os::netlink_test
