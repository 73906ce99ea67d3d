// SPDX-License-Identifier: MIT
//
// The command wait with a clock of the test and systems that change while it waits.

#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/live/wait.h"
#include "cli/run_manactl.h"
#include "support/changing_nics.h"

namespace manactl::cli::cmd_wait_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

class WaitFor : public ::testing::Test {
 protected:
  // Waits. `act` is called at each pause with the number of the pause, from 1, and returns a
  // signal or 0.
  Exit wait(WaitGoal goal, const char* nic, const std::function<int(int)>& act = {}) {
    WaitOptions options;
    if (nic != nullptr) options.nic = *NicName::parse(nic);
    options.goal = goal;
    options.timeout = 10;
    pauses_ = 0;
    double seconds = 0;
    const WaitClock clock{[&seconds] { return seconds; },
                          [&](double pause) {
                            EXPECT_GT(pause, 0);
                            seconds += pause;
                            return act ? act(++pauses_) : 0;
                          }};
    std::ostringstream out, err;
    Screen screen(out, false, kUnlimitedWidth, false);
    Screen errors(err, false, kUnlimitedWidth, is_terminal_);
    Context context{screen, errors, is_json_, 0, {}, {}, [this] {
                      return Result<os::System>(captured_ ? captured_->system() : nics_.system());
                    }};
    const auto exit = run_wait(options, clock, context);
    out_ = out.str();
    err_ = err.str();
    return exit;
  }

  void set_up(const char* interface, bool is_up) { nics_.link(interface).flags = is_up ? kUp : 0; }

  static constexpr unsigned kUp = 71747;  // the flags of the captured VF

  test::ChangingNics nics_{"healthy-two-nics"};
  std::unique_ptr<host::CapturedSystem> captured_;  // replaces the system
  bool is_json_ = false;
  bool is_terminal_ = false;
  int pauses_ = 0;
  std::string out_, err_;
};

TEST_F(WaitFor, EndsAtOnceIfTheVfIsUsed) {
  EXPECT_EQ(wait(WaitGoal::vf, "eth1"), Exit::ok);
  EXPECT_EQ(pauses_, 0);
  EXPECT_EQ(out_, "eth1: VF enP30832p0s0d1 is in use\n");
  EXPECT_EQ(err_, "");
  EXPECT_EQ(wait(WaitGoal::vf, nullptr), Exit::ok);
  EXPECT_EQ(out_, "eth0: VF enP30832p0s0 is in use\neth1: VF enP30832p0s0d1 is in use\n");
}

TEST_F(WaitFor, WaitsForAVfThatJoinsLate) {
  auto vf = nics_.remove("enP30832p0s0d1");
  vf.master.reset();
  EXPECT_EQ(wait(WaitGoal::vf,
                 "eth1",
                 [&](int pause) {
                   if (pause == 3) nics_.links.push_back(vf);
                   if (pause == 4) {
                     nics_.link("enP30832p0s0d1").master = nics_.link("eth1").index;
                     set_up("enP30832p0s0d1", false);
                   }
                   if (pause == 6) set_up("enP30832p0s0d1", true);
                   return 0;
                 }),
            Exit::ok);
  EXPECT_EQ(pauses_, 6);
  EXPECT_EQ(out_, "eth1: VF enP30832p0s0d1 is in use\n");
}

TEST_F(WaitFor, WaitsForANicThatDoesNotExistYet) {
  const auto nic = nics_.remove("eth1");
  const auto vf = nics_.remove("enP30832p0s0d1");
  const auto appear = [&](int pause) {
    if (pause == 2) nics_.links.push_back(nic);
    if (pause == 2) nics_.links.push_back(vf);
    return 0;
  };
  EXPECT_EQ(wait(WaitGoal::vf, "eth1", appear), Exit::ok);
  EXPECT_EQ(pauses_, 2);
}

TEST_F(WaitFor, PrintsTheStateOnATerminal) {
  is_terminal_ = true;
  EXPECT_EQ(wait(WaitGoal::vf, "eth1"), Exit::ok);
  EXPECT_EQ(err_, "");
  EXPECT_EQ(wait(WaitGoal::vf, "eth7", [](int pause) { return pause == 2 ? SIGINT : 0; }),
            static_cast<Exit>(130));
  EXPECT_EQ(
      err_,
      "manactl: waiting at most 10 s for the state 'vf'; now: interface 'eth7' does not exist; "
      "did you mean 'eth0'?\n");
}

TEST_F(WaitFor, NamesTheLastStateAndTheNextCommandAfterTheTimeout) {
  nics_.remove("enP30832p0s0d1");
  EXPECT_EQ(wait(WaitGoal::vf, "eth1"), Exit::findings);
  EXPECT_EQ(err_, "manactl: wait: timed out after 10 s: eth1: no VF; run 'manactl check eth1'\n");
  EXPECT_EQ(out_, "");
  EXPECT_EQ(wait(WaitGoal::vf, nullptr), Exit::findings);
  EXPECT_EQ(err_, "manactl: wait: timed out after 10 s: eth1: no VF; run 'manactl check eth1'\n");
  EXPECT_EQ(wait(WaitGoal::vf, "eth7"), Exit::findings);
  EXPECT_EQ(err_,
            "manactl: wait: timed out after 10 s: interface 'eth7' does not exist; did you mean "
            "'eth0'?\n");
  nics_.links.clear();
  EXPECT_EQ(wait(WaitGoal::vf, nullptr), Exit::findings);
  EXPECT_EQ(err_,
            "manactl: wait: timed out after 10 s: there is no Azure NIC; run 'manactl status'\n");
}

TEST_F(WaitFor, EndsWithTheSignal) {
  nics_.remove("enP30832p0s0d1");
  EXPECT_EQ(wait(WaitGoal::vf, "eth1", [](int pause) { return pause == 2 ? SIGTERM : 0; }),
            Exit::terminated);
  EXPECT_EQ(pauses_, 2);
  EXPECT_EQ(out_ + err_, "");
}

TEST_F(WaitFor, EndsIfTheAddressIsThatOfSeveralNics) {
  EXPECT_EQ(wait(WaitGoal::vf, "7870:00:00.0"), Exit::usage);
  EXPECT_THAT(err_, HasSubstr("2 NICs have the address"));
  EXPECT_EQ(pauses_, 0);
}

TEST_F(WaitFor, PrintsADocument) {
  is_json_ = true;
  nics_.remove("enP30832p0s0d1");
  EXPECT_EQ(wait(WaitGoal::vf, nullptr), Exit::findings);
  auto document = Json::parse(out_);
  EXPECT_EQ(document["exit"], 1);
  EXPECT_EQ(document["reached"], false);
  EXPECT_EQ(document["seconds"], 10);
  EXPECT_EQ(document["nics"][0]["reached"], true);
  EXPECT_EQ(document["nics"][1], (Json{{"name", "eth1"}, {"reached", false}, {"state", "no VF"}}));
  EXPECT_EQ(wait(WaitGoal::vf, "eth0"), Exit::ok);
  document = Json::parse(out_);
  EXPECT_EQ(document["reached"], true);
  EXPECT_EQ(document["for"], "vf");
}

// The VF of a NIC in user space is not the kernel's.
TEST_F(WaitFor, LeavesOutNicsInUserSpaceUnlessTheyAreNamed) {
  captured_ = test::system_of("prepared-uio");
  EXPECT_EQ(wait(WaitGoal::vf, nullptr), Exit::ok);
  EXPECT_EQ(out_, "eth0: VF enP30832p0s0 is in use\n");
  EXPECT_EQ(wait(WaitGoal::vf, "enP30832p0s0d1"), Exit::findings);
  EXPECT_EQ(err_,
            "manactl: wait: timed out after 10 s: enP30832p0s0d1: VF enP30832p0s0d1 is in user "
            "space; run 'manactl restore enP30832p0s0d1'\n");
}

TEST_F(WaitFor, IsReadyIfNoCheckFails) {
  captured_ = test::system_of("mana-ib-missing");
  EXPECT_EQ(wait(WaitGoal::ready,
                 "eth1",
                 [this](int pause) {
                   if (pause == 2) captured_ = test::system_of("healthy-two-nics");
                   return 0;
                 }),
            Exit::ok);
  EXPECT_EQ(pauses_, 2);
  EXPECT_EQ(out_, "eth1: check finds no failure\n");
  captured_ = test::system_of("mana-ib-missing");
  EXPECT_EQ(wait(WaitGoal::ready, "eth1"), Exit::findings);
  EXPECT_EQ(err_,
            "manactl: wait: timed out after 10 s: eth1: check kernel.mana-ib fails: The mana_ib "
            "RDMA driver is not loaded; run 'manactl check eth1'\n");
  captured_ = test::system_of("not-azure");
  EXPECT_EQ(wait(WaitGoal::ready, nullptr), Exit::findings);
}

TEST(WaitCommand, IsInterruptedAtOnce) {
  test::ProcessOptions process;
  process.signal = SIGTERM;
  const auto outcome = test::manactl({"wait", "nowhere0", "--for", "vf"}, process);
  EXPECT_EQ(outcome.code, 128 + SIGTERM);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

}  // namespace
}  // namespace manactl::cli::cmd_wait_test
