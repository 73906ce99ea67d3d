// SPDX-License-Identifier: MIT
//
// TCP segmentation, VLAN tags and the MTU.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapter/tcp_frame.h"
#include "device/fixture.h"

namespace manactl::device::offload_test {
namespace {

using testing::SizeIs;
using wire::CqeType;

constexpr std::uint8_t kHeaderBytes = 54;

class OffloadTest : public DeviceTest {
 protected:
  OffloadTest() {
    device.packets().observe([this](std::span<const std::uint8_t> frame) {
      sent.emplace_back(frame.begin(), frame.end());
    });
    driver.bring_up();
  }

  // Sends a frame on port 0: in segments with `unit` bytes of payload, or in one piece if it is 0.
  CqeType send(std::span<const std::uint8_t> frame, std::uint16_t unit, bool inject_vlan_tag) {
    const auto address = guest.allocate(frame.size());
    EXPECT_TRUE(guest.write(address, frame));
    wire::TxLongOob oob;
    oob.base = driver.oob(0);
    oob.base.format = wire::PacketFormat::long_form;
    oob.inject_vlan_tag = inject_vlan_tag;
    oob.vlan_id = 0x805;
    oob.long_vport_offset = oob.base.short_vport_offset;
    wire::WqeHeader header{.inline_oob = wire::OobSize::large, .client_data_unit = unit};
    if (unit != 0) {
      header.client_oob_in_sgl = true;
      header.last_vbytes = kHeaderBytes;
    }
    const auto bytes = static_cast<std::uint32_t>(frame.size());
    const wire::Sge sges[] = {{address, kMemKey, kHeaderBytes},
                              {address + kHeaderBytes, kMemKey, bytes - kHeaderBytes}};
    driver.post(driver.ports[0].tx.work, Driver::wqe(header, *wire::encode(oob), sges));
    const auto entries = driver.poll(driver.ports[0].tx.completions);
    return wire::decode<wire::TxCompletion>(entries.at(0).data)->header.type;
  }

  std::vector<std::vector<std::uint8_t>> sent;
};

TEST_F(OffloadTest, AddsTheVlanTagToEachSegment) {
  EXPECT_EQ(send(adapter::tcp_frame(false, 2500), 1000, true), CqeType::tx_okay);
  ASSERT_THAT(sent, SizeIs(3));
  for (const auto& frame : sent) {
    EXPECT_EQ(std::vector(frame.begin() + 12, frame.begin() + 18),
              (std::vector<std::uint8_t>{0x81, 0, 0x08, 0x05, 0x08, 0}));
  }
  EXPECT_EQ(sent[0].size(), kHeaderBytes + 4U + 1000U);
}

TEST_F(OffloadTest, DropsAllSegmentsIfOneExceedsTheMtu) {
  constexpr std::uint16_t fits = 1514 - kHeaderBytes;
  EXPECT_EQ(send(adapter::tcp_frame(false, 4000), fits, true), CqeType::tx_okay);
  EXPECT_THAT(sent, SizeIs(3));
  EXPECT_EQ(send(adapter::tcp_frame(false, 4000), fits + 1, true), CqeType::tx_mtu_drop);
  EXPECT_THAT(sent, SizeIs(3));
}

TEST_F(OffloadTest, DoesNotCountAVlanTagAsPartOfTheMtu) {
  auto frame = frame_to(driver.ports[1].config.mac, 1515);
  EXPECT_EQ(send(frame, 0, false), CqeType::tx_mtu_drop);
  EXPECT_EQ(send(frame, 0, true), CqeType::tx_mtu_drop);
  frame.resize(1514);
  EXPECT_EQ(send(frame, 0, true), CqeType::tx_okay);
  frame.resize(1518);
  frame[12] = 0x81;  // an 802.1Q tag
  frame[13] = 0;
  EXPECT_EQ(send(frame, 0, false), CqeType::tx_okay);
  frame.resize(1519);
  EXPECT_EQ(send(frame, 0, false), CqeType::tx_mtu_drop);
  EXPECT_THAT(sent, SizeIs(2));
}

}  // namespace
}  // namespace manactl::device::offload_test
