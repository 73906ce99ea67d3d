// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>

#include "datapath/in_child.h"
#include "datapath/verbs/probe.h"
#include "datapath/verbs_simulated_port.h"

namespace manactl::datapath::verbs::verbs_probe_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// How many devices the probe's child opened and closed, in memory shared with the test. The adapter
// reports leaks only when a device is closed, so the test also checks that all were closed.
struct Counts {
  std::atomic<int> opened, closed;
};

Counts& counts() {
  static auto& shared = *static_cast<Counts*>(
      mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return shared;
}

ibv_context* open_and_count(ibv_device* device) {
  auto* context = ibv_open_device(device);
  if (context != nullptr) ++counts().opened;
  return context;
}

int close_and_count(ibv_context* context) {
  ++counts().closed;
  return ibv_close_device(context);
}

Result<Library> load() {
  auto library = adapter_library();
  library.open_device = open_and_count;
  library.close_device = close_and_count;
  return library;
}

// Probes a port of the adapter without reading sysfs.
class ProbeFixture {
 public:
  explicit ProbeFixture(const std::string& fault = {})
      : port_("engine=inline " + (fault.empty() ? fault : "fault=" + fault)) {
    counts().opened = counts().closed = 0;
  }

  ProbeReport probe(const std::string& no_qp_reason = {},
                    std::chrono::milliseconds timeout = std::chrono::seconds(60)) const {
    ProbePlan plan;
    plan.interface = "eth1";
    plan.nic = Nic{};
    plan.no_qp_reason = no_qp_reason;
    plan.timeout = timeout;
    const auto open = [](const Library& library, const ProbePlan&) {
      auto** list = library.get_device_list(nullptr);
      auto* device = list[0];
      library.free_device_list(list);
      return Context::open_port(library, device, {"mana_0", "7870:00:00.0", 1, "eth1", false});
    };
    return verbs::probe(plan, {load, open}).value();
  }

  // Contract violations, and devices that are still open.
  std::vector<std::string> problems() const {
    auto problems = port_.violations();
    const int open = counts().opened - counts().closed;
    if (open != 0) problems.push_back(fmt::format("{} devices are open", open));
    return problems;
  }

 private:
  SimulatedPort port_;
};

TEST(Probe, SucceedsAndReleasesEverything) {
  EXPECT_TRUE(in_child([] {
    const ProbeFixture fixture;
    const auto report = fixture.probe();
    EXPECT_FALSE(report.end());
    EXPECT_EQ(counts().opened, 1);
    EXPECT_EQ(report.device, "mana_0");
    EXPECT_EQ(report.slot, "7870:00:00.0");
    EXPECT_EQ(report.port, 1U);
    EXPECT_FALSE(report.simulated);
    EXPECT_THAT(fixture.problems(), IsEmpty());
    EXPECT_FALSE(fixture.probe().end()) << "the first probe did not release the port";
  }));
}

struct Case {
  const char* fault;
  Stage stage;
  const char* call;
  Errc code;
  int number;
  const char* message;
};

class ProbeFault : public testing::TestWithParam<Case> {};

TEST_P(ProbeFault, EndsAtItsStageAndReleasesEverything) {
  EXPECT_TRUE(in_child([] {
    const auto& expected = GetParam();
    const ProbeFixture fixture(expected.fault);
    const auto report = fixture.probe();
    EXPECT_EQ(report.end(), expected.stage);
    const auto& stage = report.at(expected.stage);
    EXPECT_EQ(stage.outcome, Outcome::failed);
    EXPECT_EQ(stage.call, expected.call);
    EXPECT_EQ(stage.reason->code, expected.code);
    EXPECT_EQ(stage.reason->sys, expected.number);
    EXPECT_THAT(stage.reason->message, HasSubstr(expected.message));
    EXPECT_EQ(report.at(Stage::release).outcome, Outcome::ok);
    EXPECT_THAT(fixture.problems(), IsEmpty());
  }));
}

constexpr Case kCases[] = {
    {"open_device=errno:EACCES", Stage::open, "open_device", Errc::denied, EACCES, "run as root"},
    {"open_device=errno:ENOENT",
     Stage::open,
     "open_device",
     Errc::not_found,
     ENOENT,
     "modprobe ib_uverbs"},
    {"query_device_ex=missing",
     Stage::query,
     "query_device_ex",
     Errc::unsupported,
     EOPNOTSUPP,
     "not libmana"},
    {"alloc_pd=errno:ENOMEM", Stage::pd, "alloc_pd", Errc::io, ENOMEM, "alloc_pd of mana_0"},
    {"alloc_parent_domain=missing",
     Stage::parent_domain,
     "alloc_parent_domain",
     Errc::unsupported,
     EOPNOTSUPP,
     "not libmana"},
    {"set_context_attr=errno:EINVAL",
     Stage::parent_domain,
     "manadv_set_context_attr",
     Errc::invalid,
     EINVAL,
     "dynamic_debug"},
    {"create_cq=errno:ENOMEM", Stage::cq, "create_cq", Errc::io, ENOMEM, "ulimit -l"},
    {"create_cq=errno:EOPNOTSUPP",
     Stage::cq,
     "create_cq",
     Errc::unsupported,
     EOPNOTSUPP,
     "mana_ib of this kernel does not support it"},
    {"create_qp=errno:EPERM", Stage::qp, "create_qp", Errc::denied, EPERM, "CAP_NET_RAW"},
    {"create_qp=errno:EBUSY", Stage::qp, "create_qp", Errc::busy, EBUSY, "is in use (EBUSY)"},
    {"create_qp=errno:ENODEV", Stage::qp, "create_qp", Errc::busy, ENODEV, "before 7.2"},
    {"init_obj=errno:EINVAL", Stage::qp, "manadv_init_obj", Errc::invalid, EINVAL, "init_obj"},
    {"create_cq=errno:ENOMEM,after=2", Stage::rss_qp, "create_cq", Errc::io, ENOMEM, "ulimit -l"},
    {"create_wq=errno:EPROTO",
     Stage::rss_qp,
     "create_wq",
     Errc::io,
     EPROTO,
     "rejected the request"},
    {"create_wq=errno:ETIMEDOUT,after=1",
     Stage::rss_qp,
     "create_wq",
     Errc::timeout,
     ETIMEDOUT,
     "did not respond"},
    {"create_rwq_ind_table=errno:ENOMEM",
     Stage::rss_qp,
     "create_rwq_ind_table",
     Errc::io,
     ENOMEM,
     "create_rwq_ind_table of mana_0"},
    {"create_qp_ex=missing",
     Stage::rss_qp,
     "create_qp_ex",
     Errc::unsupported,
     EOPNOTSUPP,
     "does not support it"},
    {"create_qp_ex=errno:EBUSY", Stage::rss_qp, "create_qp_ex", Errc::busy, EBUSY, "in use"},
    {"init_obj=errno:EIO,after=2", Stage::rss_qp, "manadv_init_obj", Errc::io, EIO, "init_obj"},
};

INSTANTIATE_TEST_SUITE_P(All, ProbeFault, testing::ValuesIn(kCases));

TEST(Probe, SurvivesACrashAndNamesTheCall) {
  EXPECT_TRUE(in_child([] {
    const auto report = ProbeFixture("create_qp=crash").probe();
    EXPECT_EQ(report.end(), Stage::qp);
    EXPECT_EQ(report.at(Stage::qp).outcome, Outcome::crashed);
    EXPECT_THAT(report.at(Stage::qp).reason->message, HasSubstr("create_qp: "));
    EXPECT_THAT(report.at(Stage::qp).reason->message, HasSubstr("SIGABRT"));
  }));
}

TEST(Probe, StopsACallThatHangs) {
  EXPECT_TRUE(in_child([] {
    const ProbeFixture fixture("alloc_parent_domain=hang");
    const auto report = fixture.probe({}, std::chrono::milliseconds(1500));
    EXPECT_EQ(report.end(), Stage::parent_domain);
    EXPECT_EQ(report.at(Stage::parent_domain).outcome, Outcome::hung);
    EXPECT_EQ(report.at(Stage::parent_domain).reason->code, Errc::timeout);
    EXPECT_THAT(report.at(Stage::parent_domain).reason->message, HasSubstr("within 1.5 s"));
    EXPECT_EQ(report.at(Stage::pd).outcome, Outcome::ok);
  }));
}

// A QP would take packets of the administrator's connection.
TEST(Probe, DoesNotCreateAForbiddenQp) {
  EXPECT_TRUE(in_child([] {
    const ProbeFixture fixture("create_qp=crash");
    const auto report = fixture.probe("it carries the default route");
    EXPECT_EQ(report.end(), Stage::qp);
    EXPECT_EQ(report.at(Stage::cq).outcome, Outcome::ok);
    EXPECT_EQ(report.at(Stage::qp).outcome, Outcome::not_tried);
    EXPECT_EQ(report.at(Stage::release).outcome, Outcome::ok);
    EXPECT_THAT(fixture.problems(), IsEmpty());
  }));
}

// If another program's QP uses the port, an RSS QP would take that program's packets.
TEST(Probe, DoesNotReceiveOnAPortInUse) {
  EXPECT_TRUE(in_child([] {
    const ProbeFixture fixture("create_qp=errno:EBUSY");
    const auto report = fixture.probe();
    EXPECT_EQ(report.at(Stage::qp).outcome, Outcome::failed);
    EXPECT_EQ(report.at(Stage::rss_qp).outcome, Outcome::not_tried);
    EXPECT_THAT(report.at(Stage::rss_qp).call, IsEmpty());
  }));
}

TEST(Probe, ReportsAMissingLibrary) {
  ProbePlan plan;
  plan.nic = Nic{};
  const auto load_fails = []() -> Result<Library> {
    return fail(Errc::not_found, "no libmana.so.1");
  };
  const auto report = verbs::probe(plan, {load_fails, {}}).value();
  EXPECT_EQ(report.end(), Stage::libraries);
  EXPECT_EQ(report.at(Stage::libraries).reason->message, "no libmana.so.1");
}

}  // namespace
}  // namespace manactl::datapath::verbs::verbs_probe_test
