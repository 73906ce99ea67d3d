// SPDX-License-Identifier: MIT
//
// Tests the library with engine=threaded, in which another thread detects the doorbells later.

#include <cstdlib>

#include "adapter/shim/simulator.h"
#include "adapter/verbs_objects.h"

// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer defines this name
extern "C" const char* __tsan_default_options() {
  return "report_signal_unsafe=0";
}

namespace manactl::adapter::shim_threaded_test {
namespace {

const bool kConfigured = [] {
  return setenv("MANACTL_SIM_SETUP", "backend=loopback engine=threaded", 1) == 0;
}();

std::uint64_t violations() {
  return Simulator::get().adapter().checker().total();
}

TEST(ThreadedShim, AllowsADriverToRingAndDestroyAtOnce) {
  ASSERT_TRUE(kConfigured);
  Client client;
  for (int round = 0; round < 2000; ++round) {
    Sender sender(client);
    sender.send(client.piece(0, 60));
  }
  EXPECT_EQ(violations(), 0U);
}

TEST(ThreadedShim, LosesNoDoorbellWhenASecondQueueIsCreated) {
  Client client;
  for (int round = 0; round < 100; ++round) {
    Sender first(client);
    first.send(client.piece(0, 60));
    Sender second(client);
    first.send(client.piece(0, 60));
    second.send(client.piece(0, 60));
    for (int i = 0; i < 2; ++i) {
      while (first.done->poll() == nullptr) sched_yield();
    }
    while (second.done->poll() == nullptr) sched_yield();
  }
  EXPECT_EQ(violations(), 0U);
}

}  // namespace
}  // namespace manactl::adapter::shim_threaded_test
