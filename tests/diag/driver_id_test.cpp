// SPDX-License-Identifier: MIT

#include "diag/driver_id.h"

#include "diag/vm.h"

namespace manactl::diag {
namespace {

using Kind = ProviderSeen::Kind;

struct Row {
  std::string name;
  std::optional<std::uint32_t> kernel;
  ProviderSeen provider;
  std::optional<unsigned> core;
  Status status;
  bool clash = false;
  bool old_core = false;
  bool character_device = true;
};

const ProviderSeen kMana{Kind::chosen, "mana", ""};
const ProviderSeen kErdma{Kind::chosen, "erdma", ""};
const ProviderSeen kNone{Kind::none, "", ""};
const ProviderSeen kNotAsked{Kind::not_known, "", "not captured"};

const std::vector<Row> kRows = {
    {"BackportAgainstErdma", 19, kErdma, 46, Status::fail, true},
    {"PatchedPair", 19, kMana, 46, Status::pass},
    {"BackportAgainstOldCore", 19, kNone, 39, Status::fail, true, true},
    {"BackportAgainstNobody", 19, kNone, 46, Status::fail, true},
    {"BackportNotAsked", 19, kNotAsked, 46, Status::fail, true},
    {"BackportNotAskedOldCore", 19, kNotAsked, 39, Status::fail, true, true},
    {"BackportNothingKnown", 19, kNotAsked, std::nullopt, Status::warn, true},
    {"Upstream", 20, kMana, 50, Status::pass},
    {"UpstreamAgainstOldCore", 20, kNone, 42, Status::fail, false, true},
    {"UpstreamProviderPackagedOut", 20, kNone, 50, Status::fail, false, true},
    {"UpstreamAgainstPatchedCore", 20, kErdma, 46, Status::fail, true},
    {"UpstreamNotAsked", 20, kNotAsked, 50, Status::pass},
    {"UpstreamNotAskedOldCore", 20, kNotAsked, 39, Status::fail, false, true},
    {"UpstreamNotAskedLastCoreWithoutMana", 20, kNotAsked, 43, Status::fail, false, true},
    {"UpstreamNotAskedFirstCoreWithMana", 20, kNotAsked, 44, Status::pass},
    {"BackportNotAskedFirstCoreWithErdma", 19, kNotAsked, 43, Status::fail, true},
    {"UpstreamNothingKnown", 20, kNotAsked, std::nullopt, Status::unknown},
    {"UnknownDriver", 0, kNone, 50, Status::fail},
    {"AnotherDriver", 21, kNone, 64, Status::fail, true},
    {"NewNumberThatManaClaims", 77, kMana, 90, Status::warn},
    {"NoCharacterDevice", std::nullopt, kNone, 50, Status::fail, false, false, false},
    {"UnreadableNumber", std::nullopt, kMana, 50, Status::unknown},
};

class DriverIdVerdict : public testing::TestWithParam<Row> {};

TEST_P(DriverIdVerdict, IsTheOneOfTheTable) {
  const Row& row = GetParam();
  DriverIdInput input;
  input.device = "mana_0";
  input.kernel = row.kernel;
  input.character_device = row.character_device;
  input.provider = row.provider;
  if (row.core) input.rdma_core = Release{*row.core, 0, 0};
  const auto verdict = judge_driver_id(input);
  EXPECT_EQ(verdict.status, row.status) << verdict.line;
  EXPECT_EQ(verdict.clash, row.clash) << verdict.line;
  EXPECT_EQ(verdict.old_core, row.old_core) << verdict.line;
  EXPECT_THAT(verdict.line, testing::StartsWith("mana_0: "));
  if (row.kernel) {
    EXPECT_THAT(verdict.line, testing::HasSubstr(std::to_string(*row.kernel)));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, DriverIdVerdict, testing::ValuesIn(kRows), [](const auto& row) {
  return row.param.name;
});

TEST(DriverId, SaysWhenBtfDisagreesAndNoLongerPasses) {
  DriverIdInput input;
  input.device = "mana_0";
  input.kernel = 20;
  input.btf = 19;
  input.provider = kMana;
  const auto verdict = judge_driver_id(input);
  EXPECT_EQ(verdict.status, Status::warn);
  EXPECT_THAT(verdict.line, testing::HasSubstr("RDMA_DRIVER_MANA = 19"));
}

TEST(DriverId, NamesProvidersByTheirLibraries) {
  EXPECT_EQ(provider_name("libmana.so.1"), "mana");
  EXPECT_EQ(provider_name("/usr/lib/x/libibverbs/liberdma-rdmav34.so"), "erdma");
  EXPECT_EQ(provider_name(""), "");
}

TEST(DriverId, KnowsWhoOwnsTheNumbers) {
  EXPECT_THAT(owner_of(19), testing::HasSubstr("ERDMA"));
  EXPECT_THAT(owner_of(19), testing::HasSubstr("MANA"));
  EXPECT_THAT(owner_of(20), testing::StartsWith("MANA"));
  EXPECT_EQ(owner_of(4711), "");
}

}  // namespace
}  // namespace manactl::diag
