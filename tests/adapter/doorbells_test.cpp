// SPDX-License-Identifier: MIT

#include "adapter/doorbells.h"

#include "adapter/driver.h"

namespace manactl::adapter {
namespace {

// A driver that stores, and a device that looks when it has the time.
class DoorbellsTest : public AdapterTest {
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
  Doorbells doorbells{true};
};

TEST_F(DoorbellsTest, RingForTheirPort) {
  Queue sq(adapter.port(1), Direction::send);
  doorbells.add(*page, adapter.port(1), Direction::send);
  store(doorbell_of(sq));
  EXPECT_EQ(doorbells.look(), 1U);
  EXPECT_EQ(doorbells.look(), 0U);
  adapter.run();
  EXPECT_EQ(ledger.port[1].tx_packets, 1U);
}

// A thread that looked too late blamed the driver for a doorbell of a queue that was gone.
TEST_F(DoorbellsTest, KnowThatADriverRangBeforeItDestroyed) {
  Queue sq(adapter.port(0), Direction::send);
  doorbells.add(*page, adapter.port(0), Direction::send);
  store(doorbell_of(sq));
  doorbells.settle(*page);
  ASSERT_TRUE(adapter.port(0).remove(sq.ids.wq));
  EXPECT_EQ(doorbells.look(), 0U);
  adapter.run();
  EXPECT_EQ(violations(), 0U);
  store(number(wire::SqDoorbell{sq.ids.wq, 64}));
  doorbells.look();
  EXPECT_EQ(adapter.checker().of(Violation::doorbell_id), 1U) << "this one is the driver's mistake";
}

TEST_F(DoorbellsTest, KeepTheOrderWhenStoresAreTrappedFromNowOn) {
  Queue sq(adapter.port(0), Direction::send);
  doorbells.add(*page, adapter.port(0), Direction::send);
  const auto first = doorbell_of(sq), second = doorbell_of(sq);
  store(first);
  ASSERT_TRUE(doorbells.change(*page, [&] { return page->protect(); }));
  EXPECT_TRUE(doorbells.ring(page->address(), 0, second));
  EXPECT_EQ(doorbells.look(), 0U);
  adapter.run();
  EXPECT_EQ(ledger.port[0].tx_packets, 2U);
  EXPECT_EQ(violations(), 0U);
}

TEST_F(DoorbellsTest, HearNothingOfAPageThatIsForgotten) {
  doorbells.add(*page, adapter.port(0), Direction::send);
  doorbells.forget(*page);
  store(0x1234);
  EXPECT_EQ(doorbells.look(), 0U);
  EXPECT_FALSE(doorbells.ring(page->address(), 0, 0x1234));
  EXPECT_EQ(violations(), 0U);
}

TEST_F(DoorbellsTest, LeaveStoresAloneWhenTheProgramCalls) {
  Doorbells called(false);
  called.add(*page, adapter.port(0), Direction::send);
  store(0x1234);
  EXPECT_EQ(called.look(), 0U);
  called.settle(*page);
  EXPECT_EQ(violations(), 0U);
}

TEST_F(DoorbellsTest, SayThatShortOnesCannotBeLookedFor) {
  doorbells.add(*page, adapter.port(0), Direction::send);
  auto* words = static_cast<std::uint64_t*>(page->address());
  std::atomic_ref(words[2]).store(0x10020, std::memory_order_release);
  EXPECT_EQ(doorbells.look(), 1U);
  EXPECT_EQ(adapter.checker().of(Violation::doorbell_offset), 1U);
}

TEST_F(DoorbellsTest, CountTheQueuesOfAPage) {
  doorbells.add(*page, adapter.port(0), Direction::send);
  doorbells.add(*page, adapter.port(0), Direction::receive);
  const auto use = doorbells.add(*page, adapter.port(0), Direction::send);
  EXPECT_EQ(use.senders, 2U);
  EXPECT_EQ(use.receivers, 1U);
}

}  // namespace
}  // namespace manactl::adapter
