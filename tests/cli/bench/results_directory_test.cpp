// SPDX-License-Identifier: MIT
//
// Tests the directory of saved results: when bench tests it, and what other commands read from it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "report/sample_results.h"

namespace manactl::test::results_directory_test {
namespace {

using datapath::Mode;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kId = "20261121-134702-3f2a";

class ResultsDirectory : public testing::Test {
 protected:
  ResultsDirectory() { std::filesystem::create_directory(place_); }

  void keep(const std::string& text) const {
    directory_.file("results/" + std::string(kId) + ".json", text);
  }

  Outcome run(const std::vector<std::string>& words) const { return manactl(words, process()); }

  ProcessOptions process() const {
    ProcessOptions process;
    process.environment = {"LC_ALL=C.UTF-8", "MANACTL_RESULTS=" + place_};
    return process;
  }

  TemporaryDirectory directory_;
  std::string place_ = directory_.path("results");
};

TEST_F(ResultsDirectory, AreSavedInARelativeDirectory) {
  const auto relative = std::filesystem::relative(directory_.path("new")).string();
  const auto outcome =
      run({"bench", "--sim", "--duration", "10ms", "--results", relative, "--label", "first"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(run({"bench", "show", "first", "--results", relative}).code, 0);
}

TEST_F(ResultsDirectory, AreRefusedBeforeTheFirstPacket) {
  chmod(place_.c_str(), 0777);
  for (const auto* device : {"--sim", "--vdev=net_null0"}) {
    const auto outcome = run({"bench", device, "--duration", "1h", "--results", place_});
    EXPECT_EQ(outcome.code, 4);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("is writable by others"));
  }
}

TEST_F(ResultsDirectory, FailToBeWrittenWithoutLosingTheOutput) {
  const auto file = directory_.path("running");
  const auto outcome = manactl_until(
      {"bench", "--vdev=net_null0", "--no-huge", "-o", "csv", "--until-deleted", file},
      file,
      [&] { return chmod(place_.c_str(), 0777) == 0 && unlink(file.c_str()) == 0; },
      process());
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, StartsWith("trial,"));
  EXPECT_EQ(outcome.error_lines(), 1U);
  EXPECT_THAT(outcome.err, HasSubstr("cannot save the result: "));
}

TEST_F(ResultsDirectory, AreCompletedByTheirLabels) {
  auto result = steady(Mode::tx, 1e7);
  for (const auto* label : {"before", "two words", ":files"}) {
    result.label = label;
    keep(document(result));
    const auto offered = run({"__complete", "--", "bench", "show", ""}).out;
    const bool is_offered = offered.find(fmt::format("\n{}\ttx on", label)) != std::string::npos;
    EXPECT_EQ(is_offered, std::string_view(label) == "before") << offered;
  }
}

// The rate of a trial is not that of a search.
TEST_F(ResultsDirectory, AreListedWithTheResultOfTheirSearch) {
  auto result = eventful();
  keep(document(result));
  EXPECT_THAT(run({"bench", "list"}).out, HasSubstr("ndr 1.000 Mpps"));
  const auto row = json::parse(run({"bench", "list", "--json"}).out)["results"][0];
  EXPECT_EQ(row["goal"], "ndr");
  EXPECT_EQ(row["packets_per_second"], 1e6);
  const auto shown = run({"bench", "show", kId}).out;
  EXPECT_THAT(shown.substr(shown.find('\n')), StartsWith("\n  ndr    "));
  EXPECT_THAT(shown, Not(HasSubstr("  rate    ")));
}

}  // namespace
}  // namespace manactl::test::results_directory_test
