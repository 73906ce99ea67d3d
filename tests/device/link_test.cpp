// SPDX-License-Identifier: MIT
//
// The link speed that drivers can query.

#include <gtest/gtest.h>

#include "device/fixture.h"

namespace manactl::device::link_test {
namespace {

class LinkSpeedTest : public DeviceTest {
 protected:
  explicit LinkSpeedTest(std::vector<std::string> arguments = {"--link-speed=40000"})
      : DeviceTest(std::move(arguments)) {
    driver.bring_up();
  }

  std::optional<Response> query(std::uint64_t vport) {
    return driver.request(wire::Command::query_link_config,
                          wire::QueryLinkRequest{vport},
                          wire::QueryLinkResponse::kSize);
  }
};

class NoLinkSpeedTest : public LinkSpeedTest {
 protected:
  NoLinkSpeedTest() : LinkSpeedTest({}) {}
};

TEST_F(LinkSpeedTest, IsReportedForEveryPortAndForTheAdapter) {
  for (const auto& port : driver.ports) {
    const auto link = wire::decode<wire::QueryLinkResponse>(query(port.config.vport)->body);
    ASSERT_TRUE(link.has_value());
    EXPECT_EQ(*link, (wire::QueryLinkResponse{40000, 0, 40000}));
  }
  const auto config = driver.call<wire::QueryDeviceResponse>(
      wire::Command::query_dev_config, *wire::encode(wire::QueryDeviceRequest{{}, 0, 1, 1}), 4);
  EXPECT_EQ(config.link_speed_mbps, 40000U);
}

TEST_F(LinkSpeedTest, IsRefusedForAnUnknownPort) {
  EXPECT_EQ(query(1)->header.status, kNoSuchObject);
}

TEST_F(NoLinkSpeedTest, IsAnUnsupportedRequest) {
  EXPECT_EQ(query(driver.ports[0].config.vport)->header.status, wire::kStatusUnsupported);
}

}  // namespace
}  // namespace manactl::device::link_test
