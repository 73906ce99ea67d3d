// SPDX-License-Identifier: MIT
//
// A responder, seen from the other end of its cable.
#include <gtest/gtest.h>

#include <vector>

#include "datapath/cable.h"
#include "datapath/decode.h"
#include "datapath/frame.h"
#include "datapath/in_child.h"
#include "datapath/request.h"

namespace manactl::datapath {
namespace {

// What came to the sender in answer: its own frames are seen there, too.
std::vector<std::uint8_t> answer_to(const Listener& cable,
                                    const std::vector<std::uint8_t>& frame,
                                    const Child& responder) {
  while (responder.running()) {
    cable.send(frame);
    for (auto& seen : cable.waiting()) {
      if (seen != frame && seen.size() == frame.size()) return seen;
    }
  }
  return {};
}

BenchPlan responder_plan() {
  auto plan = short_plan(Mode::fwd, "net_af_packet0,iface=receiver");
  plan.trial.seconds = 50;
  return plan;
}

TEST(Responder, GivesRequestsBackToWhoAsked) {
  EXPECT_TRUE(in_child([] {
    make_cable();
    if (testing::Test::HasFailure()) return;
    Child responder([] { static_cast<void>(run(responder_plan())); });
    const Listener cable("sender");
    Flow flow;
    flow.source = MacAddress::parse(kSenderMac).value_or(MacAddress{});
    std::vector<std::uint8_t> frame(kLeastRequestFrame - kFcsBytes);
    write_frame(flow, frame);
    write_request({1, 2, 3, 4}, RequestBytes(frame.data() + kHeaderBytes, kRequestBytes));
    const auto answer = answer_to(cable, frame, responder);
    EXPECT_TRUE(responder.killed());
    const auto packet = decode(answer);
    ASSERT_TRUE(packet.has_value());
    EXPECT_EQ(packet->source, flow.destination);
    EXPECT_EQ(packet->destination, flow.source);
    EXPECT_TRUE(packet->udp_checksum_right);
    ASSERT_TRUE(request_in(answer));
    EXPECT_EQ(request_in(answer)->number, 3U);
  }));
}

}  // namespace
}  // namespace manactl::datapath
