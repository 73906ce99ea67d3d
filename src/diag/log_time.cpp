// SPDX-License-Identifier: MIT

#include "diag/log_time.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/text.h"

namespace manactl::diag {
namespace {

const re2::RE2& time_pattern() {
  static const auto* const pattern = [] {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    return new re2::RE2(R"((\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)"
                        R"(|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)"
                        R"(|\d{10}\.\d{6}|\d+\.\d+))",
                        options);
  }();
  return *pattern;
}

// The part of the line before the message, or the end of a line of JSON, which has the time there.
std::string_view part_with_time(std::string_view line, std::string_view message) {
  constexpr std::size_t kMaxPrefix = 200;
  constexpr std::string_view kKey = R"("time":")";
  if (line.starts_with('{')) {
    const auto key = line.rfind(kKey);
    return key == std::string_view::npos ? std::string_view() : line.substr(key + kKey.size());
  }
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  if (message.size() >= line.size()) return {};
  return line.substr(0, std::min(line.size() - message.size(), kMaxPrefix));
}

enum class TimeFormat { date, date_without_year, uptime, epoch };

struct LogTime {
  TimeFormat format = TimeFormat::uptime;
  double seconds = 0;
};

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;
constexpr std::size_t kClock = 8;            // the length of "03:00:00", which ends a date
constexpr std::size_t kMaxUptimeDigits = 9;  // seconds since 1970 have ten digits

// The value of decimal digits, which may have blanks before them.
double number_in(std::string_view digits) {
  double number = 0;
  for (const char c : digits) number = c == ' ' ? number : (number * 10) + (c - '0');
  return number;
}

double clock_seconds(std::string_view clock) {
  return (number_in(clock.substr(0, 2)) * kHour) + (number_in(clock.substr(3, 2)) * kMinute) +
         number_in(clock.substr(6, 2));
}

// Returns the days before the date: of "2026-11-21" since 1970, of "Nov 21" since the beginning of
// a year with 365 days.
std::optional<double> days_before(std::string_view date, TimeFormat format) {
  constexpr std::array<std::string_view, 12> kMonths = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::array kDaysBefore = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  if (format == TimeFormat::date_without_year) {
    const auto* const month = std::ranges::find(kMonths, date.substr(0, 3));
    if (month == kMonths.end()) return std::nullopt;
    return kDaysBefore.at(static_cast<std::size_t>(month - kMonths.begin())) +
           number_in(date.substr(4, 2));
  }
  const std::chrono::year_month_day day{
      std::chrono::year(static_cast<int>(number_in(date.substr(0, 4)))),
      std::chrono::month(static_cast<unsigned>(number_in(date.substr(5, 2)))),
      std::chrono::day(static_cast<unsigned>(number_in(date.substr(8, 2))))};
  if (!day.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(day).time_since_epoch().count());
}

std::optional<LogTime> parse_time(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto point = text.find('.');
  if (point != std::string_view::npos) {
    constexpr std::size_t kMaxDigits = 15;  // a double is exact up to here
    if (point > kMaxDigits) return std::nullopt;
    double fraction = 0;
    for (const char digit : text.substr(point + 1, kMaxDigits))
      fraction = (fraction * 10) + (digit - '0');
    const auto digits = std::min(text.size() - point - 1, kMaxDigits);
    return LogTime{
        point > kMaxUptimeDigits ? TimeFormat::epoch : TimeFormat::uptime,
        number_in(text.substr(0, point)) + (fraction / std::pow(10, static_cast<double>(digits)))};
  }
  const auto date = text.substr(0, text.size() - kClock - 1);
  const auto format =
      date.find('-') == std::string_view::npos ? TimeFormat::date_without_year : TimeFormat::date;
  const auto days = days_before(date, format);
  if (!days) return std::nullopt;
  return LogTime{format, (*days * kDay) + clock_seconds(text.substr(text.size() - kClock))};
}

}  // namespace

std::string_view time_of(std::string_view line, std::string_view message) {
  const auto part = part_with_time(line, message);
  if (part.empty()) return {};
  re2::StringPiece found;
  if (!re2::RE2::PartialMatch(re2::StringPiece(part.data(), part.size()), time_pattern(), &found)) {
    return {};
  }
  return {found.data(), found.size()};
}

std::optional<double> seconds_between(std::string_view from, std::string_view to) {
  constexpr double kYear = 365 * kDay;
  const auto begin = parse_time(from);
  const auto end = parse_time(to);
  if (!begin || !end || begin->format != end->format) return std::nullopt;
  double seconds = end->seconds - begin->seconds;
  const bool has_no_year = begin->format == TimeFormat::date_without_year;
  if (has_no_year && from.starts_with("Dec") && to.starts_with("Jan")) seconds += kYear;
  // The year is a leap year, which days_before() does not count.
  if (has_no_year && from.starts_with("Feb 29") && !to.starts_with("Feb")) seconds += kDay;
  if (seconds < 0) return std::nullopt;
  constexpr double kMicroseconds = 1e6;  // logs have no finer times
  return std::round(seconds * kMicroseconds) / kMicroseconds;
}

bool is_days_before(std::string_view from, std::string_view to) {
  return from.find(':') != std::string_view::npos && seconds_between(from, to).value_or(0) > kDay;
}

std::string duration_text(double seconds) {
  constexpr double kShort = 10 * kMinute;  // up to here, the seconds matter
  const auto text = [](double value,
                       double unit,
                       std::string_view name,
                       double rest_unit,
                       std::string_view rest_name) {
    const auto all = std::llround(value / rest_unit);
    const auto per_unit = std::llround(unit / rest_unit);
    const auto head = fmt::format("{} {}", all / per_unit, name);
    return all % per_unit == 0 ? head : fmt::format("{} {} {}", head, all % per_unit, rest_name);
  };
  if (seconds < 0.5) return "less than 1 s";
  if (seconds < kMinute - 0.5) return fmt::format("{} s", std::llround(seconds));
  if (seconds < kShort) return text(seconds, kMinute, "min", 1, "s");
  if (seconds < kHour - (kMinute / 2))
    return fmt::format("{} min", std::llround(seconds / kMinute));
  if (seconds < kDay - (kMinute / 2)) return text(seconds, kHour, "h", kMinute, "min");
  return text(seconds, kDay, seconds < 2 * kDay - (kHour / 2) ? "day" : "days", kHour, "h");
}

std::string moment_text(std::string_view time, std::string_view reference) {
  const auto point = time.find('.');
  if (point != std::string_view::npos) {
    return printable(time) + (point <= kMaxUptimeDigits ? " s after boot" : "");
  }
  const bool has_date = time.size() > kClock && time.size() == reference.size();
  const auto date = has_date ? time.size() - kClock : 0;
  const bool is_same_date = has_date && time.substr(0, date) == reference.substr(0, date);
  return printable(is_same_date ? time.substr(date) : time);
}

}  // namespace manactl::diag
