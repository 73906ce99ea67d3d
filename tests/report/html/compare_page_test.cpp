// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/pages.h"
#include "report/sample_results.h"

namespace manactl::report::compare_page_test {
namespace {

using testing::HasSubstr;
using testing::Not;

CompareInput side(const std::string& name, double rate, std::size_t count) {
  CompareInput input;
  input.name = name;
  input.configuration = {{"queues", "8"}};
  for (std::size_t i = 0; i < count; ++i) {
    input.rates.push_back(rate + static_cast<double>(i % 7) * rate / 1000);
  }
  return input;
}

std::string page_of(const CompareInput& before, const CompareInput& after) {
  return compare_html(CompareResult{before,
                                    after,
                                    -0.035,
                                    datapath::Effect{-0.035, {-0.04, -0.03}, 1e-6},
                                    0.02,
                                    Verdict::worse},
                      "0.1.0");
}

TEST(ComparePage, ShowsVerdictChangeAndBounds) {
  const auto page = page_of(side("old.json", 10e6, 12), side("new.json", 9.65e6, 12));
  EXPECT_THAT(page, HasSubstr("<h1>worse: -3.50 %</h1>"));
  EXPECT_THAT(page, HasSubstr("<dd>-4.00&#160;to -3.00&#160;%</dd>"));
  EXPECT_THAT(page, HasSubstr("<dd>1e-06</dd>"));
  EXPECT_THAT(page, HasSubstr("the threshold of 2 %"));
}

TEST(ComparePage, ShowsBothResultsAndTheirConfiguration) {
  const auto page = page_of(side("old.json", 10e6, 12), side("new.json", 9.65e6, 12));
  EXPECT_THAT(page,
              HasSubstr("<th scope=\"row\">before: old.json</th><td>-</td><td>-</td><td>12</td>"
                        "<td>10.025 Mpps</td>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">after: new.json</th>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">queues</th><td>8</td>"));
}

TEST(ComparePage, ShowsTheHostAndTheTimeOfEachResult) {
  const auto before = compare_input(test::eventful(), "old.json");
  auto after = before;
  after.host = "<vm-two>";
  after.started += 3600;
  const auto page = page_of(before, after);
  EXPECT_THAT(page,
              HasSubstr("<th scope=\"row\">before: old.json</th><td>vm-one</td>"
                        "<td>2026-11-21T13:47:02.000Z</td>"));
  EXPECT_THAT(page, HasSubstr("<td>&lt;vm-two&gt;</td><td>2026-11-21T14:47:02.000Z</td>"));
}

TEST(ComparePage, ShowsDifferencesBetweenTheMachines) {
  auto before = side("old.json", 10e6, 12);
  auto after = side("new.json", 9.65e6, 12);
  before.machine = {{"cpu", "one"}, {"kernel", "6.1"}};
  after.machine = {{"cpu", "one"}, {"kernel", "6.8"}};
  const auto page = page_of(before, after);
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">kernel</th><td>6.1</td><td>6.8</td>"));
  EXPECT_THAT(page, Not(HasSubstr("<th scope=\"row\">CPU</th>")));
  after.machine = before.machine;
  EXPECT_THAT(page_of(before, after), Not(HasSubstr("Differences between the machines")));
}

TEST(ComparePage, WarnsOfANoisyResult) {
  auto noisy = side("new.json", 9.65e6, 12);
  EXPECT_THAT(page_of(side("old.json", 10e6, 12), noisy), Not(HasSubstr("Noisy: new.json")));
  noisy.noisy = true;
  EXPECT_THAT(page_of(side("old.json", 10e6, 12), noisy), HasSubstr("<li>Noisy: new.json</li>"));
}

TEST(ComparePage, ExplainsAMissingVerdict) {
  const auto before = side("old.json", 10e6, 1);
  const auto after = side("new.json", 9.65e6, 1);
  const auto page = compare_html(CompareResult{before, after, -0.035, {}, 0.02}, "0.1.0");
  EXPECT_THAT(page, HasSubstr("<h1>inconclusive: -3.50 %</h1>"));
  EXPECT_THAT(page, HasSubstr("old.json&#39; has 1 trial"));
  EXPECT_THAT(page, Not(HasSubstr("confidence interval of the change")));
}

TEST(ComparePage, EscapesFileNames) {
  const auto page = page_of(side("<b>.json", 10e6, 12), side("new.json", 9.65e6, 12));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;.json"));
}

TEST(ComparePage, LimitsTheNumberOfDots) {
  const auto page = page_of(side("old.json", 10e6, 86400), side("new.json", 9.65e6, 12));
  EXPECT_LT(page.size(), 100'000U);
  EXPECT_THAT(page, HasSubstr("(at most 400 per result are drawn)"));
}

}  // namespace
}  // namespace manactl::report::compare_page_test
