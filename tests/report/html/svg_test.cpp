// SPDX-License-Identifier: MIT

#include "report/html/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace manactl::report::svg_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<HtmlPoint> hour() {
  std::vector<HtmlPoint> points;
  for (int second = 1; second <= 3600; ++second) {
    points.push_back({static_cast<double>(second), 1000.0 + second % 7});
  }
  points[1234].rate = 5;
  points[2345].rate = 9000;
  return points;
}

TEST(Ticks, AreRoundNumbersWithinTheRange) {
  EXPECT_THAT(ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(ticks(13.6, 14.6, 5),
              ElementsAre(DoubleNear(13.6, 1e-9),
                          DoubleNear(13.8, 1e-9),
                          DoubleNear(14.0, 1e-9),
                          DoubleNear(14.2, 1e-9),
                          DoubleNear(14.4, 1e-9),
                          DoubleNear(14.6, 1e-9)));
}

TEST(Ticks, AreEmptyForAnInvalidRange) {
  EXPECT_THAT(ticks(5, 5, 5), IsEmpty());
  EXPECT_THAT(ticks(5, 1, 5), IsEmpty());
  EXPECT_THAT(ticks(0, kNan, 5), IsEmpty());
  EXPECT_THAT(ticks(0, HUGE_VAL, 5), IsEmpty());
}

TEST(Axis, MapsValuesToCoordinates) {
  const Axis axis{0, 10, 200, 100};
  EXPECT_EQ(axis.at(0), 200);
  EXPECT_EQ(axis.at(5), 150);
  EXPECT_EQ(axis.at(10), 100);
}

TEST(Axis, MapsNanToItsStart) {
  EXPECT_EQ((Axis{0, 10, 200, 100}).at(kNan), 200);
  EXPECT_EQ((Axis{3, 3, 200, 100}).at(3), 200);
}

TEST(RateAxis, StartsAtZeroUnlessTheRatesLieCloseTogether) {
  EXPECT_EQ(rate_axis({10, 100}, {}).low, 0);
  const auto near = rate_axis({99, 100}, {});
  EXPECT_GT(near.low, 90);
  EXPECT_LT(near.low, 99);
  EXPECT_GT(near.high, 100);
}

TEST(RateAxis, DoesNotMagnifySmallNoise) {
  const auto axis = rate_axis({999, 1000}, {});
  EXPECT_NEAR(axis.high - axis.low, 100, 1);
}

TEST(Thin, KeepsTheLowestAndTheHighestPointOfEachColumn) {
  const auto thinned = thin(hour(), 100);
  EXPECT_THAT(thinned, SizeIs(200));
  const auto has = [&](double rate) {
    return std::any_of(
        thinned.begin(), thinned.end(), [&](const auto& p) { return p.rate == rate; });
  };
  EXPECT_TRUE(has(5));
  EXPECT_TRUE(has(9000));
}

TEST(Thin, KeepsTheOrderOfTime) {
  const auto thinned = thin(hour(), 333);
  EXPECT_TRUE(std::is_sorted(thinned.begin(), thinned.end(), [](const auto& a, const auto& b) {
    return a.seconds < b.seconds;
  }));
}

TEST(Thin, KeepsAPointWithoutARateInItsColumn) {
  auto points = hour();
  points[1800].rate = kNan;
  const auto thinned = thin(points, 100);
  EXPECT_THAT(thinned, SizeIs(200));
  EXPECT_EQ(std::ranges::count_if(thinned, [](const auto& p) { return std::isnan(p.rate); }), 1);
}

TEST(Thin, KeepsAllPointsOfAShortSeries) {
  EXPECT_THAT(thin(hour(), 1800), SizeIs(3600));
  EXPECT_THAT(thin(hour(), 0), SizeIs(3600));
  EXPECT_THAT(thin({}, 10), IsEmpty());
}

TEST(PathData, StartsWithAMoveFollowedByLines) {
  const Axis x{0, 2, 0, 20};
  const Axis y{0, 2, 20, 0};
  EXPECT_EQ(path_data({{0, 0}, {1, 2}}, x, y), "M0.0 20.0L10.0 0.0");
  EXPECT_EQ(path_data({}, x, y), "");
}

TEST(PathData, HasAGapWhereThereIsNoRate) {
  const Axis x{0, 2, 0, 20};
  const Axis y{0, 2, 20, 0};
  EXPECT_EQ(path_data({{0, 0}, {0.5, kNan}, {1, 2}, {2, 0}}, x, y), "M0.0 20.0M10.0 0.0L20.0 20.0");
  EXPECT_EQ(path_data({{0, kNan}}, x, y), "");
}

Svg picture() {
  return {"rate", {}, "Rate <1>", "from 1 & 2"};
}

TEST(Svg, HasATitleAndADescriptionForScreenReaders) {
  const auto text = picture().end();
  EXPECT_THAT(text, HasSubstr("aria-labelledby=\"rate-t rate-d\""));
  EXPECT_THAT(text, HasSubstr("<title id=\"rate-t\">Rate &lt;1&gt;</title>"));
  EXPECT_THAT(text, HasSubstr("<desc id=\"rate-d\">from 1 &amp; 2</desc>"));
}

TEST(Svg, EscapesTooltipsAndLabels) {
  auto svg = picture();
  svg.rect({1, 2, 3, 4}, "bar", "<b>");
  svg.rect({1, 2, 3, 4}, "bare");
  svg.text(1, 2, "m", "<i>");
  const auto text = std::move(svg).end();
  EXPECT_THAT(text, HasSubstr("height=\"4.0\"><title>&lt;b&gt;</title></rect>"));
  EXPECT_THAT(text, HasSubstr("class=\"bare\" x=\"1.0\" y=\"2.0\" width=\"3.0\" height=\"4.0\"/>"));
  EXPECT_THAT(text, HasSubstr(">&lt;i&gt;</text>"));
}

TEST(Svg, PrintsEnoughDigitsToDistinguishMarks) {
  auto svg = picture();
  svg.x_marks({0, 0.5, 0, 100}, {1, "s"});
  svg.y_marks({0, 10e6, 100, 0}, {1e6, "Mpps"});
  const auto text = std::move(svg).end();
  EXPECT_THAT(text, HasSubstr(">0.05</text>"));
  EXPECT_THAT(text, HasSubstr(">10</text>"));
  EXPECT_THAT(text, HasSubstr(">Mpps</text>"));
}

}  // namespace
}  // namespace manactl::report::svg_test
