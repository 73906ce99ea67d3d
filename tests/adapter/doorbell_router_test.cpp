// SPDX-License-Identifier: MIT

#include "adapter/doorbell/doorbell_router.h"

#include "adapter/driver.h"

namespace manactl::adapter::doorbell_router_test {
namespace {

// A driver that stores doorbells in a page, and a device that polls this page.
class DoorbellRouterTest : public AdapterTest {
 protected:
  std::uint64_t doorbell_of(Queue& queue) {
    queue.post({piece(0, 60)});
    return number(wire::SqDoorbell{queue.ids.wq, queue.tail});
  }

  void store(std::uint64_t value) {
    std::atomic_ref(*static_cast<std::uint64_t*>(page->address()))
        .store(value, std::memory_order_release);
  }

  std::unique_ptr<DoorbellPage> page = DoorbellPage::make().value();
  DoorbellRouter router{true};
};

TEST_F(DoorbellRouterTest, RingsForThePortOfThePage) {
  Queue sq(adapter.port(1), Direction::send);
  router.add(*page, adapter.port(1), Direction::send);
  store(doorbell_of(sq));
  EXPECT_EQ(router.poll(), 1U);
  EXPECT_EQ(router.poll(), 0U);
  adapter.run();
  EXPECT_EQ(counters.port[1].tx_packets, 1U);
}

// Regression: a late poll reported the doorbell of a destroyed queue as a violation.
TEST_F(DoorbellRouterTest, RingsStoresThatPrecedeTheDestructionOfAQueue) {
  Queue sq(adapter.port(0), Direction::send);
  router.add(*page, adapter.port(0), Direction::send);
  store(doorbell_of(sq));
  router.ring_pending(*page);
  ASSERT_TRUE(adapter.port(0).remove(sq.ids.wq));
  EXPECT_EQ(router.poll(), 0U);
  adapter.run();
  EXPECT_EQ(violations(), 0U);
  store(number(wire::SqDoorbell{sq.ids.wq, 64}));
  router.poll();
  EXPECT_EQ(adapter.checker().count_of(Violation::doorbell_id), 1U)
      << "this store follows the removal";
}

TEST_F(DoorbellRouterTest, KeepsTheOrderWhenTrappingStarts) {
  Queue sq(adapter.port(0), Direction::send);
  router.add(*page, adapter.port(0), Direction::send);
  const auto first = doorbell_of(sq), second = doorbell_of(sq);
  store(first);
  ASSERT_TRUE(router.change_detection(*page, [&] { return page->protect(); }));
  EXPECT_TRUE(router.ring(page->address(), 0, second));
  EXPECT_EQ(router.poll(), 0U);
  adapter.run();
  EXPECT_EQ(counters.port[0].tx_packets, 2U);
  EXPECT_EQ(violations(), 0U);
}

TEST_F(DoorbellRouterTest, IgnoresARemovedPage) {
  router.add(*page, adapter.port(0), Direction::send);
  router.remove(*page);
  store(0x1234);
  EXPECT_EQ(router.poll(), 0U);
  EXPECT_FALSE(router.ring(page->address(), 0, 0x1234));
  EXPECT_EQ(violations(), 0U);
}

TEST_F(DoorbellRouterTest, IgnoresStoresIfItDoesNotPoll) {
  DoorbellRouter called(false);
  called.add(*page, adapter.port(0), Direction::send);
  store(0x1234);
  EXPECT_EQ(called.poll(), 0U);
  called.ring_pending(*page);
  EXPECT_EQ(violations(), 0U);
}

TEST_F(DoorbellRouterTest, NotesShortDoorbellsInAPolledPage) {
  router.add(*page, adapter.port(0), Direction::send);
  auto* words = static_cast<std::uint64_t*>(page->address());
  std::atomic_ref(words[2]).store(0x10020, std::memory_order_release);
  EXPECT_EQ(router.poll(), 1U);
  EXPECT_EQ(adapter.checker().count_of(Violation::doorbell_offset), 1U);
}

TEST_F(DoorbellRouterTest, CountsTheQueuesOfAPage) {
  router.add(*page, adapter.port(0), Direction::send);
  router.add(*page, adapter.port(0), Direction::receive);
  const auto use = router.add(*page, adapter.port(0), Direction::send);
  EXPECT_EQ(use.senders, 2U);
  EXPECT_EQ(use.receivers, 1U);
}

}  // namespace
}  // namespace manactl::adapter::doorbell_router_test
