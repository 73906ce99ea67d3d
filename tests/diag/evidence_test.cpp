// SPDX-License-Identifier: MIT
//
// Tests which fixtures with a MANA adapter confirm or contradict each signature.

#include "diag/evidence.h"

#include <gmock/gmock.h>

#include <array>
#include <map>
#include <set>
#include <vector>

#include "diag/logs.h"
#include "support/fixtures.h"

namespace manactl::diag::evidence_test {
namespace {

using Names = std::set<std::string>;

struct Vm {
  Report report;
  std::vector<Observation> observations;
};

const std::map<std::string, Vm>& vms() {
  static const auto with_mana = [] {
    std::map<std::string, Vm> all;
    for (const auto& name : manactl::test::fixture_names()) {
      // The images of distributions have other tests: their kernels and libraries repeat those of
      // the other VMs.
      if (name.starts_with("image-")) continue;
      const auto facts = host::facts_of(name);
      if (facts.has_mana()) {
        all[name] = {run_checks(facts, {}, {}).value(), observations_of(facts)};
      }
    }
    return all;
  }();
  return with_mana;
}

Names vms_with(const Signature& signature, Confirmation confirmation) {
  Names names;
  for (const auto& [name, vm] : vms()) {
    if (find_evidence(signature, vm.report, vm.observations).confirmation == confirmation) {
      names.insert(name);
    }
  }
  return names;
}

struct Row {
  std::string id;
  Names confirmed;
  Names contradicted;
};

// In these VMs the VF of a spare NIC is up, or all VFs are up. In prepared-uio and unbound-vmbus
// the VF of the spare NIC is down; kernel-old and vf-orphaned have no VF.
const Names kPortHeld = {"debian12-dpdk",
                         "driver-id-19",
                         "healthy-two-nics",
                         "hugepages-wrong-node",
                         "kernel-fixes-missing",
                         "mana-and-manae",
                         "mana-direct",
                         "mana-ib-missing",
                         "no-hugepages",
                         "rdma-core-39",
                         "slow-path",
                         "slow-settings",
                         "ssh-on-dpdk-nic",
                         "ubuntu-driver-id-19",
                         "ubuntu-two-nics",
                         "unprivileged",
                         "vf-unpaired"};
const Names kNoHugepages = {"hugepages-wrong-node", "no-hugepages"};
const Names kOldCore = {"kernel-old", "rdma-core-39"};
const Names kNoDriver = {"kernel-old", "vf-orphaned"};
const Names kNoRdmaDevice = {"kernel-old", "mana-ib-missing", "vf-orphaned"};
const Names kNoPath = {"driver-id-19",
                       "kernel-old",
                       "mana-ib-missing",
                       "rdma-core-39",
                       "ubuntu-driver-id-19",
                       "vf-orphaned"};
const Names kOtherProvider = {"driver-id-19", "rdma-core-39", "ubuntu-driver-id-19"};
// These VMs have no RDMA device, or one that this user may not open.
const Names kNoAccess = {"kernel-old", "mana-ib-missing", "unprivileged", "vf-orphaned"};
const Names kNoProvider = {"driver-id-19", "kernel-old", "rdma-core-39", "ubuntu-driver-id-19"};
const Names kNoVf = {"kernel-old", "vf-orphaned", "vf-unpaired"};
const Names kOtherUser = {"unprivileged"};
const Names kUnbound = {"unbound-vmbus"};
const Names kUnboundOrNoDriver = {"kernel-old", "unbound-vmbus", "vf-orphaned"};

Names all_except(const Names& names, const Names& more = {}) {
  Names others;
  for (const auto& [name, vm] : vms()) {
    if (!names.contains(name) && !more.contains(name)) others.insert(name);
  }
  return others;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"eal-no-free-hugepages", kNoHugepages, all_except(kNoHugepages)},
      {"eal-hugetlbfs-not-mounted", {}, {}},
      {"eal-hugepage-info-fatal", {"no-hugepages"}, {}},
      {"eal-hugepage-dir", {}, {}},
      {"eal-not-enough-memory", kNoHugepages, {}},
      {"eal-cannot-find-device", {}, {}},
      {"eal-plugin-dlopen", kOldCore, {}},
      {"ethdev-name-exists", {"mana-and-manae"}, {}},
      {"hugetlb-reserve-failed", {"no-hugepages"}, {}},
      {"testpmd-no-ports", kNoPath, {}},
      {"testpmd-mbuf-pool", kNoHugepages, {}},
      {"mana-silent", kNoPath, {}},
      {"mana-start-tx-enodev", kPortHeld, {}},
      {"mana-start-tx-ebusy", kPortHeld, {}},
      {"mana-start-tx-other", kOtherUser, {}},
      {"mana-start-rx-failed", kOtherUser, {}},
      {"mana-tx-qp-create", kPortHeld, {}},
      {"mana-manadv-init-obj", kOldCore, {}},
      {"mana-heap-memory", kNoHugepages, {}},
      {"mana-mr-register-failed", kOtherUser, {}},
      {"mana-mr-lookup-failed", kOtherUser, {}},
      {"mana-mr-cache-full", {"no-hugepages"}, {}},
      {"mana-reset-reprobe-failed", kNoRdmaDevice, {}},
      {"mana-open-ib-device", kOtherUser, {}},
      {"mana-alloc-parent-domain", kNoProvider, all_except(kNoProvider, kNoAccess)},
      {"mana-probe-ib-port-failed", kOtherProvider, {}},
      {"mana-cq-wq-create", kOtherUser, {}},
      {"libibverbs-load-driver", kNoProvider, {}},
      {"libibverbs-no-provider", kNoProvider, all_except(kNoProvider, kNoAccess)},
      {"libibverbs-abi", kOldCore, {}},
      {"libibverbs-memlock", kOtherUser, {}},
      {"vmbusbus-open-uio", {}, {}},
      {"netvsc-vf-not-found", kNoPath, {}},
      {"netvsc-vf-owner", {}, {}},
      {"netvsc-vf-setup-failed", {}, {}},
      {"netvsc-hotplug", kNoRdmaDevice, {}},
      {"netvsc-init-failed", {"no-hugepages"}, {}},
      {"netvsc-memory", {"no-hugepages"}, {}},
      {"vdev-netvsc-in-use", {}, {}},
      {"vmbus-gpadl", kUnbound, {}},
      {"sysfs-no-device", kUnbound, {}},
      {"sysfs-no-driver-dir", {}, {}},
      {"modprobe-missing", kNoRdmaDevice, {}},
      {"uiohv-register", kUnbound, {}},
      {"uiohv-hypercall", kUnbound, {}},
      {"driver-probe-error", kUnboundOrNoDriver, {}},
      {"hvnetvsc-probe", kUnbound, {}},
      {"hvnetvsc-slave-open", {}, {}},
      {"hvnetvsc-vf-without-driver", kNoDriver, {}},
      {"kernel-function-without-driver", kNoDriver, {}},
      {"kernel-config-mana", kNoDriver, {}},
      {"kernel-config-mana-ib", kNoRdmaDevice, {}},
      {"program-without-ports",
       {"kernel-old", "mana-ib-missing", "rdma-core-39", "vf-orphaned"},
       {}},
      {"hvnetvsc-vf-removed", {}, {}},
      {"hvnetvsc-vf-not-bound", kNoDriver, {}},
      {"hvnetvsc-vf-not-joined", kNoVf, {}},
      {"hvnetvsc-path-not-switched", {}, {}},
      {"hvnetvsc-switch-failed", kNoVf, {}},
      {"hvnetvsc-vf-unmatched", kNoVf, {}},
      {"manako-hwc-setup", kNoDriver, {}},
      {"manako-probe-failed", kNoDriver, all_except(kNoDriver)},
      {"manako-resources", kNoDriver, {}},
      {"manako-ports-changed", kNoDriver, {}},
      {"mana-driver-removed", kNoDriver, {}},
      {"manako-recovery-failed", kNoRdmaDevice, {}},
      {"manako-reconfigure", {}, {}},
      {"manako-port-probe", {}, {}},
      {"manaib-probe", kNoRdmaDevice, all_except(kNoRdmaDevice)},
      {"manaib-vport-busy", kPortHeld, {}},
  };
  return all;
}

class ConfirmedSignature : public testing::TestWithParam<Row> {};

TEST_P(ConfirmedSignature, IsConfirmedByTheVmsOfTheTable) {
  const auto* signature = test::signatures().find(GetParam().id);
  ASSERT_NE(signature, nullptr) << GetParam().id;
  EXPECT_EQ(vms_with(*signature, Confirmation::confirmed), GetParam().confirmed);
  EXPECT_EQ(vms_with(*signature, Confirmation::contradicted), GetParam().contradicted);
}

INSTANTIATE_TEST_SUITE_P(Table, ConfirmedSignature, testing::ValuesIn(rows()), [](const auto& row) {
  std::string name;
  for (const char c : row.param.id) {
    if (c != '-') name += c;
  }
  return name;
});

TEST(ConfirmedSignatures, AreAllInTheTable) {
  std::vector<std::string> listed;
  std::vector<std::string> confirmable;
  for (const Row& row : rows()) listed.push_back(row.id);
  for (const auto& signature : test::signatures().all()) {
    if (!signature.checks.empty() || !signature.observation.empty())
      confirmable.push_back(signature.id);
  }
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(confirmable));
}

CheckOutcome outcome(std::string_view id, Finding finding) {
  return {Check{id, "title", "problem", Requirement::none, Use::both, nullptr}, std::move(finding)};
}

TEST(Evidence, PrefersAFailedCheckThenAnObservationThenAWarning) {
  Signature signature;
  signature.checks = {"a.warns", "a.fails"};
  signature.observation = "seen";
  const std::vector<Observation> seen = {{"seen", "it applies", {}}};
  const Report warns{{outcome("a.warns", warn("w", {}))}};
  const Report fails{{outcome("a.warns", warn("w", {})), outcome("a.fails", fail("f", {}))}};
  EXPECT_EQ(find_evidence(signature, fails, seen).check, &fails.outcomes[1]);
  EXPECT_EQ(find_evidence(signature, warns, seen).observation, &seen[0]);
  EXPECT_EQ(find_evidence(signature, warns, {}).check, &warns.outcomes[0]);
}

TEST(Evidence, ComesFromTheCheckOfTheModuleInTheLine) {
  Signature signature;
  signature.checks = {"kernel.mana", "kernel.mana-ib"};
  const Report checks{
      {outcome("kernel.mana", fail("f", {})), outcome("kernel.mana-ib", pass("p"))}};
  const auto confirmation_with = [&](const char* module) {
    return find_evidence(signature, checks, {}, {{"module", module}}).confirmation;
  };
  EXPECT_EQ(confirmation_with("mana"), Confirmation::confirmed);
  EXPECT_EQ(confirmation_with("mana_ib"), Confirmation::undecided);
}

TEST(Evidence, ContradictsOnlyIfAllowedAndAllChecksPass) {
  Signature signature;
  signature.checks = {"a.one", "a.two"};
  const auto confirmation_with = [&signature](Finding second) {
    return find_evidence(
               signature, {{outcome("a.one", pass("p")), outcome("a.two", std::move(second))}}, {})
        .confirmation;
  };
  EXPECT_EQ(confirmation_with(pass("p")), Confirmation::undecided);
  signature.passing_contradicts = true;
  EXPECT_EQ(confirmation_with(pass("p")), Confirmation::contradicted);
  EXPECT_EQ(confirmation_with(unknown("u")), Confirmation::undecided);
  EXPECT_EQ(confirmation_with(skipped("s")), Confirmation::undecided);
}

// Judges the only alternative of a signature.
Confirmation judge_one(const Alternative& alternative,
                       const Report& checks,
                       const std::vector<Observation>& observations = {}) {
  Signature signature;
  signature.alternatives = {alternative};
  return judge_alternatives(signature, {}, checks, observations).at(0).confirmation;
}

Report report_with(std::initializer_list<Status> statuses) {
  constexpr std::array<std::string_view, 2> kIds = {"a", "b"};
  Report report;
  std::size_t i = 0;
  for (const auto status : statuses) {
    Finding finding;
    finding.status = status;
    report.outcomes.push_back(outcome(kIds.at(i++), finding));
  }
  return report;
}

TEST(Alternatives, AreConfirmedByOneCheckThatFailsOrWarnsAndContradictedByAllThatPass) {
  const auto judge = [](std::initializer_list<Status> statuses) {
    return judge_one({"cause", "confirm", {"a", "b"}}, report_with(statuses));
  };
  EXPECT_EQ(judge({Status::pass, Status::fail}), Confirmation::confirmed);
  EXPECT_EQ(judge({Status::pass, Status::warn}), Confirmation::confirmed);
  EXPECT_EQ(judge({Status::pass, Status::pass}), Confirmation::contradicted);
  EXPECT_EQ(judge({Status::pass, Status::unknown}), Confirmation::undecided);
  EXPECT_EQ(judge({Status::pass}), Confirmation::undecided);
  EXPECT_EQ(judge({}), Confirmation::undecided);
  EXPECT_EQ(judge_one({"cause", "confirm", {}}, {}), Confirmation::undecided);
}

TEST(Alternatives, AreNotContradictedByAPassingCheckOfThisProcess) {
  const Alternative alternative = {"cause", "confirm", {"rdma.memlock"}};
  EXPECT_EQ(judge_one(alternative, {{outcome("rdma.memlock", warn("w", {}))}}),
            Confirmation::confirmed);
  EXPECT_EQ(judge_one(alternative, {{outcome("rdma.memlock", pass("p"))}}),
            Confirmation::undecided);
}

TEST(Alternatives, WithAnObservationAreConfirmedOnlyByIt) {
  const std::vector<Observation> seen = {{"seen", "it applies", {}}};
  const Alternative with_check = {"cause", "confirm", {"a"}, "seen"};
  EXPECT_EQ(judge_one(with_check, report_with({Status::fail})), Confirmation::undecided);
  EXPECT_EQ(judge_one(with_check, report_with({Status::pass})), Confirmation::contradicted);
  EXPECT_EQ(judge_one(with_check, report_with({Status::pass}), seen), Confirmation::confirmed);
  const Alternative alone = {"cause", "confirm", {}, "seen"};
  EXPECT_EQ(judge_one(alone, {}), Confirmation::undecided);
  EXPECT_EQ(judge_one(alone, {}, seen), Confirmation::confirmed);
}

TEST(Alternatives, AreDecidedByAValueInTheLine) {
  Signature signature;
  signature.alternatives = {{"one", "c", {}, {}, {{"err", "-1"}, {"err", "-2"}}},
                            {"two", "c", {"a"}, {}, {{"err", "-2"}}},
                            {"three", "c", {}, {}, {{"what", "open"}}},
                            {"any", "c", {}}};
  const auto judge = [&signature](const Captures& line) {
    std::vector<Confirmation> judged;
    for (const auto& one : judge_alternatives(signature, line, report_with({Status::fail}), {})) {
      judged.push_back(one.confirmation);
    }
    return judged;
  };
  constexpr auto kConfirmed = Confirmation::confirmed;
  constexpr auto kContradicted = Confirmation::contradicted;
  constexpr auto kUndecided = Confirmation::undecided;
  EXPECT_THAT(judge({}), testing::ElementsAre(kUndecided, kConfirmed, kUndecided, kUndecided));
  EXPECT_THAT(judge({{"err", "-1"}}),
              testing::ElementsAre(kConfirmed, kContradicted, kContradicted, kUndecided));
  EXPECT_THAT(judge({{"err", "-2"}}),
              testing::ElementsAre(kUndecided, kConfirmed, kContradicted, kUndecided));
  EXPECT_THAT(judge({{"err", "-3"}}),
              testing::ElementsAre(kContradicted, kContradicted, kUndecided, kUndecided));
  EXPECT_THAT(judge({{"other", "-1"}}),
              testing::ElementsAre(kUndecided, kConfirmed, kUndecided, kUndecided));
  EXPECT_THAT(judge({{"what", "open"}}),
              testing::ElementsAre(kContradicted, kContradicted, kConfirmed, kUndecided));
  const Captures line = {{"err", "-1"}};
  const auto evidence = judge_alternatives(signature, line, {}, {});
  EXPECT_EQ(evidence[0].value, "-1");
  EXPECT_EQ(evidence[2].value, "-1");
  EXPECT_EQ(evidence[3].value, "");
}

}  // namespace
}  // namespace manactl::diag::evidence_test
