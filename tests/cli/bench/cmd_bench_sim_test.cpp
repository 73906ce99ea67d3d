// SPDX-License-Identifier: MIT
//
// bench on the software adapter, as a user starts it: this program in itself, with the library in
// front of libibverbs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_manactl.h"

namespace manactl::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Words = std::vector<std::string>;

constexpr const char* kKept = "The driver kept the contract.";
constexpr const char* kFirstLine = "manactl: no MANA here: measuring the software adapter";

Words bench(const Words& more) {
  Words words = {"bench", "--duration", "100ms", "--interval", "50ms", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(BenchOnTheAdapter, KeepsTheContractInEveryMode) {
  for (const auto* mode : {"tx", "rx", "txrx", "fwd", "rtt"}) {
    for (const auto* queues : {"1", "8"}) {
      const auto outcome =
          manactl(bench({"--sim", "--mode", mode, "--queues", queues, "--size", "128"}));
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr(kKept));
      const auto document = nlohmann::json::parse(outcome.out);
      EXPECT_EQ(document["engine"]["name"], "verbs");
      EXPECT_EQ(document["simulated"], true);
      EXPECT_GT(document["total"]["packets"], 0);
      EXPECT_EQ(document["queues"].size(), std::stoul(queues));
    }
  }
}

TEST(BenchOnTheAdapter, StandsInWhereNoManaIs) {
  const bool without_mana = manactl({"check"}).code == 3;
  const auto outcome = manactl(bench({}));
  if (!without_mana) {
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("a device is missing"));
    return;
  }
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, StartsWith(kFirstLine));
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["simulated"], true);
}

TEST(BenchOnTheAdapter, IsNeverInPlaceOfAnInterface) {
  // The second is also the word of a command.
  for (const auto& words :
       std::vector<Words>{{"nosuch0"}, {"--iface", "list"}, {"--port", "no0"}}) {
    const auto outcome = manactl(bench(words));
    EXPECT_EQ(outcome.code, 3) << words.back();
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("'" + words.back() + "'"));
  }
}

// The link of the adapter takes no more; a driver has to wait for it, and nothing is lost.
TEST(BenchOnTheAdapter, FindsTheRateOfALink) {
  constexpr double kLink = 20000;
  const auto outcome = manactl({"sim",
                                "--backend",
                                "loopback",
                                "--pps",
                                std::to_string(static_cast<int>(kLink)),
                                "--",
                                MANACTL_PROGRAM,
                                "bench",
                                "--mode",
                                "txrx",
                                "--find",
                                "ndr,pdr=0.5%",
                                "--duration",
                                "500ms",
                                "--interval",
                                "100ms",
                                "--no-save",
                                "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(kKept));
  const auto search = nlohmann::json::parse(outcome.out)["search"];
  ASSERT_EQ(search["found"].size(), 2U);
  EXPECT_EQ(search["found"][1]["loss"], 0.005);
  for (const auto& found : search["found"]) {
    ASSERT_TRUE(found["lower"].is_number()) << search;
    EXPECT_GT(found["lower"], 0);
    EXPECT_LT(found["lower"], 1.5 * kLink);  // a short trial ends with its last packets on the way
    EXPECT_TRUE(found["upper"].is_null()) << "nothing was lost at any rate";
  }
  for (const auto& probe : search["probes"]) EXPECT_EQ(probe["received"], probe["sent"]);
}

// As when the host takes the VF: an event as it happens, one in the document, and a partial rate.
TEST(BenchOnTheAdapter, TellsThatTheDeviceLeft) {
  const auto outcome = manactl({"sim",
                                "--fault",
                                "device=fatal,ms=1000",
                                "--",
                                MANACTL_PROGRAM,
                                "bench",
                                "--duration",
                                "3",
                                "--interval",
                                "50ms",
                                "--no-save",
                                "--output",
                                "ndjson"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::vector<nlohmann::json> events;
  for (std::string line; std::getline(lines, line);) events.push_back(nlohmann::json::parse(line));
  const auto left = std::find_if(
      events.begin(), events.end(), [](const auto& event) { return event["event"] == "device"; });
  ASSERT_NE(left, events.end());
  EXPECT_EQ((*left)["kind"], "removed");
  EXPECT_EQ((*left)["trial"], 0);
  ASSERT_NE(left + 1, events.end());
  EXPECT_EQ((*(left + 1))["event"], "interval");
  EXPECT_EQ((*(left + 1))["disturbed"], true);
  EXPECT_NEAR(
      (*left)["at_seconds"].get<double>(), (*(left + 1))["ends_seconds"].get<double>(), 1e-6);
  const auto& trial = events.back()["result"]["trials"][0];
  ASSERT_EQ(trial["events"].size(), 1U);
  EXPECT_EQ(trial["events"][0]["kind"], "removed");
  ASSERT_TRUE(trial["servicing"].is_object());
  EXPECT_TRUE(trial["servicing"]["after"].is_null());
}

struct Fault {
  const char* fault;
  int code;
  const char* says;
};

// The errno of the kernel, who holds the port, and the command that frees it.
TEST(BenchOnTheAdapter, ExplainsWhatTheDriverRefuses) {
  for (const auto& [fault, code, says] : std::vector<Fault>{
           {"create_qp=errno:EBUSY",
            5,
            "(EBUSY): the kernel has it while 'sim0' is up; run: ip link set sim0 down"},
           {"create_qp=errno:ENODEV",
            5,
            "(ENODEV, as kernels before 7.2 say it): the kernel has it while 'sim0' is up; run: ip "
            "link set sim0 down"},
           {"create_qp=errno:EOPNOTSUPP", 3, "mana_ib of this kernel does not do that"},
           {"create_qp=errno:EPERM", 4, "CAP_NET_RAW"},
           {"alloc_parent_domain=missing",
            3,
            "is not libmana (alloc_parent_domain: EOPNOTSUPP); compare their driver ids: manactl "
            "check --only rdma"},
           {"open_device=errno:EACCES", 4, "open_device"},
       }) {
    const auto outcome =
        manactl({"sim", "--fault", fault, "--", MANACTL_PROGRAM, "bench", "--duration", "10ms"});
    EXPECT_EQ(outcome.code, code) << fault;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(says));
    EXPECT_THAT(outcome.err, HasSubstr(kKept)) << "nothing is left behind";
  }
}

TEST(BenchOnTheAdapter, TakesSharesOfTheLinkThatIsModelled) {
  Words words = {"sim", "--bps", "1000000000", "--", MANACTL_PROGRAM};
  const auto inside = bench({"--engine", "verbs", "--rate", "1%"});
  words.insert(words.end(), inside.begin(), inside.end());
  const auto outcome = manactl(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["ports"][0]["link_mbps"], 1000);
  const double seconds = document["total"]["seconds"];
  constexpr double kShare = 0.01 * 1e9 / (84 * 8), kSlack = 1.1, kDepth = 64;
  EXPECT_LE(document["total"]["packets"], kShare * seconds * kSlack + kDepth);
}

TEST(BenchOnTheAdapter, TakesNoShareOfALinkWithoutASpeed) {
  const auto outcome = manactl(bench({"--sim", "--rate", "50%"}));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the speed of the link is not known"));
}

}  // namespace
}  // namespace manactl::test
