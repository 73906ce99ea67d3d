// SPDX-License-Identifier: MIT
//
// Tests bench list and show, and how commands find results by id or file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/bench/bench_files.h"
#include "cli/run_manactl.h"
#include "datapath/bench.h"
#include "datapath/engines.h"
#include "report/result_store.h"
#include "report/sample_results.h"

namespace manactl::test::cmd_bench_saved_test {
namespace {

using datapath::Mode;
using nlohmann::json;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kOld = "20261121-134702-3f2a";
constexpr const char* kNew = "20261121-134703-3f2a";

class SavedResults : public testing::Test {
 protected:
  SavedResults() { std::filesystem::create_directory(place_); }

  void keep(const std::string& id, const std::string& text) const {
    directory_.file("results/" + id + ".json", text);
  }

  Outcome run(const std::vector<std::string>& words, const std::string& input = {}) const {
    ProcessOptions process;
    process.environment = {"LC_ALL=C.UTF-8", "MANACTL_RESULTS=" + place_};
    process.input = input;
    return manactl(words, process);
  }

  TemporaryDirectory directory_;
  std::string place_ = directory_.path("results");
};

TEST_F(SavedResults, AreListedNewestFirst) {
  keep(kOld, document(steady(Mode::tx, 1e7)));
  keep(kNew, document(steady(Mode::rx, 2e7)));
  const auto outcome = run({"bench", "list"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_LT(outcome.out.find(kNew), outcome.out.find(kOld));
  EXPECT_THAT(outcome.out, HasSubstr("20.010 Mpps"));
  const auto list = json::parse(run({"bench", "list", "--json"}).out);
  ASSERT_EQ(list["results"].size(), 2U);
  EXPECT_EQ(list["results"][1]["id"], kOld);
  EXPECT_EQ(list["results"][1]["mode"], "tx");
  EXPECT_EQ(list["results"][1]["started"], "2026-11-21T13:47:02.000Z");
  EXPECT_NEAR(list["results"][1]["packets_per_second"].get<double>(), 1.001e7, 1e5);
}

TEST_F(SavedResults, AreListedWithTheReceivedFrameSize) {
  auto received = steady(Mode::rx, 2e7);
  received.plan.traffic.sizes = {{1518, 1}};
  keep(kOld, document(received));
  auto nothing = steady(Mode::rx, 0);
  keep(kNew, document(nothing));
  const auto list = json::parse(run({"bench", "list", "--json"}).out);
  EXPECT_TRUE(list["results"][0]["frame_bytes"].is_null());
  EXPECT_EQ(list["results"][1]["frame_bytes"], 64);
  EXPECT_THAT(run({"bench", "show", kOld}).out, HasSubstr("frames of 64 bytes on average"));
}

TEST_F(SavedResults, AreListedWithTheErrorIfTheyCannotBeRead) {
  keep(kOld, "{}");
  const auto outcome = run({"bench", "list"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("is not a result of bench"));
  const auto list = json::parse(run({"bench", "list", "--json"}).out);
  EXPECT_THAT(list["results"][0]["error"].get<std::string>(), HasSubstr("not a result of bench"));
}

TEST_F(SavedResults, AreEmptyAtFirst) {
  EXPECT_EQ(run({"bench", "list"}).out,
            "No saved results in " + place_ + "; use --results DIR for another directory.\n");
  const auto outcome = run({"bench", "show"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error_lines(), 1U);
  EXPECT_THAT(outcome.err, HasSubstr("no result is saved yet in " + place_));
}

TEST_F(SavedResults, AreShownInEveryOutputFormat) {
  const auto text = document(eventful());
  keep(kOld, text);
  EXPECT_EQ(run({"bench", "show", kOld, "-o", "json"}).out, text);
  EXPECT_EQ(run({"bench", "show", kOld, "--json"}).out, text);
  EXPECT_THAT(run({"bench", "show", kOld, "-ocsv"}).out, StartsWith("trial,interval,"));
  EXPECT_THAT(run({"bench", "show", kOld, "-o", "ndjson"}).out, HasSubstr(R"("event":"end")"));
  EXPECT_THAT(run({"bench", "show", kOld, "--output=html"}).out, StartsWith("<!DOCTYPE html>"));
  const auto table = run({"bench", "show", kOld}).out;
  EXPECT_THAT(table, HasSubstr("p99 99"));
  EXPECT_THAT(table, StartsWith("Interrupted: "));
  EXPECT_THAT(table, HasSubstr("more notes (-v)\n"));
  EXPECT_THAT(run({"bench", "show", kOld, "-v"}).out, HasSubstr("eth1 was removed after 2.50 s"));
}

TEST_F(SavedResults, AreShownWithTheirOrigin) {
  auto result = steady(Mode::tx, 1e7);
  keep(kOld, document(result));
  EXPECT_THAT(run({"bench", "show"}).out,
              EndsWith("  Result 20261121-134702-3f2a, measured at 2026-11-21T13:47:02.000Z\n"));
  result.label = "baseline";
  result.machine.host = "vm-one";
  keep(kOld, document(result));
  EXPECT_THAT(run({"bench", "show"}).out, HasSubstr("3f2a (baseline), measured on vm-one at 2026"));
  EXPECT_THAT(run({"bench", "show", "-"}, document(result)).out,
              EndsWith("  Measured on vm-one at 2026-11-21T13:47:02.000Z\n"));
}

TEST_F(SavedResults, AreFoundById) {
  keep(kOld, document(steady(Mode::tx, 1e7)));
  keep(kNew, document(steady(Mode::tx, 0.9e7)));
  EXPECT_THAT(run({"bench", "show"}).out, HasSubstr("9.004 Mpps"));  // no id: the newest result
  EXPECT_EQ(run({"bench", "compare", kOld, kNew, "--strict"}).code, 1);
  EXPECT_EQ(run({"bench", "compare", kOld, "-"}, document(steady(Mode::tx, 1e7))).code, 0);
  EXPECT_EQ(run({"bench", "show", place_ + "/" + kOld + ".json"}).code, 0);
}

TEST_F(SavedResults, AreFoundByLabelPrefixAndAge) {
  auto labeled = steady(Mode::tx, 1e7);
  labeled.label = "2026 baseline";
  keep(kOld, document(labeled));
  keep(kNew, document(steady(Mode::rx, 2e7)));
  EXPECT_THAT(run({"bench", "show", "2026 baseline"}).out, StartsWith("tx on"));
  EXPECT_THAT(run({"bench", "show", "20261121-134702"}).out, StartsWith("tx on"));
  EXPECT_THAT(run({"bench", "show", "latest"}).out, StartsWith("rx on"));
  EXPECT_THAT(run({"bench", "compare", "2026 baseline", "-"}, document(labeled)).out,
              HasSubstr("2026 baseline (" + std::string(kOld) + ")"));
  const auto same = run({"bench", "compare", "20261121-134702", "2026 baseline"});
  EXPECT_EQ(same.code, 2);
  EXPECT_THAT(same.err, HasSubstr("cannot compare result " + std::string(kOld)));
  keep("20261121-134704-3f2a", document(labeled));
  const auto rows = json::parse(run({"bench", "list", "--json"}).out)["results"];
  EXPECT_EQ(rows[0]["label"], "2026 baseline");
  EXPECT_EQ(rows[1]["label"], json());
}

// Another user may create files in the current directory, such as /tmp.
TEST_F(SavedResults, AreNotHiddenByFiles) {
  auto labeled = steady(Mode::tx, 1e7);
  labeled.label = "base";
  keep(kOld, document(labeled));
  for (const char* name : {"latest", "base", "other", kOld}) {
    directory_.file(name, document(steady(Mode::rx, 2e7)));
  }
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_.path(""));
  EXPECT_THAT(run({"bench", "show"}).out, StartsWith("tx on"));
  EXPECT_THAT(run({"bench", "show", "latest"}).out, StartsWith("tx on"));
  EXPECT_THAT(run({"bench", "show", kOld}).out, StartsWith("tx on"));
  EXPECT_THAT(run({"bench", "show", "./latest"}).out, StartsWith("rx on"));
  EXPECT_THAT(run({"bench", "show", "./base"}).out, StartsWith("rx on"));
  EXPECT_THAT(run({"bench", "show", "other"}).out, StartsWith("rx on"));
  const auto outcome = run({"bench", "show", "base"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "manactl: bench show: 'base' is both a file and a saved result: use './base' for the "
            "file, or '" +
                std::string(kOld) + "' for the saved result\n");
  std::filesystem::current_path(before);
}

TEST(BenchFiles, SaveAResultWithTheIdThatTheyHaveChosen) {
  const TemporaryDirectory directory;
  const auto save = [&](const std::string& id, const std::string& text) -> Result<> {
    directory.file(id, text);
    return {};
  };
  const auto files = cli::start_files_process(nullptr, save, {});
  ASSERT_TRUE(files);
  EXPECT_TRUE(report::is_result_id((*files)->id()));
  ASSERT_TRUE((*files)->save("text"));
  EXPECT_TRUE(std::filesystem::exists(directory.path((*files)->id())));
  EXPECT_FALSE((*files)->save("again")) << "a run saves one result";
}

TEST(BenchFiles, NameTheLimitOfTheSize) {
  const auto save = [](const std::string& /*id*/, const std::string& /*text*/) -> Result<> {
    return {};
  };
  const auto remote = cli::start_files_process(nullptr, save, {});
  ASSERT_TRUE(remote);
  const auto local = cli::local_files(nullptr, save);
  const std::string large((std::size_t{64} << 20U) + 1, 'x');
  for (auto* files : {remote->get(), local.get()}) {
    const auto saved = files->save(large);
    ASSERT_FALSE(saved);
    EXPECT_THAT(saved.error().message, StartsWith("the result is larger than 64 MiB: "));
    EXPECT_TRUE(files->save("text")) << "a smaller result";
  }
}

TEST_F(SavedResults, AreNotFoundByOtherWords) {
  EXPECT_THAT(run({"bench", "show", "latest"}).err,
              HasSubstr("no result is saved yet in " + place_));
  EXPECT_THAT(run({"bench", "show", "none"}).err, HasSubstr("'none' is not a file"));
  keep(kOld, document(steady(Mode::tx, 1e7)));
  keep(kNew, document(steady(Mode::tx, 1e7)));
  const auto outcome = run({"bench", "show", "none"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error_lines(), 1U);
  EXPECT_THAT(outcome.err, HasSubstr("'none' is neither a file nor an id"));
  EXPECT_THAT(run({"bench", "show", "2026"}).err, HasSubstr("several saved results"));
}

TEST_F(SavedResults, AreMarkedAsNoisyInTheList) {
  keep(kOld, document(steady(Mode::tx, 1e7)));
  auto noisy = steady(Mode::tx, 1e7);
  noisy.label = "disturbed";
  noisy.summary.reasons = {"the rate varies by 9.0 %"};
  keep(kNew, document(noisy));
  const auto list = run({"bench", "list"}).out;
  EXPECT_THAT(list, HasSubstr("Mpps noisy  disturbed  net_null0\n"));
  EXPECT_THAT(list, HasSubstr("Mpps -      -          net_null0\n"));
}

TEST_F(SavedResults, AreRemovedByName) {
  keep(kOld, document(steady(Mode::tx, 1e7)));
  keep(kNew, document(steady(Mode::tx, 1e7)));
  const auto rehearsal = run({"bench", "rm", "latest", "--dry-run"});
  EXPECT_EQ(rehearsal.out, "Would remove " + std::string(kNew) + "\n");
  const auto removed = run({"bench", "rm", "latest", kNew, "--json"});
  EXPECT_EQ(removed.code, 0) << removed.err;
  EXPECT_EQ(json::parse(removed.out)["removed"], json::array({kNew}));
  const auto list = run({"bench", "list"}).out;
  EXPECT_THAT(list, HasSubstr(kOld));
  EXPECT_THAT(list, Not(HasSubstr(kNew)));
  for (const auto& call :
       std::vector<std::vector<std::string>>{{"bench", "rm"},
                                             {"bench", "rm", kNew},
                                             {"bench", "rm", kOld, "none"},
                                             {"bench", "rm", kOld, kNew},
                                             {"bench", "rm", kNew, "--dry-run"}}) {
    const auto outcome = run(call);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  }
  EXPECT_THAT(run({"bench", "list"}).out, HasSubstr(kOld));
}

TEST_F(SavedResults, RejectLabelsThatNameOtherResults) {
  for (const auto* label :
       {"latest", "-", "a/b", kOld, "", "12345678901234567890123456789012345678901"}) {
    const auto outcome = run({"bench", "--label", label});
    EXPECT_EQ(outcome.code, 2) << label;
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  }
}

TEST_F(SavedResults, AreCompletedByTheShell) {
  keep(kOld, "{}");
  const auto offered = run({"__complete", "--", "bench", "show", "2026"}).out;
  EXPECT_EQ(offered, std::string(kOld) + "\n:files\n");
  const auto other = directory_.path("other");
  EXPECT_EQ(run({"__complete", "--", "bench", "show", "--results", other, ""}).out, ":files\n");
  std::filesystem::create_directory(other);
  directory_.file("other/" + std::string(kNew) + ".json", "{}");
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"--results", other}, {"--results=" + other}}) {
    std::vector<std::string> call = {"__complete", "--", "bench", "show", "2026"};
    call.insert(call.end() - 1, words.begin(), words.end());
    EXPECT_EQ(run(call).out, std::string(kNew) + "\n:files\n");
  }
}

TEST_F(SavedResults, AreRejectedWithOneLine) {
  keep(kOld, "nonsense");
  chmod(place_.c_str(), 0777);

  struct Case {
    std::vector<std::string> words;
    int code;
    const char* message;
  };

  for (const auto& [words, code, message] : std::vector<Case>{
           {{"bench", "show", kOld}, 4, "is writable by others"},
           {{"bench", "list"}, 4, "is writable by others"},
           {{"bench", "show", "20261121-134702-ffff", "--results", "/nowhere"}, 2, "no result"},
           {{"bench", "show", "/nowhere"}, 2, "/nowhere"},
           {{"bench", "show", "/"}, 2, "is a directory"},
           {{"bench", "show", "x", "--json", "-o", "csv"}, 2, "mutually exclusive"},
           {{"bench", "show", "-o", "jsn"}, 2, "did you mean 'json'?"},
           {{"bench", "show", "-o"}, 2, "-o needs a value"},
           {{"bench", "show", "-o", "--json"}, 2, "-o needs a value"},
           {{"bench", "compare", "a", "b", "-o", "csv"}, 2, "not one of text, json, html"}}) {
    const auto outcome = run(words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    const bool is_document = outcome.out.find("manactl.error/1") != std::string::npos;
    EXPECT_TRUE(outcome.out.empty() || is_document) << outcome.out;
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
}

TEST_F(SavedResults, AreNotShownWithoutTheirSeries) {
  auto part = json::parse(document(eventful()));
  part.erase("series");
  for (const auto* form : {"text", "json", "ndjson", "csv", "html"}) {
    const auto outcome = run({"bench", "show", "-", "-o", form}, part.dump());
    EXPECT_EQ(outcome.code, 2) << form;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("'-' has no 'series'"));
    EXPECT_THAT(outcome.err, HasSubstr("bench show 20261121-134702-3f2a"));
  }
  part["id"] = json();
  const auto outcome = run({"bench", "show", "-"}, part.dump());
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("bench -o json"));
}

TEST_F(SavedResults, AreComparedWithoutTheirSeries) {
  auto part = json::parse(document(steady(Mode::tx, 1e7)));
  part.erase("series");
  keep(kOld, document(steady(Mode::tx, 1e7)));
  EXPECT_EQ(run({"bench", "compare", kOld, "-"}, part.dump()).code, 0);
}

std::vector<std::string> brief(std::vector<std::string> more = {}) {
  std::vector<std::string> words = {
      "bench", "--vdev", "net_null0", "--duration", "50ms", "--interval", "10ms", "--no-huge"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(SavedResults, EqualTheOutputOfBench) {
  const auto outcome = run(brief({"--json", "--label", "first"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto id = json::parse(outcome.out)["id"].get<std::string>();
  EXPECT_EQ(outcome.err, "manactl: saved as " + id + "\n");
  EXPECT_EQ(run({"bench", "show", "first", "--json"}).out, outcome.out);
  EXPECT_EQ(run({"bench", "show", id, "--json"}).out, outcome.out);
}

TEST_F(SavedResults, AreNotWrittenWithNoSave) {
  const auto outcome = run(brief({"--json", "--no-save"}));
  EXPECT_EQ(json::parse(outcome.out)["id"], json());
  EXPECT_EQ(run({"bench", "list"}).out,
            "No saved results in " + place_ + "; use --results DIR for another directory.\n");
}

using BenchEvents = SavedResults;

TEST_F(BenchEvents, BeginWithStartAndFinishWithEnd) {
  const auto outcome = run(brief({"-o", "ndjson"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<std::string> events;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    events.push_back(json::parse(line)["event"].get<std::string>());
  }
  ASSERT_GE(events.size(), 4U);
  EXPECT_EQ(events.front(), "start");
  EXPECT_EQ(events[1], "interval");
  EXPECT_EQ(events.back(), "end");
}

// At a low rate, few packets share the cost of a burst.
TEST(BenchShow, StatesThatBurstsWereNotFull) {
  const TemporaryDirectory directory;
  auto result = steady(Mode::tx, 1e6);
  const auto show = [&] {
    return manactl({"bench", "show", directory.file("one.json", document(result))}).out;
  };
  EXPECT_THAT(show(), HasSubstr("  cycles per packet   20.0\n"));
  auto& effort = result.report.trials.front().total.effort;
  effort.full_bursts = (effort.polls - effort.empty_polls) / 3;
  EXPECT_THAT(show(),
              HasSubstr("  cycles per packet   20.0, mostly in bursts that were not full\n"));
}

}  // namespace
}  // namespace manactl::test::cmd_bench_saved_test
