// SPDX-License-Identifier: MIT

#include "cli/bench/live_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"
#include "report/sample_results.h"

namespace manactl::cli::live_view_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LiveViewTest : public testing::Test {
 protected:
  std::string show(LiveView& view) {
    text_.str("");
    view.show(result_.report.trials.front().intervals.at(1));
    return text_.str();
  }

  report::BenchResult result_ = test::steady(datapath::Mode::tx, 1e7);
  std::ostringstream text_;
};

TEST_F(LiveViewTest, RedrawsItsLines) {
  Screen screen(text_, false, 80, true);
  screen.set_redraw(true);
  LiveView view(screen, result_.plan);
  view.start_trial();
  const auto first = show(view);
  EXPECT_THAT(first, StartsWith("\r[##  "));
  EXPECT_THAT(first, HasSubstr("10.000 Mpps"));
  EXPECT_THAT(first, HasSubstr("queues in Mpps: 5.000 5.000"));
  const auto height = std::count(first.begin(), first.end(), '\n');
  EXPECT_THAT(show(view), StartsWith(fmt::format("\r\x1b[{}A[####  ", height)));
  text_.str("");
  view.clear();
  EXPECT_EQ(text_.str(), fmt::format("\r\x1b[{}A\x1b[J", height));
  text_.str("");
  view.clear();
  EXPECT_EQ(text_.str(), "\r\x1b[J") << "removes ^C";
}

TEST_F(LiveViewTest, ShowsTheStateOfASearchAboveTheRates) {
  Screen screen(text_, false, 80, true);
  screen.set_redraw(true);
  LiveView view(screen, result_.plan);
  view.set_status("trial 7 at 998.2 kpps");
  EXPECT_EQ(text_.str(), "");
  EXPECT_THAT(show(view), StartsWith("\rtrial 7 at 998.2 kpps\x1b[K\n["));
  screen.set_redraw(false);
  text_.str("");
  view.set_status("trial 8");
  EXPECT_EQ(text_.str(), "trial 8\n");
}

// The frame has all texts, and the cursor moves up by the rows that were drawn.
TEST_F(LiveViewTest, WrapsLinesThatAreTooLong) {
  Screen screen(text_, false, 80, true);
  screen.set_redraw(true);
  LiveView view(screen, result_.plan);
  view.start_trial();
  auto& queues = result_.report.trials.front().intervals.at(1).queues;
  queues.resize(16, queues.front());
  const std::string status =
      "trial 12 at 123.4 Mpps; 0.1234 % lost before; pdr=0.1% between 123.0 and 124.0 Mpps; 12 s "
      "left";
  view.set_status(status);
  const auto frame = show(view);
  for (const auto* part : {"trial 12 at 123.4 Mpps;", " 12 s left\x1b[K\n"})
    EXPECT_THAT(frame, HasSubstr(part));
  EXPECT_THAT(frame, Not(HasSubstr("...")));
  std::size_t rates = 0;
  for (auto at = frame.find(" 5.000"); at != std::string::npos; at = frame.find(" 5.000", at + 1)) {
    ++rates;
  }
  EXPECT_EQ(rates, 16U);
  for (const auto row : split(frame, '\n')) EXPECT_LE(row.size(), 76U + 9) << row;
  const auto height = std::count(frame.begin(), frame.end(), '\n');
  EXPECT_THAT(show(view), StartsWith(fmt::format("\r\x1b[{}A", height)));
}

TEST_F(LiveViewTest, ShowsTheLossSoFar) {
  result_ = test::steady(datapath::Mode::txrx, 1e6);
  auto& total = result_.report.trials.front().intervals.at(1).total;
  total.tx.packets = 1000;
  total.rx.packets = 900;
  total.rx.missed = std::nullopt;
  Screen screen(text_, false, 80, true);
  screen.set_redraw(true);
  LiveView view(screen, result_.plan);
  view.start_trial();
  EXPECT_THAT(show(view), HasSubstr("lost     100 packets (10 %) so far"));
  EXPECT_THAT(show(view), HasSubstr("lost     200 packets (10 %) so far"));
  EXPECT_THAT(text_.str(), Not(HasSubstr("0 dropped\x1b[K\n  lost"))) << "direct verbs cannot know";
  view.start_trial();
  EXPECT_THAT(show(view), HasSubstr("lost     100 packets"));
}

TEST_F(LiveViewTest, ChoosesOneUnitForAllQueues) {
  result_ = test::steady(datapath::Mode::tx, 4000);
  Screen screen(text_, false, 80, true);
  LiveView view(screen, result_.plan);
  EXPECT_THAT(show(view), HasSubstr("4.000 kpps"));
  EXPECT_THAT(text_.str(), HasSubstr("2.048 Mbit/s"));
}

TEST_F(LiveViewTest, FitsTheWidthOfTheTerminal) {
  Screen screen(text_, false, 40, true);
  screen.set_redraw(true);
  result_.plan.vdevs = {std::string(100, 'x')};
  auto& queues = result_.report.trials.front().intervals.at(1).queues;
  queues.resize(64, queues.front());
  LiveView view(screen, result_.plan);
  const auto text = show(view);
  const auto lines = split(text, '\n');
  EXPECT_LE(lines.size(), 9U);
  for (const auto line : lines) {
    EXPECT_LE(line.substr(0, line.find('\x1b')).size(), 40U) << line;
  }
}

TEST_F(LiveViewTest, PrintsOneLinePerIntervalIfItCannotRedraw) {
  Screen screen(text_, false, 80, true);
  LiveView view(screen, result_.plan);
  const auto text = show(view);
  EXPECT_THAT(text, HasSubstr("10.000 Mpps"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(LiveViewTest, PrintsNothingWithoutATerminal) {
  Screen screen(text_, false, 80, false);
  LiveView view(screen, result_.plan);
  EXPECT_EQ(show(view), "");
}

}  // namespace
}  // namespace manactl::cli::live_view_test
