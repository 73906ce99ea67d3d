// SPDX-License-Identifier: MIT

#include "adapter/queues/completion_ring.h"

#include <gtest/gtest.h>

#include <vector>

namespace manactl::adapter::completion_ring_test {
namespace {

struct Cq {
  explicit Cq(std::uint32_t count)
      : memory(std::size_t{count} * wire::kCqeBytes), ring(memory.data(), count, 0x123) {}

  wire::CqeInfo info(std::size_t index) const {
    const wire::Bytes all(memory);
    return wire::decode<wire::CqeInfo>(all.subspan(index * 64 + 60, 4)).value();
  }

  std::vector<std::uint8_t> memory;
  CompletionRing ring;
};

TEST(CompletionRing, StartsWithOwnerOneAndCountsRounds) {
  Cq cq(3);
  const CqeData data{7};
  for (std::uint32_t k = 0; k < 3 * 20; ++k) {
    cq.ring.push(data, 0x42);
    EXPECT_EQ(cq.info(k % 3).owner, (k / 3 + 1) & 7U);
    EXPECT_EQ(cq.info(k % 3).wq_id, 0x42U);
    EXPECT_EQ(cq.memory[k % 3 * 64], 7U);
  }
}

TEST(CompletionRing, MarksEntriesOfSendQueues) {
  Cq cq(2);
  cq.ring.push({}, 0x42 | kSendFlag);
  cq.ring.push({}, 0x42);
  EXPECT_TRUE(cq.info(0).is_sq);
  EXPECT_FALSE(cq.info(1).is_sq);
}

TEST(CompletionRing, RaisesOneEventForEachArm) {
  Cq cq(4);
  cq.ring.push({}, 1);
  EXPECT_FALSE(cq.ring.take_event()) << "not armed yet";
  EXPECT_FALSE(cq.ring.arm(wire::doorbell_tail(4 + 1, 4)));
  EXPECT_FALSE(cq.ring.take_event()) << "no new entry";
  cq.ring.push({}, 1);
  cq.ring.push({}, 1);
  EXPECT_TRUE(cq.ring.take_event());
  cq.ring.push({}, 1);
  EXPECT_FALSE(cq.ring.take_event());
}

TEST(CompletionRing, RaisesTheEventAtOnceIfAnEntryIsUnread) {
  Cq cq(4);
  cq.ring.push({}, 1);
  EXPECT_TRUE(cq.ring.arm(wire::doorbell_tail(4, 4)));
  EXPECT_FALSE(cq.ring.take_event());
}

}  // namespace
}  // namespace manactl::adapter::completion_ring_test
