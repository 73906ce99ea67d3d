// SPDX-License-Identifier: MIT

#include "diag/release_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::diag::release_table_test {
namespace {

using testing::HasSubstr;

const ReleaseTable& table() {
  return release_table();
}

std::vector<std::string> commits(const std::vector<const Fix*>& fixes) {
  std::vector<std::string> all;
  for (const Fix* fix : fixes) all.emplace_back(fix->commits);
  return all;
}

// A commit and, for each release line, the first release that contains it according to DPDK's git
// history; "-" if there is none.
struct First {
  std::string commit, mainline, lts22, lts23, lts24, lts25;
};

const std::vector<First> kFirst = {
    {"807440416c", "23.03", "22.11.2", "23.11", "24.11", "25.11"},
    {"7649794dcf", "24.11", "-", "-", "24.11", "25.11"},
    {"be4ed96378", "25.07", "22.11.9", "23.11.5", "24.11.3", "25.11"},
    {"484de923a5", "25.07", "-", "-", "-", "25.11"},
    {"da1fcd9b36", "26.03", "-", "23.11.7", "24.11.5", "25.11.1"},
    {"077ca514d6", "26.07", "-", "-", "-", "-"},
    {"ae220ee547", "23.07", "22.11", "23.11", "24.11", "25.11"},
    {"d564751748", "23.11", "22.11.4", "23.11", "24.11", "25.11"},
};

void expect_first(const Fix& fix, const std::string& first, const Release& tip) {
  if (first == "-") {
    EXPECT_FALSE(table().has(tip, fix)) << fix.commits << " in " << dpdk_name(tip);
    return;
  }
  const Release release = *Release::parse(first);
  EXPECT_TRUE(table().has(release, fix)) << fix.commits << " in " << first;
  if (release.patch > 0) {
    const Release before{release.major, release.minor, release.patch - 1};
    EXPECT_FALSE(table().has(before, fix)) << fix.commits << " in " << dpdk_name(before);
  }
}

std::string series_of(const char* size) {
  const auto* series = find_moving_series(size);
  return series == nullptr ? "-" : fmt::format("{} {}", series->name, series->since);
}

TEST(MovingSeries, IsFoundByTheSize) {
  EXPECT_EQ(series_of("Standard_D4s_v5"), "Dsv5 2026-05-26");
  EXPECT_EQ(series_of("Standard_D2pls_v6"), "Dplsv6 2026-05-26");
  EXPECT_EQ(series_of("Standard_E104ids_v5"), "Edsv5 2026-05-26");
  EXPECT_EQ(series_of("Standard_E112ibs_v5"), "Ebsv5 2026-05-26");
  EXPECT_EQ(series_of("Standard_DS13-4_v2"), "Dsv2 2026-08-06");
  EXPECT_EQ(series_of("Standard_D3_v2_Promo"), "Dv2 2026-08-06");
  EXPECT_EQ(series_of("Standard_D3"), "Dv1 2026-08-06");
  EXPECT_EQ(series_of("Standard_B2ts_v2"), "Bsv2 2026-08-06");
  EXPECT_EQ(series_of("Standard_GS5-16"), "Gs 2026-08-06");
  for (const auto* size : {"Standard_D4s_v6",    // always on MANA
                           "Standard_D4as_v5",   // AMD
                           "Standard_B2ats_v2",  // AMD
                           "Standard_NC24ads_A100_v4",
                           "Standard_L8s_v3",
                           "Standard_D",
                           "Standard_",
                           "D4s_v5",
                           ""}) {
    EXPECT_EQ(series_of(size), "-") << size;
  }
}

TEST(ReleaseTable, HasTheFirstReleaseOfEachLine) {
  for (const First& row : kFirst) {
    const auto found = std::find_if(table().fixes.begin(), table().fixes.end(), [&](const Fix& f) {
      return f.commits.find(row.commit) != std::string_view::npos;
    });
    ASSERT_NE(found, table().fixes.end()) << row.commit;
    EXPECT_EQ(dpdk_name(found->mainline), row.mainline);
    expect_first(*found, row.lts22, table().newest[0]);
    expect_first(*found, row.lts23, table().newest[1]);
    expect_first(*found, row.lts24, table().newest[2]);
    expect_first(*found, row.lts25, table().newest[3]);
  }
}

TEST(ReleaseTable, HasAllFixes) {
  EXPECT_EQ(table().fixes.size(), 37U);
  EXPECT_EQ(table().as_of, "2026-07-23");
  EXPECT_EQ(dpdk_name(table().newest[0]), "22.11.11");
}

TEST(ReleaseTable, IsConsistent) {
  for (const Fix& fix : table().fixes) {
    EXPECT_FALSE(fix.change.empty()) << fix.commits;
    for (std::size_t line = 0; line < Fix::kLines; ++line) {
      const Release tip = table().newest[line];
      const unsigned since = fix.lts.at(line);
      EXPECT_TRUE(since == Fix::kNever || since <= tip.patch) << fix.commits;
      // An LTS line that branched off after the fix contains the fix from its first release on.
      const bool branched_later = Release{tip.major, tip.minor, 0} >= fix.mainline;
      EXPECT_TRUE(!branched_later || since == 0) << fix.commits;
    }
  }
}

// The ids of the CVEs whose fixes the release lacks.
std::vector<std::string> missing_cves(const char* release) {
  std::vector<std::string> cves;
  for (const auto* fix : missing_kernel_fixes(*Release::parse(release))) {
    if (!fix->cve.empty()) cves.emplace_back(fix->cve);
  }
  return cves;
}

TEST(MissingKernelFixes, DependOnTheLineOfTheRelease) {
  // The first releases with the fix of CVE-2026-23454, by the record of the CVE.
  for (const char* before : {"6.1.166", "6.12.77", "6.18.19", "6.19.9", "6.17.13", "5.19.17"}) {
    EXPECT_THAT(missing_cves(before), testing::Contains("CVE-2026-23454")) << before;
  }
  for (const char* first : {"6.1.167", "6.12.78", "6.18.20", "6.19.10", "7.0.0", "7.2.1"}) {
    EXPECT_THAT(missing_cves(first), testing::Not(testing::Contains("CVE-2026-23454"))) << first;
  }
}

TEST(MissingKernelFixes, LeaveOutKernelsWithoutTheFaultAndLinesThatMayHaveTheFix) {
  // mana exists since 5.13, and mana_ib since 6.2.
  EXPECT_THAT(missing_cves("5.12.1"), testing::Not(testing::Contains("CVE-2026-23454")));
  EXPECT_THAT(missing_cves("6.1.192"), testing::IsEmpty());
  // 5.15 has long support, and the record of the CVE does not name a release of it.
  EXPECT_THAT(missing_cves("5.15.208"), testing::Not(testing::Contains("CVE-2026-23454")));
  EXPECT_THAT(missing_cves("5.15.208"), testing::Contains("CVE-2026-64018"));
}

TEST(MissingFixes, IncludeTheDriverIn22111) {
  const MissingFixes missing = find_missing_fixes({22, 11, 1}, {}, table());
  EXPECT_THAT(commits(missing.required), testing::ElementsAre(HasSubstr("807440416c")));
  ASSERT_TRUE(missing.nearest);
  // No 22.11 release has the recommended fix "safe stop", so the next LTS line is suggested.
  EXPECT_EQ(dpdk_name(*missing.nearest), "23.11.7");
}

TEST(MissingFixes, SuggestTheSameLineIfPossible) {
  MachineTraits input;
  input.manae = true;
  const MissingFixes missing = find_missing_fixes({24, 11, 2}, input, table());
  EXPECT_THAT(commits(missing.required), testing::ElementsAre(HasSubstr("be4ed96378")));
  EXPECT_EQ(dpdk_name(*missing.nearest), "24.11.5");
}

TEST(MissingFixes, IncludeTwoDevicesOnlyOnMachinesWithTwo) {
  EXPECT_TRUE(find_missing_fixes({24, 11, 2}, {}, table()).required.empty());
}

TEST(MissingFixes, SuggestTheNextLineWithArm64) {
  MachineTraits input;
  input.arm64 = true;
  const MissingFixes missing = find_missing_fixes({22, 11, 11}, input, table());
  EXPECT_THAT(commits(missing.required), testing::ElementsAre(HasSubstr("7649794dcf")));
  EXPECT_EQ(dpdk_name(*missing.nearest), "24.11.5");
}

TEST(MissingFixes, Suggest2511ForAPhysicalFunction) {
  MachineTraits input;
  input.pf = true;
  EXPECT_EQ(dpdk_name(*find_missing_fixes({24, 11, 6}, input, table()).nearest), "25.11.1");
}

TEST(MissingFixes, AreOnlyServicingFixesInTheNewestLts) {
  const MissingFixes missing = find_missing_fixes({25, 11, 2}, {}, table());
  EXPECT_TRUE(missing.required.empty());
  EXPECT_TRUE(missing.recommended.empty());
  EXPECT_FALSE(missing.nearest);
  EXPECT_FALSE(missing.servicing.empty());
  ASSERT_TRUE(missing.survives_servicing);
  EXPECT_EQ(dpdk_name(*missing.survives_servicing), "26.07");
}

TEST(MissingFixes, AreNoneFrom2607On) {
  for (const Release release : {Release{26, 7, 0}, Release{27, 3, 0}}) {
    const MissingFixes missing =
        find_missing_fixes(release, {true, true, true, true, true}, table());
    EXPECT_TRUE(missing.required.empty());
    EXPECT_TRUE(missing.recommended.empty());
    EXPECT_TRUE(missing.servicing.empty());
    EXPECT_FALSE(missing.survives_servicing);
  }
}

TEST(MissingFixes, CompareMainlineReleasesByTheirOwnHistory) {
  const MissingFixes missing = find_missing_fixes({25, 3, 0}, {}, table());
  EXPECT_TRUE(missing.required.empty());
  EXPECT_FALSE(missing.recommended.empty());
  EXPECT_EQ(dpdk_name(*missing.nearest), "25.11.1");
}

TEST(MissingFixes, IncludeTheDriverIn2111) {
  EXPECT_FALSE(find_missing_fixes({21, 11, 9}, {}, table()).required.empty());
}

}  // namespace
}  // namespace manactl::diag::release_table_test
