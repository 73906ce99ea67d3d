// SPDX-License-Identifier: MIT
//
// Bundles of doctor: what they contain, and what reads them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test::doctor_bundle_test {
namespace {

using testing::HasSubstr;

// The last lines that testpmd prints if it finds no ports.
constexpr const char* kNoPorts =
    "EAL: Detected CPU lcores: 2\n"
    "testpmd: No probed ethernet devices\n"
    "EAL: Error - exiting with code: 1\n";

TEST(Doctor, NamesTheBundleThatReportsAnUnknownFailure) {
  const TemporaryDirectory directory;
  const auto log = directory.file("testpmd.log", "EAL: frobnicator failed\n");
  const auto bundle = directory.path("b.tar.gz");
  manactl({"doctor", "--root", fixture("not-azure"), log, "--bundle", bundle});
  for (const auto* detail : {"", "-v"}) {
    std::vector<std::string> words = {"doctor", bundle};
    if (*detail != '\0') words.emplace_back(detail);
    const auto outcome = manactl(words);
    EXPECT_THAT(outcome.out, HasSubstr(fmt::format("  To report this, attach '{}'", bundle)));
    EXPECT_THAT(outcome.out, testing::Not(HasSubstr("--bundle")));
  }
  const auto json = manactl({"doctor", bundle, "--json"});
  EXPECT_TRUE(nlohmann::json::parse(json.out)["verdict"]["report_with"].is_null());
  EXPECT_THAT(manactl({"doctor", bundle, log}).out, HasSubstr("--bundle vm.tar.gz --scrub"))
      << "the bundle does not contain this log";
}

TEST(Bundle, IsAnalyzedOnAnotherMachineWithItsLogs) {
  const TemporaryDirectory directory;
  const auto log = directory.file("testpmd.log", kNoPorts);
  const auto bundle = directory.path("vm.tar.gz");
  const auto written = manactl({"doctor",
                                "--root",
                                fixture("healthy-two-nics"),
                                "--log",
                                log,
                                "--bundle",
                                bundle,
                                "--json"});
  ASSERT_LE(written.code, 1) << written.err;

  struct stat status{};

  ASSERT_EQ(stat(bundle.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  const auto read = manactl({"doctor", "--root", bundle, "--json"});
  EXPECT_EQ(read.code, written.code) << read.err;
  const auto document = nlohmann::json::parse(read.out);
  ASSERT_EQ(document["logs"].size(), 1U);
  EXPECT_EQ(document["logs"][0]["name"], "logs/1-testpmd.log");
  EXPECT_EQ(document["logs"][0]["lines"], 3);
  EXPECT_EQ(document["root"]["id"], nlohmann::json::parse(written.out)["root"]["id"]);
}

TEST(Bundle, IsAnArgumentOfDoctorAndCheck) {
  const TemporaryDirectory directory;
  const auto bundle = directory.path("vm.tar.gz");
  const auto written =
      manactl({"doctor", "--root", fixture("mana-ib-missing"), "--bundle", bundle, "--json"});
  ASSERT_EQ(written.code, 1) << written.err;
  const auto log = directory.file("testpmd.log", kNoPorts);
  for (const auto& words : {std::vector<std::string>{bundle}, {log, bundle}, {bundle, log}}) {
    std::vector<std::string> arguments = {"doctor", "--json"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const auto outcome = manactl(arguments);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    const auto* const root = words.size() == 1 ? "kernel.mana-ib" : "testpmd-no-ports";
    EXPECT_EQ(document["root"]["id"], root);
    EXPECT_GT(document["checks"], 0);
    EXPECT_EQ(document["logs"].size(), words.size() - 1);
  }
  const auto twice = manactl({"doctor", bundle, bundle});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("only one captured machine"));

  const auto checked = manactl({"check", bundle, "--json"});
  const auto captured = manactl({"check", "--root", fixture("mana-ib-missing"), "--json"});
  EXPECT_EQ(checked.code, captured.code) << checked.err;
  EXPECT_EQ(nlohmann::json::parse(checked.out)["checks"],
            nlohmann::json::parse(captured.out)["checks"]);
}

TEST(Doctor, WarnsOfTheLimitsOfScrubbing) {
  const TemporaryDirectory directory;
  const auto bundle = directory.path("b.tar.gz");
  const auto scrubbed =
      manactl({"doctor", "--root", fixture("healthy-two-nics"), "--bundle", bundle, "--scrub"});
  EXPECT_EQ(scrubbed.code, 0) << scrubbed.err;
  EXPECT_THAT(scrubbed.err, HasSubstr("--scrub does not recognize names in sentences"));
  EXPECT_EQ(scrubbed.error_lines(), 1U);
  const auto raw = directory.path("raw.tar.gz");
  const auto unscrubbed =
      manactl({"doctor", "--root", fixture("healthy-two-nics"), "--bundle", raw});
  EXPECT_THAT(unscrubbed.err,
              HasSubstr("the bundle contains addresses, host names and log text as they are"));
  EXPECT_EQ(unscrubbed.error_lines(), 1U);
}

TEST(Doctor, ListsTheContentsOfABundleAndDoesNotOverwriteIt) {
  const TemporaryDirectory directory;
  const auto bundle = directory.path("b.tar.gz");
  const auto write = [&] {
    return manactl({"doctor", "--root", fixture("healthy-two-nics"), "--bundle", bundle});
  };
  EXPECT_THAT(write().err, testing::ContainsRegex("its files by directory: .*manactl [1-9]"));
  const auto refused = write();
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("b.tar.gz' exists; remove it, or choose another name"));
}

TEST(Doctor, RejectsABundleInADirectoryThatDoesNotExist) {
  const TemporaryDirectory directory;
  const auto missing = directory.path("missing");
  const auto log = directory.file("log", "x");
  for (const auto& folder : {missing, log}) {
    const auto outcome = manactl(
        {"doctor", "--root", fixture("healthy-two-nics"), "--bundle", folder + "/b.tar.gz"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err,
                HasSubstr(fmt::format("'{}' is not a directory; choose another path, or create it",
                                      folder)));
    EXPECT_EQ(outcome.error_lines(), 1U);
  }
}

TEST(Doctor, WritesOnlyBundlesThatEveryCommandReads) {
  const TemporaryDirectory directory;
  const auto root = fixture("prepared-uio");
  for (const auto* name : {"b.tar", "b.tgz", "b.tar.gz", "b.tar.xz", "b.tar.zst"}) {
    const auto bundle = directory.path(name);
    ASSERT_EQ(manactl({"doctor", "--root", root, "--bundle", bundle}).code, 0) << name;
    for (const auto* command : {"check", "doctor", "status", "args"}) {
      const auto read = manactl({command, bundle});
      EXPECT_EQ(read.code, 0) << command << name << read.err;
      EXPECT_EQ(read.out, manactl({command, "--root", bundle}).out) << command << name;
      EXPECT_EQ(manactl({command, bundle, "--root", root}).code, 2) << command;
    }
  }
  const auto refused = manactl({"doctor", "--root", root, "--bundle", directory.path("b")});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("does not end in .tar.gz, .tgz, .tar.xz, .tar.zst or .tar"));
  EXPECT_EQ(manactl({"args", "a.tar.gz", "b.tar.gz"}).code, 2);
}

TEST(Doctor, ReviewsABundleWithoutATerminalAndWritesNothing) {
  const TemporaryDirectory directory;
  const auto bundle = directory.path("b.tar.gz");
  const auto controls = std::string(40, '\b') + " end of the line\n";
  const auto log =
      directory.file("a.log", "Nov 21 10:00:00 hyrule07 app: password=Tr1force\n\n" + controls);
  const auto outcome = manactl({"doctor",
                                "--root",
                                fixture("healthy-two-nics"),
                                "--log",
                                log,
                                "--bundle",
                                bundle,
                                "--scrub",
                                "--review"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("==> logs/1-a.log <==\nNov 21 10:00:00 host1 app: password=secret1\n\n"));
  EXPECT_THAT(outcome.out, HasSubstr(" end of the line\n"));
  EXPECT_THAT(outcome.out, HasSubstr("==> manactl/links.json <=="));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("Tr1force")));
  EXPECT_THAT(outcome.err, HasSubstr("1 hosts, "));
  EXPECT_THAT(outcome.err, HasSubstr("1 secrets"));
  EXPECT_THAT(outcome.err, HasSubstr("the bundle was not written"));
  struct stat status{};
  EXPECT_NE(stat(bundle.c_str(), &status), 0);
}

TEST(Doctor, ReadsBundlesAndCompressedLogsAsArguments) {
  const test::TemporaryDirectory directory;
  // "mana_dev_start(): failed to start tx queues -19\n", compressed with gzip.
  constexpr char kLog[] =
      "\037\213\010\000\000\000\000\000\002\003\313\115\314\113\214\117\111\055\213\057"
      "\056\111\054\052\321\320\264\122\110\113\314\314\111\115\121\050\311\127\000\013"
      "\051\224\124\050\024\226\246\226\246\026\053\350\032\132\162\001\000\032\025\352"
      "\011\060\000\000\000";
  const auto log = directory.file("testpmd.log.1.gz", std::string(kLog, sizeof kLog - 1));
  const auto outcome = manactl({"doctor", fixture("healthy-two-nics"), log});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("  line 1: mana_dev_start(): failed to start tx queues -19\n"));
  const auto two = manactl({"doctor", fixture("healthy-two-nics"), fixture("kernel-old")});
  EXPECT_EQ(two.code, 2);
  EXPECT_THAT(two.err, HasSubstr("only one captured machine can be inspected"));
}

}  // namespace
}  // namespace manactl::test::doctor_bundle_test
