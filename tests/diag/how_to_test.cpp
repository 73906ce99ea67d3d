// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>

#include <regex>

#include "base/text.h"
#include "diag/logs.h"

namespace manactl::diag::how_to_test {
namespace {

using test::diagnose_text;
using test::ids;
using test::root_id;
using test::sample;
using test::wrap;
using testing::UnorderedElementsAre;

struct HowTo {
  const char* name;
  const char* file;
  const char* root;
  std::uint64_t line;  // the line of the log that the root cause quotes
};

constexpr HowTo kHowTos[] = {
    {"LinkUp", "how-to-link-up.log", "mana-start-tx-enodev", 2},
    {"Hugepages", "how-to-hugepages.log", "eal-no-free-hugepages", 1},
    {"RdmaCore", "how-to-rdma-core.log", "mana-alloc-parent-domain", 6},
    {"VdevNetvsc", "vdev-netvsc.log", "vdev-netvsc-in-use", 1},
};

class HowToLog : public testing::TestWithParam<HowTo> {
 protected:
  std::string text() const { return sample(GetParam().file); }

  void expect_root(const std::string& log) const {
    const auto diagnosis = diagnose_text(log);
    ASSERT_EQ(root_id(diagnosis), GetParam().root) << log;
    EXPECT_EQ(diagnosis.root->quote->line, GetParam().line);
    EXPECT_THAT(diagnosis.others, testing::IsEmpty());
    EXPECT_THAT(diagnosis.unknown, testing::IsEmpty()) << diagnosis.unknown[0].quote->text;
  }
};

TEST_P(HowToLog, HasTheExpectedRootCause) {
  expect_root(text());
}

TEST_P(HowToLog, HasTheSameRootCauseWithLogPrefixes) {
  for (const std::string prefix : {"Nov 21 03:00:00 vm dpdk-testpmd[812]: ",
                                   "2026-11-21T03:00:00+0000 vm testpmd[812]: ",
                                   "[   12.345678] ",
                                   "<3>[   12.3] ",
                                   "[Sat Nov 21 03:00:00 2026] ",
                                   "2026-11-21T03:00:00.123456789Z stdout F ",
                                   "web_1  | ",
                                   "2026-11-21T03:00:00.123456789Z "}) {
    expect_root(wrap(text(), prefix));
  }
}

TEST_P(HowToLog, HasTheSameRootCauseInDockersJson) {
  const auto plain = text();
  std::string log;
  for (const auto line : split(plain, '\n')) {
    if (line.empty()) continue;
    const auto escaped = std::regex_replace(std::string(line), std::regex("\""), "\\\"");
    log += R"({"log":")" + escaped +
           R"(\n","stream":"stdout","time":"2026-11-21T03:00:00Z"})"
           "\n";
  }
  expect_root(log);
}

TEST_P(HowToLog, HasTheSameRootCauseWithColorsAndCarriageReturns) {
  expect_root(wrap(text(), "\x1b[1;31m", "\x1b[0m\r"));
  expect_root(std::regex_replace(text(), std::regex("(failed|free|qp)"), "\x1b[31m$1\x1b[m"));
}

TEST_P(HowToLog, HasTheSameRootCauseWithThePrefixesOfNewReleases) {
  auto log = std::regex_replace(text(), std::regex("(^|\n)(mana_\\w+\\(\\))"), "$1MANA_DRIVER: $2");
  log = std::regex_replace(log, std::regex("(^|\n)(hn_\\w+\\(\\))"), "$1HN_DRIVER: $2");
  log = std::regex_replace(log, std::regex("EAL: Probe PCI"), "PCI_BUS: Probe PCI");
  expect_root(log);
}

TEST_P(HowToLog, HasTheSameRootCauseWithPmdPrefixes) {
  expect_root(std::regex_replace(text(), std::regex("(^|\n)(mana_\\w+\\(\\))"), "$1PMD: $2"));
}

TEST_P(HowToLog, HasTheSameRootCauseIfTwoThreadsWriteIntoOneLine) {
  const auto plain = text();
  std::string log;
  for (const auto line : split(plain, '\n')) {
    if (!line.empty()) log += "EAL: lcore 3 is re" + std::string(line) + "\nady\n";
  }
  const auto diagnosis = diagnose_text(log);
  EXPECT_EQ(root_id(diagnosis), GetParam().root);
}

INSTANTIATE_TEST_SUITE_P(Sections, HowToLog, testing::ValuesIn(kHowTos), [](const auto& one) {
  return std::string(one.param.name);
});

TEST(HowTo, LinkUpReportsTheQueueAsConsequence) {
  EXPECT_THAT(ids(diagnose_text(sample("how-to-link-up.log")).consequences),
              UnorderedElementsAre("mana-tx-qp-create"));
}

// The log of a VM with Debian 13. It does not contain the arguments of the program.
TEST(HowTo, VdevNetvscExplainsThatTheKernelUsesThePort) {
  const auto diagnosis = diagnose_text(sample("vdev-netvsc-failed.log"));
  EXPECT_EQ(root_id(diagnosis), "vdev-netvsc-in-use");
  EXPECT_THAT(diagnosis.others, testing::IsEmpty());
  EXPECT_THAT(
      ids(diagnosis.consequences),
      UnorderedElementsAre("mana-tx-qp-create", "mana-start-tx-enodev", "testpmd-port-setup"));
  EXPECT_THAT(diagnosis.unknown, testing::IsEmpty()) << diagnosis.unknown[0].quote->text;
}

TEST(HowTo, PermissionDeniedIsAConsequenceOfMissingHugepages) {
  const auto diagnosis = diagnose_text(sample("how-to-hugepages.log"));
  EXPECT_THAT(ids(diagnosis.consequences),
              UnorderedElementsAre("eal-hugepage-info-fatal", "eal-init-failed"));
}

TEST(HowTo, DriverIdClashExplainsAllLaterErrors) {
  const auto diagnosis = diagnose_text(sample("how-to-rdma-core.log"));
  EXPECT_THAT(ids(diagnosis.consequences),
              UnorderedElementsAre("mana-probe-ib-port-failed",
                                   "eal-device-probe-failed",
                                   "eal-bus-failed",
                                   "netvsc-vf-not-found",
                                   "netvsc-vf-retry"));
  EXPECT_THAT(ids(diagnosis.benign),
              UnorderedElementsAre("eal-pci-probe-line", "mana-benign-mp-init"));
}

TEST(HowTo, DriverIdClashIsFoundWithoutTheLineThatNewReleasesOmit) {
  auto log = sample("how-to-rdma-core.log");
  log.erase(log.find("hn_vf_add"));
  EXPECT_EQ(root_id(diagnose_text(log)), "mana-alloc-parent-domain");
}

class HealthyLog : public testing::TestWithParam<const char*> {};

TEST_P(HealthyLog, HasNoRootCause) {
  for (const std::string prefix : {"", "Nov 21 03:00:00 vm x[812]: ", "web_1  | "}) {
    const auto diagnosis = diagnose_text(wrap(sample(GetParam()), prefix));
    EXPECT_EQ(root_id(diagnosis), "");
    EXPECT_THAT(ids(diagnosis.others), testing::IsEmpty());
    EXPECT_THAT(ids(diagnosis.consequences), testing::IsEmpty());
    EXPECT_THAT(ids(diagnosis.unknown), testing::IsEmpty());
    EXPECT_THAT(diagnosis.benign, testing::Not(testing::IsEmpty()));
  }
}

INSTANTIATE_TEST_SUITE_P(Samples,
                         HealthyLog,
                         testing::Values("healthy-testpmd.log", "healthy-dmesg.log"),
                         [](const auto& one) { return one.index == 0 ? "Testpmd" : "Dmesg"; });

}  // namespace
}  // namespace manactl::diag::how_to_test
