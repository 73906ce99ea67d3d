// SPDX-License-Identifier: MIT
//
// A responder of mode fwd, observed from the other end of its cable.
#include <gtest/gtest.h>

#include <vector>

#include "datapath/cable.h"
#include "datapath/decode.h"
#include "datapath/in_child.h"
#include "datapath/traffic/frame.h"
#include "datapath/traffic/requests.h"

namespace manactl::datapath::reply_root_test {
namespace {

// Sends `frame` until a reply arrives. The listener also captures the sent frames.
std::vector<std::uint8_t> reply_to(const Listener& cable,
                                   const std::vector<std::uint8_t>& frame,
                                   const Child& responder) {
  while (responder.running()) {
    cable.send(frame);
    for (auto& received : cable.waiting()) {
      if (received != frame && received.size() == frame.size()) return received;
    }
  }
  return {};
}

BenchPlan responder_plan() {
  auto plan = short_plan(Mode::fwd, "net_af_packet0,iface=receiver");
  plan.trial.seconds = 50;
  return plan;
}

TEST(Responder, ReturnsRequestsToTheirSender) {
  EXPECT_TRUE(in_child([] {
    make_cable();
    if (testing::Test::HasFailure()) return;
    Child responder([] { static_cast<void>(run(responder_plan())); });
    const Listener cable("sender");
    Flow flow;
    flow.source = MacAddress::parse(kSenderMac).value_or(MacAddress{});
    std::vector<std::uint8_t> frame(kMinRequestFrame - kFcsBytes);
    write_frame(flow, frame);
    write_request({1, 2, 3, 4}, RequestBytes(frame.data() + kHeaderBytes, kRequestBytes));
    const auto reply = reply_to(cable, frame, responder);
    EXPECT_TRUE(responder.killed());
    const auto packet = decode(reply);
    ASSERT_TRUE(packet.has_value());
    EXPECT_EQ(packet->source, flow.destination);
    EXPECT_EQ(packet->destination, flow.source);
    EXPECT_TRUE(packet->udp_checksum_valid);
    ASSERT_TRUE(request_in(reply));
    EXPECT_EQ(request_in(reply)->number, 3U);
  }));
}

}  // namespace
}  // namespace manactl::datapath::reply_root_test
