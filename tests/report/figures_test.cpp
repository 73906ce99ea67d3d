// SPDX-License-Identifier: MIT

#include "report/figures.h"

#include <gtest/gtest.h>

namespace manactl::report::figures_test {
namespace {

TEST(UtcText, CanBeParsed) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_text(1'795'268'822.0625), "2026-11-21T13:47:02.063Z");
  EXPECT_EQ(utc_seconds("2026-11-21T13:47:02.125Z"), 1'795'268'822.125);
  EXPECT_EQ(utc_seconds("2024-02-29T23:59:59.999Z"), 1'709'251'199.999);
}

TEST(UtcText, RejectsOtherText) {
  for (const auto* text : {"",
                           "2026-11-21",
                           "2026-11-21 13:47:02.125Z",
                           "2026-11-21T13:47:02.125+",
                           "2026-02-29T00:00:00.000Z",
                           "2026-13-01T00:00:00.000Z",
                           "2026-11-21T24:00:00.000Z",
                           "-026-11-21T13:47:02.125Z"}) {
    EXPECT_EQ(utc_seconds(text), std::nullopt) << text;
  }
}

TEST(PpsText, HasAFittingUnit) {
  EXPECT_EQ(pps_text(14'210'000), "14.210 Mpps");
  EXPECT_EQ(pps_text(4'123), "4.123 kpps");
  EXPECT_EQ(pps_text(100), "100 pps");
  EXPECT_EQ(pps_text(0), "0 pps");
}

TEST(EstimateText, HasOneUnit) {
  datapath::Estimate rate;
  rate.median = 998'000;
  rate.confidence = {997'000, 1'002'000};
  EXPECT_EQ(estimate_text(rate), "998.0 kpps (95 % CI: 997.0 to 1002 kpps)");
  rate.median = 14'210'000;
  rate.confidence = {14'100'000, 14'300'000};
  EXPECT_EQ(estimate_text(rate), "14.210 Mpps (95 % CI: 14.100 to 14.300 Mpps)");
}

TEST(EstimateText, HasFewDigitsWithoutAConfidenceInterval) {
  for (const auto& [pps, text] : {std::pair(14'214'000.0, "14.2 Mpps"),
                                  std::pair(158'900'000.0, "159 Mpps"),
                                  std::pair(878'400.0, "878 kpps"),
                                  std::pair(999'600.0, "1.00 Mpps"),
                                  std::pair(4'123.0, "4.12 kpps"),
                                  std::pair(286.4, "286 pps"),
                                  std::pair(0.0, "0 pps")}) {
    EXPECT_EQ(estimate_text(datapath::estimate({pps})), text);
    EXPECT_EQ(median_text(datapath::estimate({pps, pps, pps, pps, pps})), text);
  }
  const auto steady = datapath::estimate(std::vector(6, 14'214'000.0));
  EXPECT_EQ(median_text(steady), "14.214 Mpps");
}

TEST(ThroughputText, UsesTheMeanSizeOfTheCountedPackets) {
  datapath::Count counted;
  EXPECT_EQ(throughput_text(1e6, counted), "0 bit/s");
  counted.packets = 10;
  counted.bytes = 640;
  EXPECT_EQ(throughput_text(1e6, counted), "512.0 Mbit/s");
  EXPECT_EQ(throughput_text(1e7, counted), "5.120 Gbit/s");
  EXPECT_EQ(throughput_text(10, counted), "5.120 kbit/s");
  EXPECT_EQ(throughput_text(1e7, counted, kFewDigits), "5.12 Gbit/s");
}

TEST(FramesText, ContainsTheSizeOfGeneratedOrReceivedFrames) {
  datapath::BenchPlan plan;
  EXPECT_EQ(frames_text(plan, {}), "64-byte frames");
  plan.traffic.sizes = {{64, 7}, {570, 4}, {1518, 1}};
  EXPECT_EQ(frames_text(plan, {}), "frames of 64/570/1518 (7:4:1) bytes");
  plan.traffic.sizes = {{64, 1}};
  plan.mode = datapath::Mode::rx;
  EXPECT_EQ(frames_text(plan, {}), "frames up to 1518 bytes");
  plan.mode = datapath::Mode::fwd;
  plan.traffic.sizes = {{9018, 1}};
  EXPECT_EQ(frames_text(plan, {}), "frames up to 9018 bytes");
  datapath::Sample total;
  total.rx.packets = 10;
  total.rx.bytes = 5120;
  EXPECT_EQ(frames_text(plan, total), "frames of 512 bytes on average");
  total.rx.bytes = 5125;
  EXPECT_EQ(frames_text(plan, total), "frames of 512.5 bytes on average");
}

TEST(FrameBytes, AreMeasuredForReceivedFrames) {
  datapath::BenchPlan plan;
  datapath::Sample total;
  total.rx.packets = 10;
  total.rx.bytes = 680;
  EXPECT_EQ(frame_bytes(plan, total), 64);
  plan.mode = datapath::Mode::rx;
  EXPECT_EQ(frame_bytes(plan, total), 68);
  EXPECT_EQ(frame_bytes(plan, {}), std::nullopt);
}

TEST(Costs, AreDividedByThePacketsOfTheMode) {
  datapath::Sample sample;
  sample.tx.packets = 100;
  sample.rx.packets = 50;
  sample.effort = {1000, 2000, 20, 10, 5};
  const auto sent = costs_of(datapath::Mode::tx, sample);
  EXPECT_EQ(sent.cycles, 10);
  EXPECT_EQ(sent.instructions, 20);
  EXPECT_EQ(sent.empty_polls, std::nullopt) << "a sender does not poll";
  EXPECT_EQ(sent.full_bursts, 0.5);
  EXPECT_EQ(costs_of(datapath::Mode::rx, sample).cycles, 20);
  EXPECT_EQ(costs_of(datapath::Mode::rx, sample).empty_polls, 0.5);
}

TEST(Costs, AreUnknownWithoutPacketsOrCounters) {
  datapath::Sample sample;
  EXPECT_EQ(costs_of(datapath::Mode::tx, sample).cycles, std::nullopt);
  EXPECT_EQ(costs_of(datapath::Mode::rx, sample).empty_polls, std::nullopt);
  sample.tx.packets = 100;
  EXPECT_EQ(costs_of(datapath::Mode::tx, sample).instructions, std::nullopt) << "older documents";
  sample.effort.instructions = std::nullopt;
  EXPECT_EQ(costs_of(datapath::Mode::tx, sample).instructions, std::nullopt);
}

TEST(TimeText, HasAFittingUnit) {
  EXPECT_EQ(time_text(850), "850 ns");
  EXPECT_EQ(time_text(12'345), "12.3 \u00b5s");
  EXPECT_EQ(time_text(4'560'000), "4.56 ms");
}

TEST(Loss, IsKnownOnlyIfTheModeSendsAndReceives) {
  for (const auto& row : datapath::kModes) {
    datapath::Sample total;
    auto& from = forwards(row.mode) ? total.rx : total.tx;
    auto& to = forwards(row.mode) ? total.tx : total.rx;
    from.packets = 1000;
    to.packets = 750;
    const auto loss = loss_of(row.mode, total);
    ASSERT_EQ(loss.has_value(), row.sends && row.receives) << row.name;
    if (loss) {
      EXPECT_EQ(loss->packets, 250U);
      EXPECT_EQ(loss->share, 0.25);
    }
    to.packets = 1001;
    EXPECT_FALSE(loss_of(row.mode, total)) << "others send too";
  }
}

TEST(Loss, IsPrintedWithItsShare) {
  EXPECT_EQ(loss_text({2'125'888, 0.5}), "2,125,888 packets (50 %)");
  EXPECT_EQ(loss_text({1, 1e-7}), "1 packet (less than 0.001 %)");
  EXPECT_EQ(loss_text({0, 0}), "0 packets (0 %)");
}

TEST(CountsText, NamesCountsThatAreNotReported) {
  EXPECT_EQ(counts_text({{3, "missed"}, {0, "errors"}}), "3 missed, 0 errors");
  EXPECT_EQ(counts_text({{{}, "missed"}, {{}, "without a buffer"}, {0, "errors"}}),
            "0 errors (not reported: missed, without a buffer)");
  EXPECT_EQ(counts_text({{{}, "missed"}, {{}, "errors"}}), "not reported: missed, errors");
}

}  // namespace
}  // namespace manactl::report::figures_test
