// SPDX-License-Identifier: MIT
//
// Runs doctor --probe on the software adapter.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"

namespace manactl::test::cmd_doctor_probe_test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;
using Json = nlohmann::json;

constexpr const char* kNoViolations = "No contract violations.";

Outcome probe(const Words& sim, const Words& more, const std::string& interface = "sim0") {
  Words words = {"sim"};
  words.insert(words.end(), sim.begin(), sim.end());
  words.insert(words.end(), {"--", MANACTL_PROGRAM, "doctor", "--probe", interface});
  words.insert(words.end(), more.begin(), more.end());
  return manactl(words);
}

Json stage(const Json& document, const std::string& id) {
  for (const auto& one : document["probe"]["stages"]) {
    if (one["id"] == id) return one;
  }
  return {};
}

TEST(DoctorProbe, PassesAllStagesAndReleasesEverything) {
  const auto outcome = probe({"--ports", "2"}, {"--json"}, "sim1");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(kNoViolations));
  EXPECT_THAT(outcome.err, HasSubstr("sent 0 packets, 0 bytes, 0 errors, 0 lost, 0 doorbells"));
  const auto document = Json::parse(outcome.out);
  EXPECT_EQ(document["exit"], 0);
  const auto& report = document["probe"];
  EXPECT_EQ(report["interface"], "sim1");
  EXPECT_EQ(report["device"], "mana_0");
  EXPECT_EQ(report["slot"], "7870:00:00.0");
  EXPECT_EQ(report["port"], 2);
  EXPECT_EQ(report["simulated"], true);
  EXPECT_TRUE(report["ended_at"].is_null());
  ASSERT_EQ(report["stages"].size(), 10U);
  for (const auto& one : report["stages"]) EXPECT_EQ(one["outcome"], "ok") << one;
  EXPECT_EQ(stage(document, "rss-qp")["call"], "manadv_init_obj");
}

struct Fault {
  const char* fault;
  int code;
  const char* stage;
  const char* outcome;
  const char* error;  // "": none
  const char* reason;
};

class DoctorProbeFault : public testing::TestWithParam<Fault> {};

TEST_P(DoctorProbeFault, IsExplainedWithItsErrno) {
  const auto& expected = GetParam();
  const auto outcome = probe({"--fault", expected.fault}, {"--json"});
  EXPECT_EQ(outcome.code, expected.code) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(kNoViolations)) << "resources were not released";
  const auto document = Json::parse(outcome.out);
  EXPECT_EQ(document["exit"], expected.code);
  EXPECT_EQ(document["probe"]["ended_at"], expected.stage);
  const auto end = stage(document, expected.stage);
  EXPECT_EQ(end["outcome"], expected.outcome);
  EXPECT_EQ(end["error"].is_null() ? "" : end["error"], expected.error);
  EXPECT_THAT(end["reason"].get<std::string>(), HasSubstr(expected.reason));
}

constexpr Fault kFaults[] = {
    {"get_device_list=errno:ENODEV",
     3,
     "find",
     "failed",
     "",
     "the software adapter has no interface 'sim0'"},
    {"get_device_list=errno:EIO,after=1", 3, "find", "failed", "EIO", "cannot list"},
    {"open_device=errno:EACCES", 4, "open", "failed", "EACCES", "run as root"},
    {"open_device=errno:ENODEV", 1, "open", "failed", "ENODEV", "was removed"},
    {"query_device_ex=missing", 1, "query", "failed", "EOPNOTSUPP", "not libmana"},
    {"alloc_pd=errno:ENOMEM", 1, "pd", "failed", "ENOMEM", "Cannot allocate memory"},
    {"alloc_pd=crash", 1, "pd", "crashed", "", "SIGABRT"},
    {"alloc_parent_domain=missing", 1, "parent-domain", "failed", "EOPNOTSUPP", "not libmana"},
    {"provider=foreign", 1, "parent-domain", "failed", "EOPNOTSUPP", "manactl check --only rdma"},
    {"create_cq=errno:ENOMEM", 1, "cq", "failed", "ENOMEM", "ulimit -l"},
    {"create_cq=errno:EOPNOTSUPP", 1, "cq", "failed", "EOPNOTSUPP", "mana_ib of this kernel"},
    {"create_qp=errno:EPERM", 4, "qp", "failed", "EPERM", "CAP_NET_RAW"},
    {"create_qp=errno:EBUSY", 5, "qp", "failed", "EBUSY", "--fault caused this error"},
    {"create_qp=errno:ENODEV", 5, "qp", "failed", "ENODEV", "kernels before 7.2"},
    {"create_qp=crash", 1, "qp", "crashed", "", "create_qp: "},
    {"create_wq=errno:ENOMEM,after=1", 1, "rss-qp", "failed", "ENOMEM", "ulimit -l"},
    {"create_rwq_ind_table=errno:EPROTO", 1, "rss-qp", "failed", "EPROTO", "device rejected"},
    {"create_qp_ex=errno:EBUSY", 5, "rss-qp", "failed", "EBUSY", "in use"},
};

INSTANTIATE_TEST_SUITE_P(Every, DoctorProbeFault, testing::ValuesIn(kFaults));

// Takes ten seconds, after which the probe kills the process with the hanging call.
TEST(DoctorProbe, KillsACallThatHangs) {
  const auto outcome = probe({"--fault", "create_qp=hang"}, {});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("  hung       raw-packet QP to send\n"));
  EXPECT_THAT(outcome.out, HasSubstr("create_qp did not finish within 10 s"));
  EXPECT_THAT(outcome.out, HasSubstr("  not tried  RSS QP to receive\n"));
}

TEST(DoctorProbe, ListsThePortsOfTheAdapter) {
  const auto outcome = probe({"--ports", "2"}, {}, "sim2");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("has no interface 'sim2'; it has: sim0, sim1"));
}

TEST(DoctorProbe, DoesNotFindSoftwarePortsWithoutSim) {
  const auto outcome = manactl({"doctor", "--probe", "sim0"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error_lines(), 1U);
}

}  // namespace
}  // namespace manactl::test::cmd_doctor_probe_test
