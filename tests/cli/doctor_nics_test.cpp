// SPDX-License-Identifier: MIT
//
// doctor on kernel logs in which NICs lose their VFs.

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
