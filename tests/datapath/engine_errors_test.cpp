// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datapath/in_child.h"

namespace manactl::datapath::engine_errors_test {
namespace {

using testing::HasSubstr;

struct InvalidDevice {
  const char* name;
  const char* vdev;
  const char* text;
};

class InvalidDevices : public testing::TestWithParam<InvalidDevice> {};

TEST_P(InvalidDevices, AreReportedInOneLineAndNothingIsPrinted) {
  EXPECT_TRUE(in_child([] {
    Error error;
    bool failed = false;
    const auto printed = printed_by([&] {
      const auto report = run(short_plan(Mode::tx, GetParam().vdev));
      failed = !report.has_value();
      if (failed) error = report.error();
    });
    EXPECT_TRUE(failed);
    EXPECT_EQ(error.code, Errc::invalid);
    EXPECT_THAT(error.message, HasSubstr(GetParam().text));
    EXPECT_EQ(error.message.find('\n'), std::string::npos);
    EXPECT_EQ(printed, "");
  }));
}

const InvalidDevice kInvalid[] = {
    {"UnknownDriver", "net_nosuch0", "this build does not contain the driver; it has net_"},
    {"NoDriverAtAll", "eth0", "does not contain the driver"},
    {"UnknownOption", "net_null0,nosuch=1", "cannot open 'net_null0,nosuch=1'"},
    {"BadValue", "net_memif0,role=nosuch", "Unknown role: nosuch"},
    {"NoPeer",
     "net_memif0,socket=/nonexistent/socket,socket-abstract=no",
     "Invalid socket directory"},
    {"BrokenList", "net_null0,=,=", "cannot open"},
};

INSTANTIATE_TEST_SUITE_P(Table, InvalidDevices, testing::ValuesIn(kInvalid), [](const auto& row) {
  return row.param.name;
});

TEST(EngineErrors, RejectMoreQueuesThanTheDeviceHas) {
  EXPECT_TRUE(in_child([] {
    const auto report = run(short_plan(Mode::tx, "net_ring0", 64));
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Errc::invalid);
    EXPECT_THAT(report.error().message, HasSubstr("plan.queues 64: net_ring supports at most"));
  }));
}

TEST(EngineErrors, RejectACpuThatTheProcessMayNotUse) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.cpus.cpus = {0, 1023};
    const auto report = run(plan);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Errc::invalid);
    EXPECT_THAT(report.error().message, HasSubstr("this process may only run on"));
  }));
}

TEST(EngineErrors, RejectAnInvalidPlanBeforeDpdkStarts) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.traffic.sizes.front().bytes = 10;
    const auto rejected = run(plan);
    ASSERT_FALSE(rejected.has_value());
    EXPECT_EQ(rejected.error().code, Errc::invalid);
    plan.traffic.sizes.front().bytes = 64;
    EXPECT_TRUE(run(plan).has_value());  // works only if the rejected plan did not start DPDK
  }));
}

}  // namespace
}  // namespace manactl::datapath::engine_errors_test
