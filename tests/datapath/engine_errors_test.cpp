// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datapath/in_child.h"

namespace manactl::datapath {
namespace {

using testing::HasSubstr;

struct Wrong {
  const char* name;
  const char* vdev;
  const char* words;
};

class WrongDevice : public testing::TestWithParam<Wrong> {};

TEST_P(WrongDevice, IsOneLineAndNothingElseIsPrinted) {
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
    EXPECT_THAT(error.message, HasSubstr(GetParam().words));
    EXPECT_EQ(error.message.find('\n'), std::string::npos);
    EXPECT_EQ(printed, "");
  }));
}

const Wrong kWrong[] = {
    {"UnknownDriver", "net_nosuch0", "no such driver in this build, it has net_"},
    {"NoDriverAtAll", "eth0", "no such driver"},
    {"UnknownOption", "net_null0,nosuch=1", "cannot open 'net_null0,nosuch=1'"},
    {"BadValue", "net_memif0,role=nosuch", "Unknown role: nosuch"},
    {"NoPeer",
     "net_memif0,socket=/nonexistent/socket,socket-abstract=no",
     "Invalid socket directory"},
    {"BrokenList", "net_null0,=,=", "cannot open"},
};

INSTANTIATE_TEST_SUITE_P(Table, WrongDevice, testing::ValuesIn(kWrong), [](const auto& row) {
  return row.param.name;
});

TEST(EngineErrors, RefuseMoreQueuesThanTheDeviceHas) {
  EXPECT_TRUE(in_child([] {
    const auto report = run(short_plan(Mode::tx, "net_ring0", 64));
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Errc::invalid);
    EXPECT_THAT(report.error().message, HasSubstr("64 are asked for"));
  }));
}

TEST(EngineErrors, RefuseACpuThatTheProcessMayNotUse) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.cpus.cpus = {0, 1023};
    const auto report = run(plan);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Errc::invalid);
    EXPECT_THAT(report.error().message, HasSubstr("this process may run on"));
  }));
}

TEST(EngineErrors, RefuseAPlanBeforeAnythingIsStarted) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.traffic.sizes.front().bytes = 10;
    const auto refused = run(plan);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, Errc::invalid);
    plan.traffic.sizes.front().bytes = 64;
    EXPECT_TRUE(run(plan).has_value());  // the one start of this process was not used up
  }));
}

}  // namespace
}  // namespace manactl::datapath
