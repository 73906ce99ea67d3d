// SPDX-License-Identifier: MIT
//
// Tests what bench --sim prints about the software adapter. No engine violates its contract, so the
// counters are made here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/bench/sim.h"
#include "os/memory_files.h"

namespace manactl::cli::sim_report_test {
namespace {

using testing::HasSubstr;

struct Reported {
  Exit exit;
  std::string out, err;
};

// Reports the run of a child that ended with `status`.
Reported report(int status, std::uint64_t violations, int verbosity = 0) {
  auto counters = adapter::SharedCounters::make();
  if (!counters) throw std::runtime_error(counters.error().message);
  (**counters).ports = 1;
  (**counters).violations[0] = violations;
  std::ostringstream out, err;
  Screen screen(out, false, 80, false), errors(err, false, 80, false);
  Context context{screen, errors, false, verbosity, {}, {}, {}};
  const auto exit = report_adapter({status, 0, std::move(*counters)}, context);
  return {exit, out.str(), err.str()};
}

TEST(SimReport, ShowsViolationsWithoutAnOption) {
  const auto one = report(0, 1);
  EXPECT_THAT(one.err, HasSubstr("1 contract violation:"));
  EXPECT_EQ(one.out, "");
  EXPECT_EQ(one.exit, Exit::findings);
  EXPECT_THAT(report(0, 2).err, HasSubstr("2 contract violations:"));
}

TEST(SimReport, IsPrintedWithVerboseOnlyIfTheContractWasKept) {
  const auto quiet = report(0, 0), verbose = report(0, 0, 1);
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(quiet.exit, Exit::ok);
  EXPECT_THAT(verbose.err, HasSubstr("No contract violations."));
  EXPECT_EQ(verbose.exit, Exit::ok);
}

TEST(SimReport, KeepsTheExitCodeOfTheChild) {
  EXPECT_EQ(report(3, 0, 1).err, "");
  EXPECT_EQ(report(3, 0).exit, Exit::unsupported);
  const auto both = report(3, 1);
  EXPECT_THAT(both.err, HasSubstr("1 contract violation:"));
  EXPECT_EQ(both.exit, Exit::unsupported);
}

// Returns files with the environment of a process below 'manactl sim'.
os::MemoryFiles files_with(const std::string& setup) {
  os::MemoryFiles files;
  files.add_file("proc/self/environ",
                 "HOME=/" + std::string(1, '\0') + "MANACTL_SIM_SETUP=" + setup);
  return files;
}

// "pps=" in the value of another setting once counted as a rate.
TEST(SimNotes, NameTheLimitOfTheRate) {
  const auto is_unlimited = [](const os::MemoryFiles& files) {
    return simulated_note({}, files).ends_with("the CPU limits the rate, not MANA");
  };
  EXPECT_TRUE(is_unlimited(files_with("queues=1 root=/pps=1")));
  EXPECT_FALSE(is_unlimited(files_with("queues=1 pps=1000")));
  EXPECT_FALSE(is_unlimited(files_with("bps=1000")));
  EXPECT_FALSE(is_unlimited(os::MemoryFiles())) << "the setup is unknown";
}

TEST(SimNotes, NameTheBackendOnlyIfAnotherOneIsKnown) {
  using datapath::Mode;
  EXPECT_THAT(backend_note(Mode::txrx, files_with("root=/backend=loopback backend=sink")),
              HasSubstr("'manactl sim --backend loopback'"));
  EXPECT_EQ(backend_note(Mode::txrx, files_with("backend=loopback")), "");
  EXPECT_EQ(backend_note(Mode::txrx, os::MemoryFiles()), "");
}

}  // namespace
}  // namespace manactl::cli::sim_report_test
