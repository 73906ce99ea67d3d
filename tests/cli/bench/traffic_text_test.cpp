// SPDX-License-Identifier: MIT
#include "cli/bench/traffic_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/search_text.h"

namespace manactl::cli::traffic_text_test {
namespace {

using datapath::Rate;
using datapath::SizeShare;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Sizes, AreANumberAListOrShares) {
  EXPECT_THAT(*parse_sizes("64"), ElementsAre(SizeShare{64, 1}));
  EXPECT_THAT(*parse_sizes("9018,64"), ElementsAre(SizeShare{9018, 1}, SizeShare{64, 1}));
  EXPECT_THAT(*parse_sizes("64:7,570:4,1518"),
              ElementsAre(SizeShare{64, 7}, SizeShare{570, 4}, SizeShare{1518, 1}));
  EXPECT_EQ(*parse_sizes("imix"), *parse_sizes("64:7,570:4,1518:1"));
}

TEST(Sizes, AreRejectedWithTheWrongWord) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "''"},
           {"63", "'63'"},
           {"9019", "'9019'"},
           {"64,", "''"},
           {"64,,512", "''"},
           {"64:", "share"},
           {"64:0", "share"},
           {"64:101", "share"},
           {"64:1:1", "share"},
           {":1", "''"},
           {"Imix", "'Imix'"},
           {"IMIX", "did you mean 'imix'?"},
           {"64-1518", "use commas, as in 64,512,1518"},
           {"64 ,512", "'64 '"},
           {"64,64", "size 64 is given twice"},
           {"64,65,66,67,68,69,70,71,72", "9 sizes are given, at most 8"},
       }) {
    const auto sizes = parse_sizes(text);
    ASSERT_FALSE(sizes) << text;
    EXPECT_EQ(sizes.error().code, Errc::invalid);
    EXPECT_THAT(sizes.error().message, HasSubstr(message));
  }
}

TEST(Rate, IsInPacketsBitsOrAShareOfTheLinkSpeed) {
  struct Case {
    const char* text;
    Rate::Unit unit;
    double value;
  };

  for (const auto& [text, unit, value] : {Case{"1Mpps", Rate::Unit::packets, 1e6},
                                          Case{"500kpps", Rate::Unit::packets, 5e5},
                                          Case{"1pps", Rate::Unit::packets, 1},
                                          Case{"10Gbps", Rate::Unit::bits, 1e10},
                                          Case{"2.5Gbit", Rate::Unit::bits, 2.5e9},
                                          Case{"2.5gbit/s", Rate::Unit::bits, 2.5e9},
                                          Case{"50%", Rate::Unit::percent, 50},
                                          Case{"0.5%", Rate::Unit::percent, 0.5},
                                          Case{"100%", Rate::Unit::percent, 100}}) {
    const auto rate = parse_rate(text);
    ASSERT_TRUE(rate) << text;
    EXPECT_EQ(rate->unit, unit) << text;
    EXPECT_DOUBLE_EQ(rate->value, value) << text;
  }
}

TEST(Rate, IsRejectedWithOneLineAndExamples) {
  for (const std::string text :
       {"",       "0",    "0pps",   "1e30",   "1e6pps",  "10 g",   "10 Gbps",
        "-1Mpps", "Mpps", "1.Mpps", ".5Mpps", "1,5Mpps", "1MMpps", "101%",
        "1k%",    "nan%", "infpps", "10GB/s", "1Mpps\n", "1000000"}) {
    const auto rate = parse_rate(text);
    ASSERT_FALSE(rate) << text;
    EXPECT_EQ(rate.error().code, Errc::invalid);
    EXPECT_THAT(rate.error().message, HasSubstr("is not a rate (examples: 1Mpps"));
    EXPECT_EQ(rate.error().message.find('\n'), std::string::npos);
  }
  EXPECT_FALSE(parse_rate(std::string(100000, '9') + "pps"));
}

TEST(FindGoals, AreParsed) {
  EXPECT_THAT(*parse_goals("ndr"), ElementsAre(0));
  EXPECT_THAT(*parse_goals("pdr"), ElementsAre(DoubleEq(0.005)));
  EXPECT_THAT(*parse_goals("pdr=0.1%"), ElementsAre(DoubleEq(0.001)));
  EXPECT_THAT(*parse_goals("ndr,pdr=0.5%,pdr=50%"), ElementsAre(0, DoubleEq(0.005), DoubleEq(0.5)));
}

TEST(FindGoals, AreRejectedWithOneLine) {
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
  EXPECT_THAT(parse_goals("0.5%").error().message, HasSubstr("did you mean 'pdr=0.5%'?"));
  EXPECT_THAT(parse_goals("pdr=0.5%,ndr,pdr").error().message,
              HasSubstr("pdr=0.5% is given twice"));
  EXPECT_THAT(
      parse_goals("ndr,pdr=1%,pdr=2%,pdr=3%,pdr=4%,pdr=5%,pdr=6%,pdr=7%,pdr=8%").error().message,
      HasSubstr("9 goals"));
}

TEST(FindGoals, HaveTextThatParsesToTheSameGoal) {
  for (const char* text : {"ndr", "pdr=0.5%", "pdr=0.001%", "pdr=33.3%"}) {
    EXPECT_EQ(report::goal_text(parse_goals(text)->front()), text);
  }
}

}  // namespace
}  // namespace manactl::cli::traffic_text_test
