// SPDX-License-Identifier: MIT

#include "report/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace manactl::report::units_test {
namespace {

TEST(Quantity, HasFourSignificantDigits) {
  EXPECT_EQ(quantity(14'210'000, rate_unit(14'210'000)), "14.210 Mpps");
  EXPECT_EQ(quantity(142'100'000, rate_unit(14'210'000)), "142.100 Mpps");
  EXPECT_EQ(quantity(878'000, rate_unit(878'000)), "878.0 kpps");
  EXPECT_EQ(quantity(3'456.7, rate_unit(3'456.7)), "3.457 kpps");
  EXPECT_EQ(quantity(99.5, rate_unit(99.5)), "99.5 pps");
  EXPECT_EQ(quantity(12'345'678, bits_unit(12'345'678)), "12.35 Mbit/s");
  EXPECT_EQ(quantity(123'456'789'000, bits_unit(123'456'789'000)), "123.457 Gbit/s");
  EXPECT_EQ(quantity(999, rate_unit(999)), "999 pps");
  EXPECT_EQ(quantity(1000 / 1.0001, rate_unit(1000 / 1.0001)), "1000 pps");
  EXPECT_EQ(quantity(12.34, rate_unit(12.34)), "12.3 pps");
  EXPECT_EQ(quantity(1500, latency_unit(1500)), "1.500 \u00b5s");
  EXPECT_EQ(quantity(0, rate_unit(0)), "0 pps");
}

TEST(Quantity, HasTheUnitOfItsRoundedNumber) {
  EXPECT_EQ(quantity(999'960, rate_unit(999'960)), "1.000 Mpps");
  EXPECT_EQ(quantity(999'940, rate_unit(999'940)), "999.9 kpps");
  EXPECT_EQ(quantity(999.96, rate_unit(999.96)), "1.000 kpps");
  EXPECT_EQ(quantity(999'999'999, bits_unit(999'999'999)), "1.000 Gbit/s");
  EXPECT_EQ(number_text(17'000, rate_unit(1)), "17000") << "the rest of a range with a low end";
}

TEST(Quantity, IsUnknownForNumbersThatAreNotFinite) {
  EXPECT_EQ(quantity(std::numeric_limits<double>::quiet_NaN(), rate_unit(1)), "unknown");
  EXPECT_EQ(quantity(HUGE_VAL, rate_unit(HUGE_VAL)), "unknown");
}

TEST(Floored, HasNoDigitsBelowTheStepAndNeverRoundsUp) {
  const auto unit = rate_unit(997'800);
  EXPECT_EQ(floored_text(997'800, unit, 1'000), "997");
  EXPECT_EQ(floored_text(997'800, unit, 100), "997.8");
  EXPECT_EQ(floored_text(997'800, unit, 0.1), "997.8");
  EXPECT_EQ(floored_text(997'800, unit, 10'000), "990");
  EXPECT_EQ(floored_text(435'100, unit, 100'000), "400");
  EXPECT_EQ(floored_text(7'812'900, rate_unit(7'812'900), 10'000), "7.81");
  EXPECT_EQ(floored_text(7'812'900, rate_unit(7'812'900), 0), "7.812");
  EXPECT_EQ(floored_text(99.999, rate_unit(99.999), 0), "99.99");
  EXPECT_EQ(floored_text(0, unit, 0), "0");
}

TEST(Step, IsTheMagnitudeOfTheRangeUnlessItHidesMuchOfIt) {
  EXPECT_EQ(step_of(987'822, 997'800), 1'000);
  EXPECT_EQ(step_of(435'100, 997'800), 10'000);
  EXPECT_EQ(step_of(7'812'000, 7'851'000), 10'000);
  EXPECT_EQ(step_of(1'000, 1'000), 0);
}

TEST(Units, OfTimeAvoidLargeNumbers) {
  EXPECT_EQ(seconds_unit(10).name, "s");
  EXPECT_EQ(seconds_unit(3600).name, "min");
  EXPECT_EQ(seconds_unit(86400).name, "h");
}

}  // namespace
}  // namespace manactl::report::units_test
