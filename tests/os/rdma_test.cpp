// SPDX-License-Identifier: MIT

#include "os/rdma.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "os/attributes.h"
#include "os/netlink_messages.h"

namespace manactl::os::rdma_test {
namespace {

using namespace std::string_view_literals;

TEST(RdmaMessages, EncodeAChardevRequest) {
  EXPECT_EQ(encode_chardev_request(2),
            "\x24\x00\x00\x00\x0f\x14\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00"
            "\x0b\x00\x45\x00uverbs\x00\x00"
            "\x08\x00\x01\x00\x02\x00\x00\x00"sv);
}

TEST(RdmaMessages, EncodeDeviceAndPortRequests) {
  EXPECT_EQ(encode_device_dump(),
            "\x10\x00\x00\x00\x01\x14\x01\x03\x00\x00\x00\x00\x00\x00\x00\x00"sv);
  EXPECT_EQ(encode_port_request(1, 2).substr(4, 2), "\x05\x14"sv);
}

TEST(RdmaMessages, DecodeADevice) {
  const auto body =
      "\x08\x00\x01\x00\x01\x00\x00\x00"
      "\x0c\x00\x02\x00manae_0\x00"
      "\x08\x00\x03\x00\x02\x00\x00\x00"
      "\x05\x00\x05\x00\x00\x00\x00\x00"
      "\x05\x00\x0e\x00\x01\x00\x00\x00"
      "\x08\x00\x77\x00\xff\xff\xff\xff"sv;
  const auto device = decode_device(body);
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ(device->index, 1U);
  EXPECT_EQ(device->name, "manae_0");
  EXPECT_EQ(device->port_count, 2U);
  EXPECT_EQ(device->node_type, 1U);
  EXPECT_EQ(device->firmware, "");
}

TEST(RdmaMessages, DecodeNumbersOfEachSize) {
  const auto abi = [](std::string_view data) {
    std::string body;
    append_attribute(body, RDMA_NLDEV_ATTR_CHARDEV_NAME, "uverbs0");
    append_attribute(body, RDMA_NLDEV_ATTR_CHARDEV_ABI, data);
    append_attribute(body, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, data);
    return decode_chardev(body).value();
  };
  EXPECT_EQ(abi(bytes_of(std::uint64_t{1} << 40U)).abi, std::uint64_t{1} << 40U);
  EXPECT_EQ(abi(bytes_of(std::uint32_t{70000})).abi, 70000U);
  EXPECT_EQ(abi("\x05"sv).abi, 5U);
  EXPECT_EQ(abi("").abi, 0U);
  EXPECT_FALSE(abi("").driver_id);
}

TEST(RdmaMessages, NeedANameAndANumber) {
  std::string body;
  append_attribute(body, RDMA_NLDEV_ATTR_DEV_NAME, "mana_0");
  EXPECT_FALSE(decode_device(body)) << "no index";
  auto malformed = body;
  append_attribute(malformed, RDMA_NLDEV_ATTR_DEV_INDEX, "x");
  EXPECT_FALSE(decode_device(malformed));
  append_attribute(body, RDMA_NLDEV_ATTR_DEV_INDEX, bytes_of(std::uint32_t{3}));
  append_attribute(body, RDMA_NLDEV_ATTR_FW_VERSION, "1.2");
  const auto device = decode_device(body);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->index, 3U);
  EXPECT_EQ(device->firmware, "1.2");
  EXPECT_EQ(device->node_type + device->port_count, 0U);
  std::string number;
  append_attribute(number, RDMA_NLDEV_ATTR_DEV_INDEX, bytes_of(std::uint32_t{3}));
  EXPECT_FALSE(decode_device(number)) << "no name";
  std::string port;
  append_attribute(port, RDMA_NLDEV_ATTR_PORT_INDEX, "");
  EXPECT_FALSE(decode_port(port));
}

TEST(RdmaMessages, EncodeTheDeviceAndThePort) {
  const auto request = encode_port_request(3, 2);
  EXPECT_EQ(request.substr(6, 2), "\x05\x00"sv) << "NLM_F_REQUEST and NLM_F_ACK";
  EXPECT_EQ(request.substr(16),
            "\x08\x00\x01\x00\x03\x00\x00\x00"
            "\x08\x00\x03\x00\x02\x00\x00\x00"sv);
}

std::string chardev_reply() {
  std::string body;
  append_attribute(body, RDMA_NLDEV_ATTR_CHARDEV_NAME, "uverbs0\0"sv);
  append_attribute(body, RDMA_NLDEV_ATTR_CHARDEV_ABI, bytes_of(std::uint64_t{1}));
  append_attribute(body, RDMA_NLDEV_ATTR_CHARDEV, bytes_of(std::uint64_t{0xe7c0}));
  return body;
}

TEST(RdmaMessages, AcceptADriverIdOf4Or8Bytes) {
  auto narrow = chardev_reply();
  append_attribute(narrow, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, bytes_of(std::uint32_t{20}));
  const auto first = decode_chardev(narrow);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->driver_id, 20U);
  EXPECT_EQ(first->name, "uverbs0");
  EXPECT_EQ(first->abi, 1U);
  auto wide = chardev_reply();
  append_attribute(wide, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, bytes_of(std::uint64_t{19}));
  EXPECT_EQ(decode_chardev(wide)->driver_id, 19U);
}

TEST(RdmaMessages, AcceptADriverWithoutId) {
  const auto chardev = decode_chardev(chardev_reply());
  ASSERT_TRUE(chardev);
  EXPECT_FALSE(chardev->driver_id);
}

TEST(RdmaMessages, DecodeAPort) {
  std::string body;
  append_attribute(body, RDMA_NLDEV_ATTR_PORT_INDEX, bytes_of(std::uint32_t{2}));
  append_attribute(body, RDMA_NLDEV_ATTR_PORT_STATE, "\x04"sv);
  append_attribute(body, RDMA_NLDEV_ATTR_NDEV_NAME, "eth1\0"sv);
  const auto port = decode_port(body);
  ASSERT_TRUE(port);
  EXPECT_EQ(port->port, 2U);
  EXPECT_EQ(port->state, 4U);
  EXPECT_EQ(port->netdev, "eth1");
}

TEST(RdmaMessages, RejectRepliesWithoutAName) {
  EXPECT_EQ(decode_device("").error().code, Errc::invalid);
  EXPECT_EQ(decode_chardev("\xff\xff\x01\x00"sv).error().code, Errc::invalid);
  EXPECT_EQ(decode_port("").error().code, Errc::invalid);
  const auto whole = chardev_reply();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto cut = decode_chardev(std::string(whole, 0, length));
    if (cut) {
      EXPECT_EQ(cut->name, "uverbs0");
    }
  }
}

}  // namespace
}  // namespace manactl::os::rdma_test
