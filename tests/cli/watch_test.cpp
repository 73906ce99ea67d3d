// SPDX-License-Identifier: MIT

#include "cli/watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>

namespace manactl::cli::watch_test {
namespace {

struct Watched {
  std::string out;
  Exit exit = Exit::ok;
};

// Watches reports with these texts, one after the other, and sends SIGINT with the last one.
Watched watch_reports(const std::vector<std::string>& texts, bool redraw, const char* root = "") {
  std::ostringstream out;
  std::ostringstream err;
  Screen screen(out, false, 80, redraw);
  screen.set_redraw(redraw);
  Screen errors(err, false, 80, false);
  Context context{screen, errors, false, 0, root, {}, {}};
  WatchOptions options;
  options.on = true;
  options.seconds = 0.001;
  std::size_t next = 0;
  Watched watched;
  watched.exit = watch(context, options, [&](Context& inner) {
    // The signal may arrive after further calls.
    inner.out.stream() << texts[std::min(next, texts.size() - 1)];
    if (++next == texts.size()) kill(getpid(), SIGINT);
    return Exit::findings;
  });
  watched.out = out.str();
  return watched;
}

TEST(Watch, PrintsReportsThatDifferUntilASignal) {
  const auto watched = watch_reports({"one\n", "one\n", "two\n"}, false);
  EXPECT_EQ(watched.out, "one\n\ntwo\n");
  EXPECT_EQ(watched.exit, Exit::interrupted);
}

TEST(Watch, ReplacesTheReportOnATerminal) {
  EXPECT_EQ(watch_reports({"one\n", "two\n"}, true).out, "\x1b[H\x1b[2Jone\n\x1b[H\x1b[2Jtwo\n");
}

TEST(Watch, EndsIfNoReportWasPrinted) {
  EXPECT_EQ(watch_reports({"one\n", "", "two\n"}, false).exit, Exit::findings);
}

TEST(Watch, RefusesACapturedSystem) {
  const auto watched = watch_reports({"one\n"}, false, "/captured");
  EXPECT_EQ(watched.exit, Exit::usage);
  EXPECT_EQ(watched.out, "");
}

TEST(Watch, PrintsOneReportWithoutTheOption) {
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  Context context{screen, screen, false, 0, {}, {}, {}};
  const auto exit = watch(context, {}, [](Context& inner) {
    inner.out.stream() << "one";
    return Exit::unsupported;
  });
  EXPECT_EQ(exit, Exit::unsupported);
  EXPECT_EQ(out.str(), "one");
}

}  // namespace
}  // namespace manactl::cli::watch_test
