// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

extern "C" void* rte_trace_point_lookup(const char* name);  // rte_trace_point.h

namespace manactl::datapath::trace_points_test {
namespace {

// Each would cost time at the start of every command.
TEST(TracePoints, AreNotRegistered) {
  EXPECT_EQ(rte_trace_point_lookup("lib.eal.intr.enable"), nullptr);
  EXPECT_EQ(rte_trace_point_lookup("lib.ethdev.configure"), nullptr);
}

}  // namespace
}  // namespace manactl::datapath::trace_points_test
