// SPDX-License-Identifier: MIT

#include "os/netlink.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>

#include <cerrno>

#include "os/attributes.h"

namespace manactl::os {
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
  Answers answers;
  decode_datagram(message(16, NLM_F_MULTI, "abc", kSequence) + message(17, 0, "d", kSequence),
                  kSequence,
                  answers);
  EXPECT_FALSE(answers.complete);
  decode_datagram(message(NLMSG_DONE, 0, status(0), kSequence), kSequence, answers);
  EXPECT_TRUE(answers.complete);
  EXPECT_EQ(answers.error, 0);
  ASSERT_EQ(answers.messages.size(), 2U);
  EXPECT_EQ(answers.messages[0].body, "abc");
  EXPECT_EQ(answers.messages[1].type, 17U);
}

TEST(Netlink, KeepsTheErrnoAndTheInterruption) {
  Answers answers;
  decode_datagram(message(16, NLM_F_DUMP_INTR, "", kSequence) +
                      message(NLMSG_ERROR, 0, status(EPERM), kSequence),
                  kSequence,
                  answers);
  EXPECT_TRUE(answers.interrupted);
  EXPECT_EQ(answers.error, EPERM);
}

TEST(Netlink, IgnoresAnswersToOtherQuestions) {
  Answers answers;
  decode_datagram(message(16, 0, "x", kSequence + 1), kSequence, answers);
  EXPECT_TRUE(answers.messages.empty());
}

TEST(Netlink, EndsAtAMessageThatIsCutShort) {
  const auto whole = message(16, 0, "abcdefgh", kSequence);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    Answers answers;
    decode_datagram(whole.substr(0, length), kSequence, answers);
    EXPECT_TRUE(answers.messages.empty()) << length;
    EXPECT_FALSE(answers.complete) << length;
  }
}

TEST(Netlink, SaysThatTheKernelLacksAProtocol) {
  constexpr int kNoProtocol = 31;  // the highest number there can be; nobody uses it
  const auto refused = ask_netlink(kNoProtocol, encode_request(16, NLM_F_REQUEST, ""));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unsupported);
}

TEST(Attributes, AreReadUntilOneIsMalformed) {
  std::string bytes;
  append_attribute(bytes, 3, std::string_view("eth0", 5));
  append_attribute(bytes, 0x8000U | 4U, bytes_of(std::uint32_t{1500}));
  std::string_view rest(bytes);
  const auto name = next_attribute(rest);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->type, 3U);
  EXPECT_EQ(name->text(), "eth0");
  const auto mtu = next_attribute(rest);
  ASSERT_TRUE(mtu);
  EXPECT_EQ(mtu->type, 4U);  // without the flag for nesting
  EXPECT_EQ(mtu->u32(), 1500U);
  EXPECT_FALSE(next_attribute(rest));
  for (const auto length : {0U, 3U, 200U}) {
    std::string bad(bytes_of(static_cast<std::uint32_t>(length)));
    std::string_view view(bad);
    EXPECT_FALSE(next_attribute(view)) << length;
  }
}

}  // namespace
}  // namespace manactl::os
