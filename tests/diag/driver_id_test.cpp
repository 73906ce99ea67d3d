// SPDX-License-Identifier: MIT

#include "diag/driver_id.h"

#include "diag/vm.h"

namespace manactl::diag::driver_id_test {
namespace {

using Kind = ProviderChoice::Kind;

struct Row {
  std::string name;
  std::optional<std::uint32_t> kernel;
  ProviderChoice provider;
  std::optional<unsigned> core;
  Status status;
  bool ids_clash = false;
  bool core_is_too_old = false;
  bool has_character_device = true;
  bool has_mana_library = false;
};

const ProviderChoice kMana{Kind::chosen, "mana", ""};
const ProviderChoice kErdma{Kind::chosen, "erdma", ""};
const ProviderChoice kNone{Kind::none, "", ""};
const ProviderChoice kUnknown{Kind::unknown, "", "not captured"};

const std::vector<Row> kRows = {
    {"BackportAgainstErdma", 19, kErdma, 46, Status::fail, true},
    {"BackportAgainstPatchedCore", 19, kMana, 46, Status::pass},
    {"BackportAgainstOldCore", 19, kNone, 39, Status::fail, true, true},
    {"BackportAgainstNoProvider", 19, kNone, 46, Status::fail, true},
    {"BackportProviderUnknown", 19, kUnknown, 46, Status::fail, true},
    {"BackportProviderUnknownOldCore", 19, kUnknown, 39, Status::fail, true, true},
    {"BackportNothingElseKnown", 19, kUnknown, std::nullopt, Status::warn, true},
    {"Upstream", 20, kMana, 50, Status::pass},
    {"UpstreamAgainstOldCore", 20, kNone, 42, Status::fail, false, true},
    {"UpstreamProviderNotInstalled", 20, kNone, 50, Status::fail, false, true},
    {"UpstreamOnlyPlugInMissing", 20, kNone, 50, Status::pass, false, false, true, true},
    {"UpstreamOldCoreWithLibrary", 20, kNone, 42, Status::fail, false, true, true, true},
    {"BackportWithLibrary", 19, kNone, 46, Status::fail, true, false, true, true},
    {"UpstreamAgainstPatchedCore", 20, kErdma, 46, Status::fail, true},
    {"UpstreamProviderUnknown", 20, kUnknown, 50, Status::pass},
    {"UpstreamProviderUnknownOldCore", 20, kUnknown, 39, Status::fail, false, true},
    {"UpstreamProviderUnknownLastCoreWithoutMana", 20, kUnknown, 43, Status::fail, false, true},
    {"UpstreamProviderUnknownFirstCoreWithMana", 20, kUnknown, 44, Status::pass},
    {"BackportProviderUnknownFirstCoreWithErdma", 19, kUnknown, 43, Status::fail, true},
    {"UpstreamNothingElseKnown", 20, kUnknown, std::nullopt, Status::unknown},
    {"UnknownDriver", 0, kNone, 50, Status::fail},
    {"AnotherDriver", 21, kNone, 64, Status::fail, true},
    {"NewNumberThatManaClaims", 77, kMana, 90, Status::warn},
    {"NoCharacterDevice", std::nullopt, kNone, 50, Status::fail, false, false, false},
    {"UnreadableNumber", std::nullopt, kMana, 50, Status::unknown},
};

class DriverIdVerdict : public testing::TestWithParam<Row> {};

TEST_P(DriverIdVerdict, MatchesTheTable) {
  const Row& row = GetParam();
  DriverIdInput input;
  input.device = "mana_0";
  input.kernel = row.kernel;
  input.has_character_device = row.has_character_device;
  input.provider = row.provider;
  input.has_mana_library = row.has_mana_library;
  if (row.core) input.rdma_core = Release{*row.core, 0, 0};
  const auto verdict = judge_driver_id(input);
  EXPECT_EQ(verdict.status, row.status) << verdict.line;
  EXPECT_EQ(verdict.ids_clash, row.ids_clash) << verdict.line;
  EXPECT_EQ(verdict.core_is_too_old, row.core_is_too_old) << verdict.line;
  EXPECT_THAT(verdict.line, testing::StartsWith("mana_0: "));
  if (row.kernel) {
    EXPECT_THAT(verdict.line, testing::HasSubstr(std::to_string(*row.kernel)));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, DriverIdVerdict, testing::ValuesIn(kRows), [](const auto& row) {
  return row.param.name;
});

TEST(DriverId, WarnsIfBtfDisagrees) {
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

TEST(DriverId, NamesTheDriversOfTheNumbers) {
  EXPECT_THAT(driver_id_owner(19), testing::HasSubstr("ERDMA"));
  EXPECT_THAT(driver_id_owner(19), testing::HasSubstr("MANA"));
  EXPECT_THAT(driver_id_owner(20), testing::StartsWith("MANA"));
  EXPECT_EQ(driver_id_owner(4711), "");
}

}  // namespace
}  // namespace manactl::diag::driver_id_test
