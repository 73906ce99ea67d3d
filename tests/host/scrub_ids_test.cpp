// SPDX-License-Identifier: MIT

#include "host/scrub_ids.h"

#include <gtest/gtest.h>

#include "host/scrubbing.h"

namespace manactl::host::scrub_ids_test {
namespace {

const std::string kGuid = "4c1a2b3c-55aa-4e1f-9c0d-7788990011aa";
const std::string kDigits = "4c1a2b3c55aa4e1f9c0d7788990011aa";

TEST(ScrubbedId, HasOneReplacementInAllSpellings) {
  expect_scrubbed({{kGuid + " 4C1A2B3C-55AA-4E1F-9C0D-7788990011AA " + kDigits,
                    "00000000-0000-4000-8000-000000000001 00000000-0000-4000-8000-000000000001 "
                    "00000000000040008000000000000001"},
                   {"{" + kGuid + "}", "{00000000-0000-4000-8000-000000000001}"}});
}

TEST(ScrubbedId, IsNotReplacedAgain) {
  EXPECT_EQ(scrub(scrub(kGuid)), scrub(kGuid));
}

TEST(ScrubbedId, StaysIfADriverOfVmbusPrintsIt) {
  for (const char* driver : {"hv_vmbus:", "hv_netvsc", "hv_pci", "hv_storvsc", "uio_hv_generic"}) {
    const auto text = fmt::format("{} {}: x\nother {}", driver, kGuid, kGuid);
    EXPECT_EQ(scrub(text), text);
  }
  expect_kept({"class f8615163-df3e-46c5-913f-f2d2f965ed0e",
               "class {44c4f61d-4444-4400-9d52-802e27ede19f}",
               "00000000-0000-0000-0000-000000000000",
               "ffffffff-ffff-ffff-ffff-ffffffffffff"});
}

TEST(ScrubbedId, IsReplacedFarFromTheDriverOfVmbus) {
  const auto text = "netvsc " + std::string(600, 'x') + " ";
  EXPECT_EQ(scrub(text + kGuid), text + "00000000-0000-4000-8000-000000000001");
  EXPECT_EQ(scrub(kGuid + text), kGuid + text);
}

TEST(ScrubbedId, IsAWholeWordOfTheRightLength) {
  expect_kept({"x" + kGuid,
               kGuid + "a",
               kGuid.substr(1),
               kDigits + "0",
               kDigits.substr(1),
               "4c1a2b3c-55aa-4e1f+9c0d-7788990011aa",
               "12345678901234567890123456789012",
               "abababababababababababab12121212"});
}

TEST(ScrubbedId, OfManyIsTheSameWithoutMoreMemory) {
  IdReplacer ids;
  std::string last;
  for (unsigned i = 0; i <= kMaxKnown; ++i) {
    last.clear();
    ids.replace(fmt::format("4c1a2b3c-55aa-4e1f-9c0d-{:012x}", i), 0, last);
  }
  EXPECT_EQ(ids.count(), kMaxKnown);
  EXPECT_EQ(last, "00000000-0000-4000-8000-000000000000");
}

}  // namespace
}  // namespace manactl::host::scrub_ids_test
