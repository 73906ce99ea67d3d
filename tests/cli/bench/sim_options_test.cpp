// SPDX-License-Identifier: MIT
//
// Every option of bench on the software adapter: it reaches the child, and does there what it does
// in a program that was started on the adapter by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_manactl.h"

namespace manactl::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

struct Tried {
  const char* option;
  Words words;          // with others that it wants
  const char* at = "";  // of the document
  json there;
};

// What a run on the adapter shows of each option. A new one wants a row here or below.
const Tried kTried[] = {
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
    {"--allow-synthetic", {"--allow-synthetic"}, "/exit", 0},
    {"--output", {"--output", "json"}, "/simulated", true},
    {"--no-save", {"--no-save"}, "/id", nullptr},
    {"--json", {"--json"}, "/simulated", true},
    {"--verbose", {"--verbose"}, "/simulated", true},
    {"--color", {"--color", "never"}, "/simulated", true},
};

// Not for the adapter, or no run at all.
const std::set<std::string> kRefused = {"--iface", "--port", "--vdev", "--root"};
const std::set<std::string> kElsewhere = {
    "--sim", "--list-drivers", "--help", "--version", "--config", "--results"};  // tests below

void PrintTo(const Tried& tried, std::ostream* out) {
  *out << tried.option;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Short, unless the words say how long.
Words run_of(const Words& more) {
  const bool timed = std::ranges::find(more, "--duration") != more.end();
  return with(timed ? Words{"bench"} : Words{"bench", "--duration", "50ms"}, more);
}

// As bench --sim sets the adapter up.
Words by_hand(const Words& more) {
  const auto has = [&](const char* word) { return std::ranges::find(more, word) != more.end(); };
  const char* backend = has("rx") ? "generator" : has("txrx") ? "loopback" : "sink";
  return with({"sim", "--doorbell", "call", "--backend", backend, "--", MANACTL_PROGRAM},
              run_of(more));
}

// What is below them depends on what was measured.
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

class OptionOnTheAdapter : public testing::TestWithParam<Tried> {};

TEST_P(OptionOnTheAdapter, DoesWhatItDoesByHand) {
  const auto& [option, words, at, there] = GetParam();
  const bool typed = option == std::string_view("--output") || option == std::string_view("--json");
  const auto more = typed ? words : with(words, {"--json"});
  const auto document = document_of(with(run_of(more), {"--sim"}));
  const json::json_pointer pointer(at);
  ASSERT_TRUE(document.contains(pointer)) << at;
  EXPECT_EQ(document[pointer].dump(), there.dump());
  const auto direct = document_of(by_hand(more));
  EXPECT_EQ(direct["plan"].dump(), document["plan"].dump());
  EXPECT_EQ(direct["engine"].dump(), document["engine"].dump());
  EXPECT_EQ(direct["exit"].dump(), document["exit"].dump());
  EXPECT_EQ(keys_of(direct), keys_of(document));
}

INSTANTIATE_TEST_SUITE_P(Each, OptionOnTheAdapter, testing::ValuesIn(kTried));

TEST(OptionsOnTheAdapter, AreAllTried) {
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
  for (const auto& tried : kTried) EXPECT_EQ(left.erase(tried.option), 1U) << tried.option;
  for (const auto& option : kRefused) EXPECT_EQ(left.erase(option), 1U) << option;
  for (const auto& option : kElsewhere) EXPECT_EQ(left.erase(option), 1U) << option;
  EXPECT_THAT(left, IsEmpty()) << "a new option of bench: what does it do with --sim?";
}

TEST(OptionsOnTheAdapter, ThatNameADeviceAreRefused) {
  for (const auto& option : kRefused) {
    const auto* value = option == "--root" ? "/tmp" : option == "--vdev" ? "net_null0" : "lo";
    const auto outcome = manactl({"bench", "--sim", option, value});
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  }
}

TEST(OptionsOnTheAdapter, ComeFromAFileAndTheEnvironment) {
  const TemporaryDirectory directory;
  const auto file = directory.file("a.toml", "[bench]\nqueues = 2\n");
  const Words words = {"bench", "--sim", "--json", "--duration", "50ms", "--config", file};
  Surroundings around;
  around.environment.emplace_back("MANACTL_BURST=8");
  const auto document = json::parse(manactl(words, around).out);
  EXPECT_EQ(document["plan"]["queues"], 2);
  EXPECT_EQ(document["plan"]["burst"], 8);
}

TEST(OptionsOnTheAdapter, KeepTheResultWhereTheySay) {
  const TemporaryDirectory directory;
  const auto place = directory.path("results");
  Surroundings around;
  around.environment = {"LC_ALL=C.UTF-8"};
  const auto words = with(run_of({"--sim", "--json"}), {"--results", place});
  const auto outcome = manactl(words, around);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string id = json::parse(outcome.out)["id"];
  EXPECT_THAT(manactl({"bench", "list", "--results", place}).out, HasSubstr(id));
  EXPECT_EQ(manactl(with(words, {"--no-save"}), around).code, 0);
  const std::filesystem::directory_iterator kept(place);
  EXPECT_EQ(std::distance(begin(kept), end(kept)), 1);
}

TEST(OptionsOnTheAdapter, ChooseTheFormOfTheOutput) {
  for (const auto* form : {"csv", "html", "ndjson"}) {
    const Words words = {"-o", form};
    const auto sim = manactl(with(run_of(words), {"--sim"}));
    const auto direct = manactl(by_hand(words));
    EXPECT_EQ(sim.code, 0) << form << ": " << sim.err;
    constexpr std::size_t kFront = 15;
    EXPECT_EQ(sim.out.substr(0, kFront), direct.out.substr(0, kFront)) << form;
    EXPECT_FALSE(sim.out.empty());
  }
}

}  // namespace
}  // namespace manactl::test
