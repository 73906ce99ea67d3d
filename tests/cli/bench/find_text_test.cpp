// SPDX-License-Identifier: MIT

#include "cli/bench/find_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::cli {
namespace {

using datapath::Found;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(FindGoals, AreReadAsTheyAreWritten) {
  EXPECT_THAT(*parse_goals("ndr"), ElementsAre(0));
  EXPECT_THAT(*parse_goals("pdr"), ElementsAre(DoubleEq(0.005)));
  EXPECT_THAT(*parse_goals("pdr=0.1%"), ElementsAre(DoubleEq(0.001)));
  EXPECT_THAT(*parse_goals("ndr,pdr=0.5%,pdr=50%"), ElementsAre(0, DoubleEq(0.005), DoubleEq(0.5)));
}

TEST(FindGoals, AreRefusedWithOneLine) {
  for (const char* text :
       {"",      "NDR",     "ndr=0",     "pdr=",      "pdr=%",    "pdr=0%",     "pdr=51%",
        "pdr=1", "pdr=-1%", "pdr=0.5 %", "pdr=1e-3%", "pdr=nan%", "ndr,",       ",ndr",
        "ndr ",  "mrr",     "pdr=0x1%",  "pdr=1%%",   "pdr=1,5%", "pdr=0,pdr=", "ndr;pdr"}) {
    const auto goals = parse_goals(text);
    ASSERT_FALSE(goals.has_value()) << text;
    EXPECT_EQ(goals.error().code, Errc::invalid);
    EXPECT_EQ(goals.error().message.find('\n'), std::string::npos);
  }
  EXPECT_THAT(parse_goals("ndt").error().message, HasSubstr("did you mean 'ndr'"));
  EXPECT_THAT(parse_goals("pdr=0.5%,ndr,pdr").error().message,
              HasSubstr("pdr=0.5% is given twice"));
  EXPECT_THAT(
      parse_goals("ndr,pdr=1%,pdr=2%,pdr=3%,pdr=4%,pdr=5%,pdr=6%,pdr=7%,pdr=8%").error().message,
      HasSubstr("9 goals"));
}

TEST(FindGoals, HaveNamesThatCanBeReadAgain) {
  for (const char* text : {"ndr", "pdr=0.5%", "pdr=0.001%", "pdr=33.3%"}) {
    EXPECT_EQ(goal_text(parse_goals(text)->front()), text);
  }
}

TEST(FoundText, TellsHowTheSearchEnded) {
  Found found;
  found.lower = 7.812e6;
  found.upper = 7.851e6;
  EXPECT_EQ(found_text(found), "7.812 Mpps, more is lost from 7.851 Mpps on");
  found.end = Found::End::stopped;
  EXPECT_EQ(found_text(found), "not found, between 7.812 Mpps and 7.851 Mpps: stopped");
  found.upper.reset();
  EXPECT_THAT(found_text(found), HasSubstr("perhaps 7.812 Mpps or more"));
  found.end = Found::End::above;
  EXPECT_EQ(found_text(found), "at least 7.812 Mpps, the most that could be sent");
  found.lower.reset();
  found.upper = 1000;
  found.end = Found::End::below;
  EXPECT_THAT(found_text(found), HasSubstr("less than 1.000 kpps"));
  found.end = Found::End::limit;
  EXPECT_EQ(found_text(found), "not found, less than 1.000 kpps: too many trials");
  found.upper.reset();
  found.end = Found::End::useless;
  EXPECT_EQ(found_text(found), "not found: trials could not be used");
}

TEST(ProbeText, TellsRateAndLoss) {
  datapath::Probe probe;
  probe.asked = probe.rate = 2e6;
  probe.seconds = 1;
  probe.sent = 2'000'000;
  probe.received = 1'999'000;
  EXPECT_EQ(probe_text(3, probe), "trial 3: 2.000 Mpps for 1.0 s, 0.05 % lost");
  probe.valid = false;
  EXPECT_THAT(probe_text(3, probe), HasSubstr("made again"));
}

}  // namespace
}  // namespace manactl::cli
