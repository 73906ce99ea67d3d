// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

#include "report/html/pages.h"
#include "report/sample_results.h"

namespace manactl::report::bench_page_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// A unit stays on the line of its number.
std::string figure(const std::string& name, std::string value) {
  for (std::size_t at = 1; at < value.size(); ++at) {
    const bool follows_digit = std::isdigit(static_cast<unsigned char>(value[at - 1])) != 0;
    if (value[at] == ' ' && follows_digit) value.replace(at, 1, "&#160;");
  }
  return "<dt>" + name + "</dt><dd>" + value + "</dd>";
}

std::string setting(const std::string& name, const std::string& value) {
  return "<th scope=\"row\">" + name + "</th><td>" + value + "</td>";
}

TEST(BenchPage, ShowsTheRatesBeforeDuringAndAfterTheAbsenceOfADevice) {
  auto result = test::eventful();
  auto& trial = result.report.trials.front();
  trial.intervals[3].absent = false;
  EXPECT_THAT(bench_html(result),
              HasSubstr("<li>Device absent for 1.75 s (rate during: 996.0 kpps, after: "));
  trial.intervals.resize(3);
  EXPECT_THAT(bench_html(result), HasSubstr("<li>Device absent for 1.75 s</li>"));
}

TEST(BenchPage, HasNoRateWhileAllDevicesAreAbsent) {
  auto result = test::eventful();
  const auto page = bench_html(result);
  EXPECT_THAT(page, HasSubstr("<title>3 s: "));
  EXPECT_THAT(page, Not(HasSubstr("<title>4 s: ")));
  EXPECT_THAT(page, HasSubstr("Device absent for 1.75 s (rate after: "));
  for (auto& trial : result.report.trials) {
    for (auto& interval : trial.intervals) interval.absent = true;
  }
  EXPECT_THAT(bench_html(result), Not(HasSubstr("Throughput over time")));
}

TEST(BenchPage, HasNoColumnForWhatWasNotMeasured) {
  auto result = test::eventful();
  EXPECT_THAT(bench_html(result), Not(HasSubstr("instructions per packet")));
  EXPECT_THAT(bench_html(result), HasSubstr("empty polls"));
  result.search.reset();
  result.plan.trial.rate.reset();
  result.report.trials.front().queues[1].effort.instructions = 1'000'000;
  EXPECT_THAT(bench_html(result), HasSubstr("instructions per packet"));
}

TEST(BenchPage, MarksTheWholeAbsenceOfADeviceAsDisturbed) {
  const auto page = bench_html(test::eventful());
  EXPECT_THAT(page, HasSubstr("<li>2.0 to 5.0 s: a device was removed, absent or"));
}

TEST(BenchPage, ShowsTheDataPathWithItsEvidence) {
  auto result = test::eventful();
  EXPECT_THAT(bench_html(result), HasSubstr(figure("data path", "vf")));
  EXPECT_THAT(bench_html(result),
              HasSubstr("<h2>Data path</h2>\n<ul>\n<li>eth1: 12 packets went through the VF</li>"));
  result.path = {datapath::Path::emulated, {}};
  EXPECT_THAT(bench_html(result), HasSubstr(figure("data path", "virtual")));
}

TEST(BenchPage, ShowsTheWholeConfiguration) {
  auto result = test::eventful();
  const auto page = bench_html(result);
  EXPECT_THAT(page, HasSubstr(setting("ramp", "0.5 s")));
  EXPECT_THAT(page, HasSubstr(setting("source IP", "10.0.0.4")));
  EXPECT_THAT(page, HasSubstr(setting("peer IP", "10.0.0.5")));
  result.plan.traffic.source_ip.reset();
  EXPECT_THAT(bench_html(result), HasSubstr(setting("source IP", "address of each NIC")));
  result.plan.mode = datapath::Mode::rx;
  result.plan.traffic.peer_ip.reset();
  EXPECT_THAT(bench_html(result), HasSubstr(setting("source IP", "-")));
}

TEST(BenchPage, ShowsTheCommand) {
  auto result = test::eventful();
  EXPECT_THAT(
      bench_html(result),
      HasSubstr(setting("command", "manactl bench eth1 --label &#39;before the update&#39; -")));
  result.command = {"bench", ""};
  EXPECT_THAT(bench_html(result), HasSubstr(setting("command", "manactl bench &#39;&#39;")));
  result.command = {};
  EXPECT_THAT(bench_html(result), HasSubstr(setting("command", "-")));
}

TEST(BenchPage, LabelsTheMachineAndTheInterference) {
  const auto page = bench_html(test::eventful());
  EXPECT_THAT(page, HasSubstr(setting("host", "vm-one")));
  EXPECT_THAT(page, HasSubstr(setting("CPU", "AMD EPYC 9V74 80-Core Processor")));
  EXPECT_THAT(page, HasSubstr(setting("NUMA nodes", "-")));
  EXPECT_THAT(page, HasSubstr(setting("steal time", "2.0 %")));
  EXPECT_THAT(page, HasSubstr(setting("workers preempted", "1.0 %")));
}

TEST(BenchPage, ShowsTheResultOfASearchInsteadOfARate) {
  auto result = test::eventful();
  EXPECT_THAT(bench_html(result), HasSubstr(figure("ndr", "1.000 Mpps")));
  EXPECT_THAT(bench_html(result), Not(HasSubstr("<dt>rate")));
  result.search.reset();
  EXPECT_THAT(bench_html(result), HasSubstr("<dt>rate, the mean of 2 trials</dt>"));
}

TEST(BenchPage, StatesThatARateIncludesTheStart) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  EXPECT_THAT(bench_html(result),
              HasSubstr(figure("rate, the median of 8 intervals", "1.000 Mpps")));
  result.summary.rate = datapath::estimate({1e6});
  result.summary.left_out = 0;
  EXPECT_THAT(bench_html(result), HasSubstr(figure("rate, including the start", "1.00 Mpps")));
}

TEST(BenchPage, ShowsTheTrialsOfASearch) {
  auto result = test::eventful();
  result.search->probes.push_back({1e6, 10, 1e6, 10'000'000, 10'000'000});
  result.search->probes.push_back({1.5e6, 1, 1.5e6, 1'500'000, 0, false});
  const auto page = bench_html(result);
  EXPECT_THAT(page, HasSubstr("<title>2.000 Mpps: 5 % lost</title>"));
  EXPECT_THAT(page, HasSubstr("3 trials; ndr: 1.000 Mpps; pdr=0.5%: no rate found"));
  EXPECT_THAT(page, HasSubstr("<h2>Trials of the search</h2>"));
  EXPECT_THAT(page,
              HasSubstr("<th scope=\"row\">2</th><td>1.000 Mpps</td><td>0 %</td><td>10 s</td>"
                        "<td>10\u202f000\u202f000</td><td>10\u202f000\u202f000</td>"));
  EXPECT_THAT(page, HasSubstr("<td>repeated</td><td>1 s</td>"));
}

TEST(BenchPage, ShowsTheDistributionOfTheLatency) {
  const auto page = bench_html(test::eventful());
  EXPECT_THAT(page, HasSubstr(figure("latency, p50", "500.2 \u00b5s")));
  EXPECT_THAT(page, HasSubstr(">Histogram of the latency</title>"));
  EXPECT_THAT(page,
              HasSubstr("2\u202f000 packets; the most frequent latency is 0.917 to 1.000 ms"));
  EXPECT_THAT(page, HasSubstr("50 % of the packets took at most 500"));
}

TEST(BenchPage, ShowsALatencyThatAllPacketsShare) {
  auto result = test::eventful();
  for (auto& trial : result.report.trials) {
    trial.latency.emplace();
    trial.latency->add(10'000);
  }
  EXPECT_THAT(bench_html(result), HasSubstr("2 packets; the most frequent latency is"));
}

TEST(BenchPage, ShowsTheLossInATile) {
  auto result = test::steady(datapath::Mode::txrx, 1e6);
  auto& total = result.report.trials.front().total;
  total.tx.packets = 1000;
  total.rx.packets = 900;
  total.rx.missed = std::nullopt;
  const auto page = bench_html(result);
  EXPECT_THAT(page, HasSubstr(figure("lost", "100 packets (10 %)")));
  EXPECT_THAT(page, HasSubstr("not reported"));
  result.plan.mode = datapath::Mode::rx;
  EXPECT_THAT(bench_html(result), HasSubstr(figure("missed", "not reported")));
}

TEST(BenchPage, WarnsOfAnInterruption) {
  EXPECT_THAT(bench_html(test::eventful()), HasSubstr("<li>Interrupted</li>"));
  EXPECT_THAT(bench_html(test::steady(datapath::Mode::tx, 1e6)), Not(HasSubstr("Interrupted")));
}

}  // namespace
}  // namespace manactl::report::bench_page_test
