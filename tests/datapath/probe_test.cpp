// SPDX-License-Identifier: MIT

#include "datapath/probe.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "base/child.h"

namespace manactl::datapath::probe_test {
namespace {

using testing::HasSubstr;
using End = ChildResult::End;

ProbePlan plan_with(const std::string& no_qp_reason = {}) {
  ProbePlan plan;
  plan.interface = "eth1";
  plan.nic = Nic{};
  plan.no_qp_reason = no_qp_reason;
  return plan;
}

constexpr const char* kUpToTheDomain =
    "at\tlibraries\t\nversion\t44.0\nat\tfind\t\nat\tfind\tget_device_list\n"
    "port\tmana_0\t7870:00:00.0\t2\nat\topen\topen_device\nat\tquery\tquery_device_ex\n"
    "at\tpd\talloc_pd\n";

TEST(ReadProbe, SucceedsIfTheChildReportsIt) {
  const auto report =
      read_probe(plan_with(), {std::string(kUpToTheDomain) + "at\trelease\t\ndone\n"});
  EXPECT_FALSE(report.end());
  EXPECT_EQ(report.device, "mana_0");
  EXPECT_EQ(report.slot, "7870:00:00.0");
  EXPECT_EQ(report.port, 2U);
  EXPECT_EQ(report.version, "44.0");
  EXPECT_EQ(report.at(Stage::open).call, "open_device");
}

TEST(ReadProbe, EndsAtTheStageThatFailed) {
  const auto report =
      read_probe(plan_with(), {std::string(kUpToTheDomain) + "fail\t6\t12\tno memory\n"});
  ASSERT_EQ(report.end(), Stage::pd);
  const auto& stage = report.at(Stage::pd);
  EXPECT_EQ(stage.outcome, Outcome::failed);
  EXPECT_EQ(stage.reason->code, Errc::io);
  EXPECT_EQ(stage.reason->sys, ENOMEM);
  EXPECT_EQ(stage.reason->message, "no memory");
  EXPECT_EQ(report.at(Stage::query).outcome, Outcome::ok);
  EXPECT_EQ(report.at(Stage::cq).outcome, Outcome::not_tried);
  EXPECT_EQ(report.at(Stage::release).outcome, Outcome::ok);
}

TEST(ReadProbe, NamesTheCallOfACrash) {
  const auto report = read_probe(plan_with(), {kUpToTheDomain, End::crashed, "SIGSEGV"});
  const auto& stage = report.at(Stage::pd);
  EXPECT_EQ(stage.outcome, Outcome::crashed);
  EXPECT_THAT(stage.reason->message, HasSubstr("alloc_pd: "));
  EXPECT_THAT(stage.reason->message, HasSubstr("SIGSEGV"));
}

TEST(ReadProbe, NamesTheCallThatHangs) {
  auto result = ChildResult{kUpToTheDomain, End::timed_out};
  EXPECT_THAT(read_probe(plan_with(), result).at(Stage::pd).reason->message,
              HasSubstr("alloc_pd did not finish within 10 s; the process was killed"));
  result.reaped = false;
  const auto report = read_probe(plan_with(), result);
  EXPECT_EQ(report.at(Stage::pd).outcome, Outcome::hung);
  EXPECT_THAT(report.at(Stage::pd).reason->message, HasSubstr("still hangs in the kernel"));
}

// A library that calls exit() ends the child without a report.
TEST(ReadProbe, TreatsAnEndWithoutReportAsACrash) {
  for (const char* text : {"", "nonsense", "at\tpd", "fail\t6\t12", "fail\tx\t12\ty", "\t\t\t"}) {
    const auto report = read_probe(plan_with(), {text});
    EXPECT_EQ(report.end(), Stage::libraries) << text;
    EXPECT_EQ(report.at(Stage::libraries).outcome, Outcome::crashed) << text;
  }
}

// A PCI function may have two RDMA devices. The second is tried if the first has no Ethernet port.
TEST(ReadProbe, ResetsTheStagesForASecondDevice) {
  const auto report =
      read_probe(plan_with(),
                 {std::string(kUpToTheDomain) +
                  "port\tmana_1\t7870:00:00.0\t1\nat\topen\topen_device\nfail\t1\t13\tno\n"});
  EXPECT_EQ(report.end(), Stage::open);
  EXPECT_EQ(report.device, "mana_1");
  EXPECT_EQ(report.at(Stage::query).outcome, Outcome::not_tried);
  EXPECT_EQ(report.at(Stage::pd).outcome, Outcome::not_tried);
}

TEST(ReadProbe, ReportsWhyQpsWereNotCreated) {
  const auto report = read_probe(plan_with("it carries the default route"),
                                 {"at\tcq\tcreate_cq\nat\trelease\t\ndone\n"});
  ASSERT_EQ(report.end(), Stage::qp);
  for (const auto stage : {Stage::qp, Stage::rss_qp}) {
    EXPECT_EQ(report.at(stage).outcome, Outcome::not_tried);
    EXPECT_EQ(report.at(stage).reason->code, Errc::denied);
    EXPECT_EQ(report.at(stage).reason->message, "it carries the default route");
  }
  EXPECT_EQ(report.at(Stage::release).outcome, Outcome::ok);
}

TEST(ReadProbe, ReadsOnlyCompleteLines) {
  const auto report = read_probe(plan_with(),
                                 {"version\t1\t2\nport\ta\tb\nport\ta\tb\tc\td\nat\tpd\n"
                                  "at\tnowhere\tcall\nfail\t99\t1\tx\nfail\t1\t4096\tx\n"
                                  "fail\t1\t2\tx\ty\n"});
  EXPECT_EQ(report.version + report.device + report.slot, "");
  EXPECT_EQ(report.interface, "eth1");
  EXPECT_FALSE(report.simulated);
  EXPECT_EQ(report.at(Stage::libraries).outcome, Outcome::crashed);
  EXPECT_EQ(read_probe(plan_with(), {"port\ta\tb\t256\n"}).port, 0U);
  EXPECT_EQ(read_probe(plan_with(), {"port\ta\tb\t255\n"}).port, 255U);
  EXPECT_TRUE(read_probe({}, {""}).simulated);
}

TEST(ReadProbe, ReportsTheStageAfterAllOthersSucceeded) {
  const std::string all =
      std::string(kUpToTheDomain) +
      "at\tparent-domain\ta\nat\tcq\tb\nat\tqp\tc\nat\trss-qp\td\nat\trelease\t\n";
  for (const bool failed : {false, true}) {
    const auto report =
        read_probe(plan_with(),
                   {all + (failed ? "fail\t6\t4095\tlast\n" : "done\n"), End::crashed, "SIGABRT"});
    EXPECT_EQ(report.end(), Stage::release);
    EXPECT_EQ(report.at(Stage::release).outcome, Outcome::crashed);
    EXPECT_EQ(report.at(Stage::release).reason->message,
              "release everything: libibverbs, or a library that it loaded, crashed with SIGABRT; "
              "the kernel released its resources");
  }
  const auto report = read_probe(plan_with(), {all, End::done});
  EXPECT_EQ(report.at(Stage::release).reason->message,
            "release everything: libibverbs, or a library that it loaded, ended the process; the "
            "kernel released its resources");
  EXPECT_EQ(read_probe(plan_with(), {all + "fail\t6\t4095\tlast\n"}).at(Stage::release).reason->sys,
            4095);
}

TEST(Stages, HaveDistinctNames) {
  EXPECT_EQ(id_of(Stage::libraries), "libraries");
  EXPECT_EQ(id_of(Stage::release), "release");
  EXPECT_EQ(title_of(Stage::rss_qp), "RSS QP to receive");
}

}  // namespace
}  // namespace manactl::datapath::probe_test
