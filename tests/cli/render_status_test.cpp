// SPDX-License-Identifier: MIT

#include "cli/setup/render_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "support/fixtures.h"

namespace manactl::cli::render_status_test {
namespace {

using setup::WatchdogState;
using std::chrono_literals::operator""s;

// Returns the row of the watchdog.
std::string watchdog_row(WatchdogState watchdog, std::optional<std::chrono::milliseconds> left) {
  host::Facts facts;
  facts.nics.emplace();
  setup::NicStatus nic;
  nic.name = "eth1";
  nic.confirmation = setup::Confirmation{left, watchdog};
  StatusOutput output{facts, {}, {}, {}, {}};
  output.status.nics.push_back(nic);
  std::ostringstream out;
  Screen screen(out, false, 1000, false);
  print_text(screen, output, 1);
  const auto text = out.str();
  const auto at = text.find("  watchdog   ");
  return text.substr(at, text.find('\n', at) - at);
}

TEST(StatusText, ShowsWhetherTheWatchdogWillRollBack) {
  EXPECT_EQ(watchdog_row(WatchdogState::alive, 30s),
            "  watchdog   not confirmed: will be rolled back in 30 s");
  EXPECT_EQ(watchdog_row(WatchdogState::alive, -5s),
            "  watchdog   not confirmed: the timeout ended 5 s ago; the watchdog is rolling the "
            "changes back");
  EXPECT_EQ(watchdog_row(WatchdogState::unknown, -5s),
            "  watchdog   not confirmed: the timeout ended 5 s ago; the state of the watchdog is "
            "unknown");
  EXPECT_EQ(watchdog_row(WatchdogState::dead, 30s),
            "  watchdog   not confirmed; the watchdog has exited, so the changes will NOT be "
            "rolled back");
  EXPECT_EQ(watchdog_row(WatchdogState::stopped, {}),
            "  watchdog   not confirmed; the watchdog is stopped (SIGSTOP or a debugger): the "
            "changes will NOT be rolled back until it continues");
}

TEST(StatusText, ShowsThatATunedNicIsFree) {
  const auto facts = host::facts_of("healthy-two-nics");
  setup::NicStatus nic;
  nic.name = "eth1";
  nic.owner = setup::Owner::kernel;
  nic.facts = &facts.nics->at(1);
  nic.journal = setup::JournalState::tuned;
  StatusOutput output{facts, {}, {}, {}, {}};
  output.status.nics.push_back(nic);
  std::ostringstream out;
  Screen screen(out, false, 1000, false);
  print_text(screen, output, 0);
  EXPECT_THAT(out.str(), ::testing::HasSubstr("  tuned; free\n"));
}

TEST(StatusText, SaysWhatToDoWithANicThatIsPreparedWithoutManactl) {
  const auto facts = host::facts_of("prepared-uio");
  setup::NicStatus nic;
  nic.name = "enP30832p0s0d1";
  nic.owner = setup::Owner::uio;
  nic.facts = &facts.nics->at(1);
  nic.journal = setup::JournalState::none;
  StatusOutput output{facts, {}, {}, {}, {}};
  output.status.nics.push_back(nic);
  for (const int verbosity : {0, 1}) {
    std::ostringstream out;
    Screen screen(out, false, 1000, false);
    print_text(screen, output, verbosity);
    EXPECT_THAT(out.str(),
                ::testing::HasSubstr("prepared without manactl; 'manactl restore enP30832p0s0d1' "
                                     "returns the NIC to the kernel\n"));
  }
  output.status.nics.front().journal = setup::JournalState::unknown;
  const std::string text =
      "journal not read; 'manactl restore enP30832p0s0d1' returns the NIC to the kernel\n";
  for (const auto& [verbosity, label] :
       {std::pair(0, "user space  "), {1, "  journal    unknown: "}}) {
    std::ostringstream out;
    Screen screen(out, false, 1000, false);
    print_text(screen, output, verbosity);
    EXPECT_THAT(out.str(), ::testing::HasSubstr(label + text));
  }
}

TEST(StatusText, NeverBreaksACommand) {
  host::Facts facts;
  facts.nics.emplace();
  const std::string command = "echo 0 | tee " + std::string(100, 'x');
  setup::NicStatus nic;
  nic.name = "eth1";
  nic.commands.push_back(command);
  StatusOutput output{facts, {}, {}, {}, {}};
  output.status.nics.push_back(nic);
  for (const int verbosity : {0, 1}) {
    std::ostringstream out;
    Screen screen(out, false, 80, true);
    print_text(screen, output, verbosity);
    EXPECT_THAT(out.str(), ::testing::HasSubstr("  run:       " + command + "\n"));
  }
}

}  // namespace
}  // namespace manactl::cli::render_status_test
