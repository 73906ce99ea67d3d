// SPDX-License-Identifier: MIT

#include "report/html/page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/html/elements.h"

namespace manactl::report::page_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

HtmlReport report_of(unsigned intervals, unsigned queues = 2) {
  HtmlReport report;
  report.title = "tx on eth1";
  report.series = {{"sent", {}}};
  for (unsigned i = 1; i <= intervals; ++i) {
    report.series[0].points.push_back({static_cast<double>(i), 14e6 + i % 9 * 1e5});
  }
  report.median = 14.4e6;
  report.confidence = HtmlBand{14.3e6, 14.5e6};
  report.queue_columns = {"missed"};
  for (unsigned queue = 0; queue < queues; ++queue) {
    const std::vector<double> rates(intervals, 7e6);
    report.queues.push_back({fmt::format("{}", queue), 7e6, {"0"}, rates});
  }
  return report;
}

TEST(Escape, ReplacesMarkupAndControlCharacters) {
  EXPECT_EQ(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escape("\x01\xff"), "\\x01\\xff");
  EXPECT_EQ(escape("4 \u00b5s"), "4 \u00b5s");
}

TEST(Grouped, SeparatesThousandsWithNarrowSpaces) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1\u202f000");
  EXPECT_EQ(grouped(123456789), "123\u202f456\u202f789");
}

TEST(HtmlReport, OmitsEmptyParts) {
  const auto page = html_page(HtmlReport{});
  EXPECT_EQ(count(page, "<svg"), 0U);
  EXPECT_EQ(count(page, "<table"), 0U);
  EXPECT_EQ(count(page, "<h2"), 0U);
  EXPECT_EQ(count(page, "<ul"), 0U);
}

TEST(HtmlReport, EscapesUntrustedTextEverywhere) {
  const std::string bad = "\"><script>1</script><b>'&";
  auto report = report_of(3);
  report.title = report.subtitle = report.footer = report.series[0].name = bad;
  report.warnings = report.notes = report.path = {bad};
  report.figures = report.configuration = report.environment = {{bad, bad}};
  report.excluded = report.disturbed = {{1, 2, bad}};
  report.queue_columns = {bad};
  for (auto& queue : report.queues) queue = {bad, 1, {bad}, {}};
  report.tables = {{bad, {bad}, {{bad, bad}}}};
  const auto page = html_page(report);
  EXPECT_EQ(count(page, "<script"), 0U);
  EXPECT_EQ(count(page, "<b>"), 0U);
  EXPECT_EQ(count(page, "'&amp;</"), 0U);
  EXPECT_GE(count(page, "&lt;script&gt;1&lt;/script&gt;&lt;b&gt;&#39;&amp;"), 25U);
}

TEST(HtmlReport, NeedsNeitherNetworkNorScripts) {
  const auto page = html_page(report_of(3));
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'\""));
  EXPECT_EQ(count(page, "href="), 0U);
  EXPECT_EQ(count(page, "src="), 0U);
  EXPECT_EQ(count(page, "http"), count(page, "http-equiv") + count(page, "xmlns=\"http"));
}

TEST(HtmlReport, DrawsADotForEachIntervalOfAShortRun) {
  EXPECT_EQ(count(html_page(report_of(12)), "<circle class=\"dot\""), 12U);
}

TEST(HtmlReport, StatesThatALongRunIsDrawnInColumns) {
  const auto page = html_page(report_of(3600));
  EXPECT_EQ(count(page, "<circle"), 0U);
  EXPECT_THAT(page, HasSubstr("3600 intervals in 790 columns"));
  EXPECT_THAT(html_page(report_of(60)), Not(HasSubstr(" columns;")));
}

TEST(HtmlReport, StaysSmallForLongRuns) {
  constexpr std::size_t kMaxBytes = 400'000;
  EXPECT_LT(html_page(report_of(3600, 64)).size(), kMaxBytes);
  EXPECT_LT(html_page(report_of(86400, 512)).size(), 2 * kMaxBytes);
}

TEST(HtmlReport, MarksDisturbedIntervalsAndNamesThem) {
  auto report = report_of(20);
  report.disturbed = {{4, 6, "eth1 was removed"}, {9, 10, "eth1 returned"}};
  const auto page = html_page(report);
  EXPECT_EQ(count(page, "<path class=\"mark\""), 2U);
  EXPECT_EQ(count(page, "<rect class=\"hatch\""), 3U);  // including the legend
  EXPECT_THAT(page, HasSubstr("<li>4.0 to 6.0 s: eth1 was removed</li>"));
}

TEST(HtmlReport, MergesAdjacentDisturbedIntervals) {
  auto report = report_of(20);
  report.disturbed = {{1, 2, "eth1"}, {2, 3, "eth1"}, {3, 4, "eth2"}, {9, 10, "eth2"}};
  const auto page = html_page(report);
  EXPECT_EQ(count(page, "<path class=\"mark\""), 3U);
  EXPECT_THAT(page, HasSubstr("<li>1.0 to 3.0 s: eth1</li>"));
}

TEST(HtmlReport, LimitsTheListOfDisturbedIntervals) {
  auto report = report_of(200);
  for (double at = 0; at < 200; at += 2) report.disturbed.push_back({at, at + 1, "eth1"});
  const auto page = html_page(report);
  EXPECT_EQ(count(page, " s: eth1</li>"), 40U);
  EXPECT_THAT(page, HasSubstr("<li>and 60 more</li>"));
}

TEST(HtmlReport, MarksTheStartOfEachTrial) {
  auto report = report_of(20);
  report.trial_starts = {5, 10, 15};
  EXPECT_EQ(count(html_page(report), "<path class=\"trial\""), 4U);  // including the legend
}

TEST(HtmlReport, ShadesTheBoundsOfTheMedian) {
  auto report = report_of(20);
  EXPECT_EQ(count(html_page(report), "<rect class=\"band\""), 2U);
  report.confidence.reset();
  EXPECT_EQ(count(html_page(report), "<rect class=\"band\""), 0U);
}

TEST(HtmlReport, ShowsABarAndARowForEachQueue) {
  const auto page = html_page(report_of(5, 64));
  EXPECT_EQ(count(page, "<rect class=\"bar\""), 64U);
  EXPECT_EQ(count(page, "<svg class=\"sparkline\""), 64U);
  EXPECT_EQ(count(page, "<th scope=\"row\">"), 64U);
  EXPECT_EQ(count(page, "<th scope=\"col\">mean</th>"), 1U);  // the figures show the median
}

TEST(HtmlReport, MarksTheMeasuredLatencyPercentiles) {
  HtmlReport report;
  report.latency = {{0, 9000}, {50, 12000}, {99, 30000}, {99.9, 90000}, {100, 800000}};
  const auto page = html_page(report);
  EXPECT_THAT(page, HasSubstr(">99.9 %</text>"));
  EXPECT_THAT(page, Not(HasSubstr(">99.99 %</text>")));
  EXPECT_THAT(page, HasSubstr("50 %: 12.00 \u00b5s, 99 %: 30.00 \u00b5s"));
  EXPECT_THAT(page, HasSubstr("maximum: 800.0 \u00b5s"));
}

TEST(HtmlReport, NamesTheUnitOfEachLatencyMark) {
  HtmlReport report;
  report.latency = {{0, 800}, {50, 1500}, {100, 3e6}};
  const auto page = html_page(report);
  for (const char* mark : {">1 \u00b5s</text>", ">500 \u00b5s</text>", ">1 ms</text>"}) {
    EXPECT_THAT(page, HasSubstr(mark));
  }
}

TEST(HtmlReport, DrawsNoChartsOfASingleQueue) {
  const auto page = html_page(report_of(5, 1));
  EXPECT_EQ(count(page, "<rect class=\"bar\""), 0U);
  EXPECT_EQ(count(page, "<svg class=\"sparkline\""), 0U);
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">0</th><td>7.000 Mpps</td><td>0</td>"));
}

TEST(HtmlReport, DrawsTheLossOfEachTrialOfASearch) {
  HtmlReport report;
  report.search.trials = {{2e6, 0.1, true}, {1e6, 0, true}, {1.5e6, 0.001, false}};
  report.search.goals = {{"ndr", 0, 1e6, "1.000 Mpps"}, {"pdr=0.5%", 0.005, std::nullopt, ""}};
  const auto page = html_page(report);
  EXPECT_THAT(page, HasSubstr("<h2>Loss by rate</h2>"));
  EXPECT_EQ(count(page, "<circle class=\"dot overlapping\""), 2U);
  EXPECT_EQ(count(page, "<circle class=\"hollow\""), 1U);
  EXPECT_THAT(page, HasSubstr("<title>2.000 Mpps: 10 % lost</title>"));
  EXPECT_THAT(page, HasSubstr("<title>1.500 Mpps: 0.1 % lost (repeated)</title>"));
  EXPECT_THAT(page, HasSubstr("3 trials; ndr: 1.000 Mpps; pdr=0.5%: no rate found"));
  EXPECT_EQ(count(page, "<path class=\"median\""), 1U);
  // The axis has one decade from 10 % to 1 %, one to 0.1 %, and one below it for 0.
  for (const char* mark : {">10</text>", ">1</text>", ">0.1</text>", ">0</text>"}) {
    EXPECT_THAT(page, HasSubstr(mark));
  }
  EXPECT_THAT(page, HasSubstr("cy=\"24.0\" r=\"4\"><title>2.000 Mpps"));
  EXPECT_THAT(page, HasSubstr("cy=\"256.0\" r=\"4\"><title>1.000 Mpps: 0 % lost"));
}

TEST(HtmlReport, StatesTheRateOfEqualQueuesOnce) {
  auto report = report_of(3);
  EXPECT_THAT(html_page(report), HasSubstr("2 queues with 7.000 Mpps each"));
  report.queues.back().rate = 8e6;
  EXPECT_THAT(html_page(report), HasSubstr("2 queues: the slowest is queue 0 with 7.000 Mpps"));
}

// An axis of 0.01 Mpps would suggest that the trials differ.
TEST(HtmlReport, DrawsATenthOfTheRateForTrialsWithTheSameRate) {
  HtmlReport report;
  report.search.trials = {{138e6, 0, true}, {138e6, 0.1, true}};
  report.search.goals = {{"ndr", 0, 138e6, "138.000 Mpps"}};
  const auto page = html_page(report);
  EXPECT_THAT(page, HasSubstr(">132<"));
  EXPECT_THAT(page, HasSubstr(">144<"));
}

TEST(HtmlReport, DrawsASearchWithoutLoss) {
  HtmlReport report;
  report.search.trials = {{1e6, 0, true}};
  report.search.goals = {{"ndr", 0, 1e6, "1.000 Mpps"}};
  const auto page = html_page(report);
  EXPECT_THAT(page, HasSubstr("1 trial; ndr: 1.000 Mpps"));
  EXPECT_EQ(count(page, "nan"), 0U);
  EXPECT_EQ(count(page, "inf"), 0U);
}

TEST(HtmlReport, DrawsTheHistogramOfTheLatency) {
  HtmlReport report;
  report.latency_bins = {{1000, 2000, 20}, {2000, 4000, 0}, {4000, 8000, 1000}, {8000, 16000, 1}};
  const auto page = html_page(report);
  EXPECT_EQ(count(page, "<rect class=\"bar\""), 3U);
  EXPECT_THAT(page, HasSubstr("<title>8.000 to 16.00 \u00b5s: 1 packet</title>"));
  EXPECT_THAT(page,
              HasSubstr("1\u202f021 packets; the most frequent latency is 4.000 to 8.000 \u00b5s: "
                        "1\u202f000 packets. Both scales are logarithmic."));
  for (const char* mark : {">1 \u00b5s<", ">2 \u00b5s<", ">5 \u00b5s<", ">10 \u00b5s<", ">1k<"}) {
    EXPECT_THAT(page, HasSubstr(mark));
  }
}

TEST(HtmlReport, MarksPowersOfTenOfALongHistogram) {
  HtmlReport report;
  report.latency_bins = {{1000, 1e9, 7}};
  const auto page = html_page(report);
  EXPECT_THAT(page, HasSubstr(">100 ms</text>"));
  EXPECT_THAT(page, Not(HasSubstr(">2 \u00b5s</text>")));
}

TEST(HtmlReport, MarksEvenTimesOfAShortHistogram) {
  HtmlReport report;
  report.latency_bins = {{10'100, 10'900, 7}};
  const auto page = html_page(report);
  EXPECT_THAT(page, HasSubstr(">10.2 \u00b5s</text>"));
  EXPECT_THAT(page, HasSubstr(">10.8 \u00b5s</text>"));
}

TEST(HtmlReport, DrawsTheCumulativeDistributionOfTheLatency) {
  HtmlReport report;
  report.latency = {{50, 10}, {99, 90}};
  report.latency_bins = {{1, 10, 50}, {10, 100, 50}};
  // The plot is 790 units wide and 232 high: half of the packets are in the left half.
  EXPECT_THAT(html_page(report),
              HasSubstr("<path class=\"s0\" d=\"M66.0 256.0L461.0 140.0L856.0 24.0\""));
  EXPECT_THAT(
      html_page(report),
      HasSubstr("50 % of the packets took at most 10 ns, 99 % of the packets took at most 90 ns"));
}

TEST(HtmlReport, ListsThePercentilesWithTheNumberOfSlowerPackets) {
  HtmlReport report;
  report.latency = {{0, 9000}, {50, 12000}, {99.9, 90000}, {100, 800000}};
  report.latency_bins = {{9000, 800000, 20000}};
  const auto page = html_page(report);
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">minimum</th><td>9.000 \u00b5s</td><td>-</td>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">99.9 %</th><td>90.00 \u00b5s</td><td>20</td>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">maximum</th><td>800.0 \u00b5s</td><td>0</td>"));
}

TEST(HtmlReport, DrawsNoLatencyWithoutPackets) {
  HtmlReport report;
  report.latency_bins = {{1, 10, 0}};
  EXPECT_THAT(html_page(report), Not(HasSubstr("<svg")));
}

TEST(HtmlReport, DrawsNoNanOrInfinity) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto report = report_of(3);
  report.series[0].points = {{1, nan}, {2, HUGE_VAL}, {3, nan}};
  report.median = nan;
  report.confidence = HtmlBand{nan, nan};
  report.queues[0].rate = nan;
  report.queues[0].rates = {nan, nan};
  report.latency = {{0, nan}, {50, 5}, {90, 1e5}, {100, HUGE_VAL}};
  report.latency_bins = {{0, 0, 1}};
  report.search.trials = {{0, nan, true}, {0, 1, true}};
  const auto page = html_page(report);
  EXPECT_EQ(count(page, "nan"), 0U);
  EXPECT_EQ(count(page, "inf"), 0U);
}

}  // namespace
}  // namespace manactl::report::page_test
