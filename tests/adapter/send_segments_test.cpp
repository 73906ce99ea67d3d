// SPDX-License-Identifier: MIT
//
// TCP segmentation of frames that a driver sends.

#include <gmock/gmock.h>

#include "adapter/driver.h"
#include "adapter/tcp_frame.h"

namespace manactl::adapter::send_segments_test {
namespace {

using wire::CqeType;

constexpr std::size_t kHeaderBytes = 54;

// Keeps the frames that a port sends.
class Recorder : public Backend {
 public:
  explicit Recorder(std::vector<Buffer>& frames) : frames_(frames) {}

  bool reads_frames() const override { return true; }

  void transmit(std::span<const Frame> frames) override {
    for (const auto frame : frames) frames_.emplace_back(frame.begin(), frame.end());
  }

  PollResult poll(std::size_t) override { return {}; }

 private:
  std::vector<Buffer>& frames_;
};

class SendSegments : public AdapterTest {
 protected:
  SendSegments() { adapter.port(0).connect(std::make_unique<Recorder>(sent)); }

  // Sends a TCP frame with this payload in segments of `unit` bytes.
  CqeType send(std::size_t payload, std::uint16_t unit, const wire::TxLongOob& oob) {
    const auto frame = tcp_frame(false, payload);
    frame_at(0, frame);
    const wire::WqeHeader header{.inline_oob = wire::OobSize::large, .client_data_unit = unit};
    sq.post(header, oob, {piece(0, kHeaderBytes), piece(kHeaderBytes, payload)});
    sq.ring_doorbell();
    adapter.run();
    return sq.poll().value().tx().header.type;
  }

  wire::TxLongOob long_oob() const {
    wire::TxLongOob oob;
    oob.base = sq.oob();
    oob.base.format = wire::PacketFormat::long_form;
    return oob;
  }

  std::vector<Buffer> sent;
  Queue sq{adapter.port(0), Direction::send};
};

TEST_F(SendSegments, HaveTheVlanTagOfTheLargeFrame) {
  auto oob = long_oob();
  oob.inject_vlan_tag = true;
  oob.vlan_id = 0x805;
  EXPECT_EQ(send(2500, 1000, oob), CqeType::tx_okay);
  ASSERT_THAT(sent, testing::SizeIs(3));
  for (const auto& frame : sent) {
    EXPECT_EQ(Buffer(frame.begin() + 12, frame.begin() + 18),
              (Buffer{0x81, 0, 0x08, 0x05, 0x08, 0}));
  }
  EXPECT_EQ(sent[0].size(), kHeaderBytes + 4 + 1000);
}

TEST_F(SendSegments, MustNotExceedTheMtu) {
  constexpr std::uint16_t fits = 9000 + 14 - kHeaderBytes;
  EXPECT_EQ(send(20'000, fits, long_oob()), CqeType::tx_okay);
  EXPECT_THAT(sent, testing::SizeIs(3));
  EXPECT_EQ(violations(), 0U);
  EXPECT_EQ(send(20'000, fits + 1, long_oob()), CqeType::tx_mtu_drop);
  EXPECT_EQ(adapter.checker().count_of(Violation::frame_long), 1U);
  EXPECT_THAT(sent, testing::SizeIs(3));
}

}  // namespace
}  // namespace manactl::adapter::send_segments_test
