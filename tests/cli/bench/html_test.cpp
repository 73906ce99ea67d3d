// SPDX-License-Identifier: MIT

#include "cli/bench/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/sample_results.h"

namespace manactl::cli {
namespace {

using testing::HasSubstr;

std::string figure(const std::string& name, const std::string& value) {
  return "<dt>" + name + "</dt><dd>" + value + "</dd>";
}

std::string setting(const std::string& name, const std::string& value) {
  return "<th scope=\"row\">" + name + "</th><td>" + value + "</td>";
}

TEST(BenchHtml, TellsTheRatesBeforeWhileAndAfterADeviceWasAway) {
  auto result = test::eventful();
  auto& trial = result.report.trials.front();
  EXPECT_THAT(bench_html(result), HasSubstr("<li>Away 3.0 s: before "));
  trial.intervals.resize(3);
  EXPECT_THAT(bench_html(result), HasSubstr("meanwhile 1.004 Mpps, after not known</li>"));
}

TEST(BenchHtml, MarksTheWholeTimeThatADeviceWasAway) {
  const auto page = bench_html(test::eventful());
  EXPECT_THAT(page, HasSubstr("<li>2.0 to 5.0 s: a device left, was away or"));
}

TEST(BenchHtml, TellsThePathOfEveryResultWithItsEvidence) {
  auto result = test::eventful();
  EXPECT_THAT(bench_html(result), HasSubstr(figure("path", "vf")));
  EXPECT_THAT(bench_html(result),
              HasSubstr("<h2>Path</h2>\n<ul>\n<li>eth1: 12 packets went through the VF</li>"));
  result.path = {datapath::Path::emulated, {}};
  EXPECT_THAT(bench_html(result), HasSubstr(figure("path", "virtual")));
}

TEST(BenchHtml, HasTheWholeConfiguration) {
  auto result = test::eventful();
  const auto page = bench_html(result);
  EXPECT_THAT(page, HasSubstr(setting("ramp", "0.5 s")));
  EXPECT_THAT(page, HasSubstr(setting("source IP", "10.0.0.4")));
  EXPECT_THAT(page, HasSubstr(setting("peer IP", "10.0.0.5")));
  result.plan.traffic.source_ip.reset();
  EXPECT_THAT(bench_html(result), HasSubstr(setting("source IP", "each NIC&#39;s own")));
  result.plan.mode = datapath::Mode::rx;
  result.plan.traffic.peer_ip.reset();
  EXPECT_THAT(bench_html(result), HasSubstr(setting("source IP", "-")));
}

}  // namespace
}  // namespace manactl::cli
