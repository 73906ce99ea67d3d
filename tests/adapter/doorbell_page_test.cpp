// SPDX-License-Identifier: MIT

#include "adapter/doorbell/doorbell_page.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <atomic>
#include <vector>

namespace manactl::adapter::doorbell_page_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Rings = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

std::atomic_ref<std::uint64_t> at(void* page, std::size_t offset) {
  return std::atomic_ref(static_cast<std::uint64_t*>(page)[offset / 8]);
}

Rings take(DoorbellPage& page) {
  Rings rings;
  page.take_stores(
      [&](std::uint32_t offset, std::uint64_t value) { rings.emplace_back(offset, value); });
  return rings;
}

TEST(DoorbellPage, TakesEachStoreOnce) {
  const auto page = DoorbellPage::make().value();
  EXPECT_THAT(take(*page), IsEmpty());
  at(page->address(), 0x400) = 7;
  at(page->address(), 0) = 5;
  EXPECT_THAT(take(*page), ElementsAre(Pair(0U, 5U), Pair(0x400U, 7U)));
  EXPECT_THAT(take(*page), IsEmpty());
  at(page->address(), 0) = 5;
  EXPECT_THAT(take(*page), ElementsAre(Pair(0U, 5U)));
}

TEST(DoorbellPage, KeepsOnlyTheLastStoreToAnOffset) {
  const auto page = DoorbellPage::make().value();
  at(page->address(), 0x800) = 1;
  at(page->address(), 0x800) = 2;
  EXPECT_THAT(take(*page), ElementsAre(Pair(0x800U, 2U)));
}

TEST(DoorbellPage, CanBeMappedByAnotherProcess) {
  const auto page = DoorbellPage::make().value();
  auto* other = mmap(nullptr, DoorbellPage::kBytes, PROT_WRITE, MAP_SHARED, page->fd(), 0);
  ASSERT_NE(other, MAP_FAILED);
  at(other, 0) = 9;
  munmap(other, DoorbellPage::kBytes);
  EXPECT_THAT(take(*page), ElementsAre(Pair(0U, 9U)));
}

}  // namespace
}  // namespace manactl::adapter::doorbell_page_test
