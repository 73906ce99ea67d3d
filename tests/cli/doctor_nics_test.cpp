// SPDX-License-Identifier: MIT
//
// doctor on kernel logs in which NICs lose their VFs.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test::doctor_nics_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string log_of(const std::string& name) {
  return "--log=" MANACTL_SOURCE_DIR "/tests/logs/story/" + name;
}

TEST(DoctorWithNics, IsDegradedIfANicLostItsVf) {
  const auto outcome = manactl(
      {"doctor", "--root", fixture("not-azure"), log_of("degraded-kernel-maintenance.log"), "-v"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("Degraded: The host removed the VF of eth0 at 02:10:02, and it has not "
                      "returned in the remaining 5 h 35 min of the log\n  line 4\n"),
            HasSubstr("\neth1 has used its VF since line 16, and was without its VF once: 18 s\n"),
            HasSubstr("  NIC eth0: removed since 02:10:02 (line 4)\n"),
            HasSubstr("  NIC eth1: used since 02:10:20 (line 16), away once: 18 s\n")));
}

TEST(DoctorWithNics, ReportsAVfThatMayStillReturn) {
  const std::vector<std::string> words = {
      "doctor", "--root", fixture("not-azure"), log_of("healthy-kernel-servicing-now.log")};
  const auto outcome = manactl(words);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out,
              HasSubstr("Away: eth0 has not used its VF since 13:20:00 (line 4), for the last 41 s "
                        "of the log\n  The host removed the VF, as it does"));
  auto with_json = words;
  with_json.emplace_back("--json");
  const auto document = nlohmann::json::parse(manactl(with_json).out);
  EXPECT_EQ(document["verdict"]["answer"], "away");
  EXPECT_EQ(document["nics"][0]["state"], "removed");
  EXPECT_NEAR(document["nics"][0]["seconds"], 41, 1);
}

constexpr const char* kNetvsc = "hv_netvsc 000d3a76-3bd0-000d-3a76-3bd0000d3a76 eth0: ";

// A log in which the data path leaves the VF twice and returns once.
std::string switches_log(const std::string& driver) {
  std::string text = fmt::format("Nov 21 05:00:01 vm kernel: {}VF slot 1 added\n", kNetvsc);
  text += fmt::format("Nov 21 05:00:01 vm kernel: {}\n", driver);
  text += fmt::format("Nov 21 05:00:02 vm kernel: {}VF registering: eth2\n", kNetvsc);
  for (const auto* const line : {"05:00:03 to", "06:00:03 from", "06:00:43 to", "07:10:03 from"}) {
    const std::string_view words(line);
    text += fmt::format("Nov 21 {} vm kernel: {}Data path switched {} VF: eth2\n",
                        words.substr(0, 8),
                        kNetvsc,
                        words.substr(9));
  }
  return text;
}

std::string doctor_of(const std::string& text) {
  ProcessOptions process;
  process.input = text;
  return manactl({"doctor", "--root", fixture("not-azure"), "--log", "-"}, process).out;
}

TEST(DoctorWithNics, NamesTheSwitchesFromAVfThatTheHostDidNotRemove) {
  const auto text =
      switches_log(
          "mana 7870:00:00.0: Microsoft Azure Network Adapter protocol "
          "version: 0.1.1") +
      fmt::format("Nov 21 07:10:09 vm kernel: {}Data path switched to VF: eth2\n", kNetvsc);
  EXPECT_THAT(doctor_of(text),
              HasSubstr("Works: The kernel uses the VF (line 8)\n"
                        "eth0 left its VF 2 times: 40 s, 6 s (last at 07:10:03, line 7)\n"));
}

TEST(DoctorWithNics, DescribesTheOutageOfAMellanoxVfWithoutMana) {
  const auto text = switches_log("mlx5_core 4b1e:00:02.0: firmware version: 16.30.1284") +
                    "Nov 21 07:30:09 vm kernel: audit: something else\n";
  EXPECT_THAT(doctor_of(text),
              AllOf(HasSubstr("Not MANA: "),
                    HasSubstr("\nAway: eth0 has not used its VF since 07:10:03 (line 7), for the "
                              "last 20 min of the log\n"),
                    HasSubstr("\neth0 left its VF once: 40 s (06:00:03, line 5)\n")));
}

TEST(DoctorWithNics, ListsTheAbsencesOfAVfThatReturned) {
  const auto outcome = manactl({"doctor",
                                "--root",
                                fixture("not-azure"),
                                log_of("healthy-kernel-serviced-three-times.log")});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out,
              HasSubstr("Works: The kernel uses the VF (line 28)\n"
                        "eth0 was without its VF 3 times: 4 s, 5 s, 1 min 40 s\n"));
}

}  // namespace
}  // namespace manactl::test::doctor_nics_test
