// SPDX-License-Identifier: MIT
//
// The live view of status --watch, at 80 columns.

#include "cli/live/traffic_view.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/live/render_traffic.h"
#include "support/changing_nics.h"

namespace manactl::cli::traffic_view_test {
namespace {

using host::NicTraffic;
using host::PathTraffic;
using host::Traffic;
using host::VfUse;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using std::chrono::seconds;
using Time = std::chrono::system_clock::time_point;

constexpr Time kStart{seconds(1'795'953'600)};  // 2026-11-29 12:00:00 UTC

class TrafficTextTest : public ::testing::Test {
 protected:
  TrafficTextTest() {
    setenv("TZ", "UTC", 1);
    tzset();
  }

  // Adds an interval of one second.
  void add(std::vector<NicTraffic> nics) {
    interval_ = {1, std::move(nics)};
    now_ += seconds(1);
    histories_.add(interval_, now_);
  }

  std::string text(bool has_queues = false) const {
    std::ostringstream out;
    Screen screen(out, false, 80, true);
    print_text(screen, {interval_, histories_, kStart, now_, has_queues});
    return out.str();
  }

  std::string event(bool has_queues) const {
    std::ostringstream out;
    Screen screen(out, false, 80, true);
    print_event(screen, {interval_, histories_, kStart, now_, has_queues});
    return out.str();
  }

  host::TrafficInterval interval_;
  host::VfHistories histories_;
  Time now_ = kStart;
};

NicTraffic used_nic() {
  return {"000d3a76-3bd0-000d-3a76-3bd0000d3a76",
          "eth0",
          VfUse::used,
          PathTraffic{2, "eth0", Traffic{3, 264, 0, 0, 0}},
          PathTraffic{
              4,
              "enP30832p0s0",
              Traffic{1'204'000, 1'204'250'000, 812'300, 812'000'000, 12},
              {{1'000'000, 1'000'250'000, 812'300, 812'000'000}, {204'000, 204'000'000, 0, 0}}}};
}

NicTraffic nic_without_vf() {
  return {"eth1", "eth1", VfUse::absent, PathTraffic{3, "eth1", Traffic{0, 0, 0, 0, 0}}};
}

NicTraffic nic_in_user_space() {
  return {"000d3a76-3bd2-000d-3a76-3bd2000d3a76",
          "enP30832p0s0d2",
          VfUse::user_space,
          std::nullopt,
          PathTraffic{6, "enP30832p0s0d2", std::nullopt}};
}

TEST_F(TrafficTextTest, ShowsThePathsOfEachNic) {
  add({used_nic(), nic_without_vf(), nic_in_user_space()});
  EXPECT_EQ(text(),
            "12:00:01                     received                       sent     dropped\n"
            "eth0  VF enP30832p0s0 is in use for at least 1 s\n"
            "  VF          1.20 Mpps   9.63 Gbit/s     812 kpps   6.50 Gbit/s      12 pps\n"
            "  synthetic       3 pps   2.11 kbit/s            0             0           0\n"
            "eth1  no VF for at least 1 s\n"
            "  synthetic           0             0            0             0           0\n"
            "enP30832p0s0d2  VF enP30832p0s0d2 is in user space for at least 1 s\n"
            "  VF                  -             -            -             -           -\n");
}

TEST_F(TrafficTextTest, ShowsSinceWhenTheVfIsUsed) {
  auto nic = used_nic();
  add({nic});
  nic.vf.reset();
  nic.use = VfUse::absent;
  add({nic});
  EXPECT_THAT(text(), HasSubstr("eth0  no VF since 12:00:02 (less than 1 s); 1 change\n"));
  nic = used_nic();
  add({nic});
  nic.vf->restarted = true;
  nic.vf->total.reset();
  now_ += std::chrono::minutes(1);
  add({nic});
  EXPECT_THAT(text(),
              HasSubstr("eth0  VF enP30832p0s0 is in use since 12:00:03 (1 min 1 s); 2 changes, 1 "
                        "reset\n"
                        "  VF                  -             -            -             -"
                        "           -\n"));
  now_ += std::chrono::days(1);
  add({nic});
  EXPECT_THAT(text(), HasSubstr("is in use since 2026-11-29 12:00:03 (1 day);"));
}

TEST_F(TrafficTextTest, ShowsTheQueuesInOneUnit) {
  add({used_nic()});
  EXPECT_THAT(text(true),
              HasSubstr("    VF queues, received Mpps: 1.00 0.20\n"
                        "    VF queues, sent kpps: 812 0\n"));
}

TEST_F(TrafficTextTest, FitsTheScreenWith64Queues) {
  auto nic = used_nic();
  nic.use = VfUse::bypassed;
  nic.vf->queues.assign(64, Traffic{123'456, 0, 123'456, 0});
  nic.synthetic->queues.assign(64, Traffic{999'999, 0, 1, 0});
  add({nic});
  std::istringstream lines(text(true));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_LE(count, 24U);
}

TEST_F(TrafficTextTest, ShowsThatThereIsNoNic) {
  add({});
  EXPECT_THAT(text(), HasSubstr("\nThere is no Azure NIC.\n"));
}

// tests/lint/schemas_test.py validates the file.
TEST_F(TrafficTextTest, IsAlsoALineForMachines) {
  add({used_nic(), nic_without_vf(), nic_in_user_space()});
  auto lines = event(false) + event(true);
  auto nic = used_nic();
  nic.use = VfUse::down;
  add({nic});
  lines += event(false);
  std::ifstream file(test::fixture("healthy-two-nics") + "/../../cli/status-event.ndjson");
  EXPECT_EQ(lines, std::string(std::istreambuf_iterator<char>(file), {}));
}

class TrafficViewTest : public ::testing::Test {
 protected:
  TrafficViewTest() {
    for (const auto* synthetic : {"eth0", "eth1"}) nics_.set_queues(synthetic, "_queue_", 1);
    for (const auto* vf : {"enP30832p0s0", "enP30832p0s0d1"}) nics_.set_queues(vf, "_", 1);
  }

  Json next(TrafficView& view) {
    std::ostringstream out;
    Screen screen(out, false, 80, true);
    Context context{screen, screen, false, 0, {}, {}, {}};
    EXPECT_EQ(view.report(context, true), Exit::ok) << out.str();
    return Json::parse(out.str()).at("nics");
  }

  test::ChangingNics nics_{"healthy-two-nics"};
};

TEST_F(TrafficViewTest, CountsFromOneReportToTheNext) {
  TrafficView view(nics_.system(), {});
  ASSERT_TRUE(view.start());
  nics_.counter("enP30832p0s0d1", "rx_0_packets") = 5;
  auto shown = next(view);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[1]["name"], "eth1");
  EXPECT_EQ(shown[1]["vf"]["rx_packets"], 5);
  nics_.counter("enP30832p0s0d1", "rx_0_packets") = 7;
  shown = next(view);
  EXPECT_EQ(shown[1]["vf"]["rx_packets"], 2);
  EXPECT_EQ(shown[1]["since"], nullptr);
  nics_.remove("enP30832p0s0d1");
  shown = next(view);
  EXPECT_EQ(shown[1]["vf"], nullptr);
  EXPECT_EQ(shown[1]["vf_state"], "absent");
  EXPECT_NE(shown[1]["since"], nullptr);
}

TEST_F(TrafficViewTest, ShowsOneNicAlsoAfterItWasRemoved) {
  TrafficView view(nics_.system(), "000d3a76-3bd1-000d-3a76-3bd1000d3a76");
  ASSERT_TRUE(view.start());
  auto shown = next(view);
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0]["name"], "eth1");
  nics_.remove("enP30832p0s0d1");
  nics_.remove("eth1");
  shown = next(view);
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0]["vf_state"], "removed");
  EXPECT_EQ(shown[0]["changes"], 1);
}

}  // namespace
}  // namespace manactl::cli::traffic_view_test
