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
Watched watch_reports(const std::vector<std::string>& texts,
                      bool redraw,
                      const char* root = "",
                      unsigned height = 0,
                      bool is_stream = false) {
  std::ostringstream out;
  std::ostringstream err;
  Screen screen(out, false, 80, redraw);
  screen.set_redraw(redraw);
  screen.set_height(height);
  Screen errors(err, false, 80, false);
  Context context{screen, errors, false, 0, root, {}, {}};
  WatchOptions options;
  options.on = true;
  options.seconds = 0.001;
  options.is_stream = is_stream;
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

// The screen is not cleared first: it would flicker.
TEST(Watch, OverwritesTheReportOnATerminal) {
  EXPECT_EQ(watch_reports({"one\nline\n", "two\n"}, true).out,
            "\x1b[?7l\x1b[Hone\x1b[K\nline\x1b[K\n\x1b[J\x1b[?7h"
            "\x1b[?7l\x1b[Htwo\x1b[K\n\x1b[J\x1b[?7h");
}

TEST(Watch, CutsTheReportToTheHeightOfTheTerminal) {
  EXPECT_EQ(watch_reports({"1\n2\n3\n"}, true, "", 4).out,
            "\x1b[?7l\x1b[H1\x1b[K\n2\x1b[K\n3\x1b[K\n\x1b[J\x1b[?7h");
  EXPECT_EQ(watch_reports({"1\n2\n3\n4\n5\n"}, true, "", 4).out,
            "\x1b[?7l\x1b[H1\x1b[K\n2\x1b[K\n(3 more lines)\x1b[K\n\x1b[J\x1b[?7h");
}

TEST(Watch, AppendsTheLinesOfAStream) {
  EXPECT_EQ(watch_reports({"{1}\n", "{2}\n"}, true, "", 0, true).out, "{1}\n{2}\n");
  EXPECT_EQ(watch_reports({"{1}\n", "{2}\n"}, false, "", 0, true).out, "{1}\n{2}\n");
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
