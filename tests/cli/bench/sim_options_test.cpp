// SPDX-License-Identifier: MIT
//
// Tests that every option of `manactl bench --sim` reaches the child process and has the same
// effect as in `manactl sim -- manactl bench`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_manactl.h"

namespace manactl::test::sim_options_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

struct OptionCase {
  const char* option;
  Words words;            // the option, its value, and options that it requires
  const char* path = "";  // JSON pointer to the expected value
  json expected;
};

// The effect of each option on the JSON output. Add each new option here or to a set below.
const OptionCase kCases[] = {
    {"--mode", {"--mode", "rx"}, "/plan/mode", "rx"},
    {"--queues", {"--queues", "2"}, "/plan/queues", 2},
    {"--duration", {"--duration", "60ms"}, "/plan/seconds", 0.06},
    {"--warmup", {"--warmup", "20ms"}, "/plan/warmup_seconds", 0.02},
    {"--burst", {"--burst", "16"}, "/plan/burst", 16},
    {"--descriptors", {"--descriptors", "128"}, "/plan/descriptors", 128},
    {"--interval", {"--interval", "30ms"}, "/plan/interval_seconds", 0.03},
    {"--size", {"--size", "imix"}, "/plan/sizes/2/bytes", 1518},
    {"--flows", {"--flows", "3"}, "/plan/flows", 3},
    {"--rate", {"--rate", "10kpps"}, "/plan/rate/value", 10000.0},
    {"--ramp", {"--ramp", "10ms", "--rate", "10kpps"}, "/plan/ramp_seconds", 0.01},
    {"--peer", {"--peer", "10.0.0.5"}, "/plan/peer_ip", "10.0.0.5"},
    {"--src-ip", {"--src-ip", "10.0.0.4"}, "/plan/source_ip", "10.0.0.4"},
    {"--dst-mac", {"--dst-mac", "00:0d:3a:00:00:01"}, "/plan/destination", "00:0d:3a:00:00:01"},
    {"--engine", {"--engine", "verbs"}, "/engine/name", "verbs"},
    {"--no-huge", {"--no-huge"}, "/plan/hugepages", false},
    {"--repeat", {"--repeat", "2"}, "/trials/1/interrupted", false},
    {"--find", {"--find", "ndr", "--mode", "txrx"}, "/search/found/0/loss", 0.0},
    {"--output", {"--output", "json"}, "/simulated", true},
    {"--label", {"--label", "first"}, "/label", "first"},
    {"--no-save", {"--no-save"}, "/id", nullptr},
    {"--json", {"--json"}, "/simulated", true},
    {"--verbose", {"--verbose"}, "/simulated", true},
    {"--quiet", {"--quiet"}, "/simulated", true},
    {"--color", {"--color", "never"}, "/simulated", true},
};

// Options that bench --sim refuses, and options that other tests cover.
const std::set<std::string> kRefused = {"--iface", "--port", "--vdev", "--root"};
const std::set<std::string> kElsewhere = {"--sim",
                                          "--allow-synthetic",
                                          "--list-drivers",
                                          "--help",
                                          "--version",
                                          "--config",
                                          "--results",
                                          "--until-deleted"};

void PrintTo(const OptionCase& option_case, std::ostream* out) {
  *out << option_case.option;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Returns the arguments of a short run, or of a run with the duration in `more`.
Words run_of(const Words& more) {
  const bool timed = std::ranges::find(more, "--duration") != more.end();
  return with(timed ? Words{"bench"} : Words{"bench", "--duration", "50ms"}, more);
}

// Returns the arguments of "sim -- bench" with the adapter settings that bench --sim would use.
Words run_on_sim(const Words& more) {
  const auto has = [&](const char* word) { return std::ranges::find(more, word) != more.end(); };
  const char* backend = has("rx") ? "generator" : has("txrx") ? "loopback" : "sink";
  return with({"sim", "--doorbell", "call", "--backend", backend, "--", MANACTL_PROGRAM},
              run_of(more));
}

// Returns the keys only, because the values depend on the measurement.
std::set<std::string> keys_of(const json& document) {
  std::set<std::string> keys;
  for (const auto& [key, value] : document.items()) keys.insert(key);
  return keys;
}

json document_of(const Words& words) {
  const auto outcome = manactl(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  auto document = json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << outcome.out;
  return document;
}

class OptionOnAdapter : public testing::TestWithParam<OptionCase> {};

TEST_P(OptionOnAdapter, HasTheSameEffectAsWithoutSim) {
  const auto& [option, words, path, expected] = GetParam();
  const bool sets_format =
      option == std::string_view("--output") || option == std::string_view("--json");
  const auto more = sets_format ? words : with(words, {"--json"});
  const auto document = document_of(with(run_of(more), {"--sim"}));
  const json::json_pointer pointer(path);
  ASSERT_TRUE(document.contains(pointer)) << path;
  EXPECT_EQ(document[pointer].dump(), expected.dump());
  const auto direct = document_of(run_on_sim(more));
  EXPECT_EQ(direct["plan"].dump(), document["plan"].dump());
  EXPECT_EQ(direct["engine"].dump(), document["engine"].dump());
  EXPECT_EQ(direct["exit"].dump(), document["exit"].dump());
  EXPECT_EQ(keys_of(direct), keys_of(document));
}

INSTANTIATE_TEST_SUITE_P(Each, OptionOnAdapter, testing::ValuesIn(kCases));

TEST(OptionsOnAdapter, AreAllTested) {
  const auto tree = json::parse(manactl({"__commands"}).out);
  std::set<std::string> left;
  const auto add = [&](const json& options) {
    for (const auto& option : options) left.insert(option["name"]);
  };
  add(tree["options"]);
  for (const auto& command : tree["commands"]) {
    if (command["name"] == "bench") add(command["options"]);
  }
  EXPECT_GT(left.size(), 20U);
  for (const auto& option_case : kCases)
    EXPECT_EQ(left.erase(option_case.option), 1U) << option_case.option;
  for (const auto& option : kRefused) EXPECT_EQ(left.erase(option), 1U) << option;
  for (const auto& option : kElsewhere) EXPECT_EQ(left.erase(option), 1U) << option;
  EXPECT_THAT(left, IsEmpty()) << "a new option of bench: what does it do with --sim?";
}

TEST(OptionsOnAdapter, AreRejectedIfTheyNameADevice) {
  for (const auto& option : kRefused) {
    const auto* value = option == "--root" ? "/tmp" : option == "--vdev" ? "net_null0" : "lo";
    const auto outcome = manactl({"bench", "--sim", option, value});
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  }
}

TEST(OptionsOnAdapter, ComeFromAFileAndTheEnvironment) {
  const TemporaryDirectory directory;
  const auto file = directory.file("a.toml", "[bench]\nqueues = 2\nallow-synthetic = true\n");
  const Words words = {"bench", "--sim", "--json", "--duration", "50ms", "--config", file};
  ProcessOptions process;
  process.environment.emplace_back("MANACTL_BURST=8");
  const auto document = json::parse(manactl(words, process).out);
  EXPECT_EQ(document["plan"]["queues"], 2);
  EXPECT_EQ(document["plan"]["burst"], 8);
  EXPECT_EQ(document["path"]["synthetic_allowed"], true);
}

TEST(OptionsOnAdapter, ChooseTheDirectoryOfSavedResults) {
  const TemporaryDirectory directory;
  const auto place = directory.path("results");
  ProcessOptions process;
  process.environment = {"LC_ALL=C.UTF-8"};
  const auto words = with(run_of({"--sim", "--json"}), {"--results", place});
  const auto outcome = manactl(words, process);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string id = json::parse(outcome.out)["id"];
  EXPECT_THAT(manactl({"bench", "list", "--results", place}).out, HasSubstr(id));
  process.environment.push_back("MANACTL_RESULTS=" + place);
  EXPECT_EQ(manactl(with(run_of({"--sim", "--json"}), {"--no-save"}), process).code, 0);
  const std::filesystem::directory_iterator saved(place);
  EXPECT_EQ(std::distance(begin(saved), end(saved)), 1);
}

TEST(OptionsOnAdapter, ChooseTheOutputFormat) {
  for (const auto* form : {"csv", "html", "ndjson"}) {
    const Words words = {"-o", form};
    const auto sim = manactl(with(run_of(words), {"--sim"}));
    const auto direct = manactl(run_on_sim(words));
    EXPECT_EQ(sim.code, 0) << form << ": " << sim.err;
    constexpr std::size_t kFront = 15;
    EXPECT_EQ(sim.out.substr(0, kFront), direct.out.substr(0, kFront)) << form;
    EXPECT_FALSE(sim.out.empty());
  }
}

}  // namespace
}  // namespace manactl::test::sim_options_test
