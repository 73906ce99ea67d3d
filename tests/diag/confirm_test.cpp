// SPDX-License-Identifier: MIT
//
// What every signature that can be confirmed is told by every fixture with a MANA adapter.

#include "diag/confirm.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <vector>

#include "diag/logs.h"
#include "support/fixtures.h"

namespace manactl::diag {
namespace {

using Names = std::set<std::string>;

struct Asked {
  Report report;
  std::vector<Witness> witnesses;
};

const std::map<std::string, Asked>& vms() {
  static const auto all = [] {
    std::map<std::string, Asked> asked;
    for (const auto& name : manactl::test::fixture_names()) {
      const auto facts = host::facts_of(name);
      if (facts.has_mana()) {
        asked[name] = {run_checks(facts, {}, {}).value(), witnesses_of(facts)};
      }
    }
    return asked;
  }();
  return all;
}

Names vms_that_say(const Signature& signature, Confirmation confirmation) {
  Names names;
  for (const auto& [name, vm] : vms()) {
    if (confirm(signature, vm.report, vm.witnesses).confirmation == confirmation) {
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

// VMs with a VF up that only the kernel uses, or with every VF up. Of the others prepared-uio and
// unbound-vmbus have the VF of the spare NIC down, and kernel-old and vf-orphaned have no VF.
const Names kPortHeld = {"debian12-dpdk",
                         "driver-id-19",
                         "healthy-two-nics",
                         "hugepages-wrong-node",
                         "mana-and-manae",
                         "mana-direct",
                         "mana-ib-missing",
                         "no-hugepages",
                         "rdma-core-39",
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
// No RDMA device, or one that this user may not open.
const Names kNotAsked = {"kernel-old", "mana-ib-missing", "unprivileged", "vf-orphaned"};
const Names kNoProvider = {"driver-id-19", "kernel-old", "rdma-core-39", "ubuntu-driver-id-19"};
const Names kNoVf = {"kernel-old", "vf-orphaned", "vf-unpaired"};
const Names kOtherUser = {"unprivileged"};

Names all_but(const Names& names, const Names& more = {}) {
  Names others;
  for (const auto& [name, vm] : vms()) {
    if (!names.contains(name) && !more.contains(name)) others.insert(name);
  }
  return others;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"eal-no-free-hugepages", kNoHugepages, all_but(kNoHugepages)},
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
      {"mana-start-tx-enodev", kPortHeld, {}},
      {"mana-start-tx-ebusy", kPortHeld, {}},
      {"mana-start-tx-other", kOtherUser, {}},
      {"mana-tx-qp-create", kPortHeld, {}},
      {"mana-manadv-init-obj", kOldCore, {}},
      {"mana-heap-memory", {"no-hugepages"}, {}},
      {"mana-mr-register-failed", kOtherUser, {}},
      {"mana-mr-lookup-failed", kOtherUser, {}},
      {"mana-open-ib-device", kOtherUser, {}},
      {"mana-alloc-parent-domain", kOtherProvider, all_but(kOtherProvider, kNotAsked)},
      {"mana-probe-ib-port-failed", kOtherProvider, {}},
      {"mana-cq-wq-create", kOtherUser, {}},
      {"libibverbs-load-driver", kNoProvider, {}},
      {"libibverbs-no-provider", kNoProvider, all_but(kNoProvider, kNotAsked)},
      {"libibverbs-abi", kOldCore, {}},
      {"libibverbs-memlock", kOtherUser, {}},
      {"vmbusbus-open-uio", {}, {}},
      {"netvsc-vf-not-found", kNoPath, {}},
      {"netvsc-vf-setup-failed", {}, {}},
      {"netvsc-init-failed", {}, {}},
      {"sysfs-no-driver-dir", {}, {}},
      {"hvnetvsc-switch-failed", kNoVf, {}},
      {"hvnetvsc-vf-unmatched", kNoVf, {}},
      {"manako-probe-failed", kNoDriver, all_but(kNoDriver)},
      {"manako-port-probe", {}, {}},
      {"manaib-probe", kNoRdmaDevice, all_but(kNoRdmaDevice)},
      {"manaib-vport-busy", kPortHeld, {}},
  };
  return all;
}

class ConfirmedSignature : public testing::TestWithParam<Row> {};

TEST_P(ConfirmedSignature, IsToldOfEachVmAsTheTableSays) {
  const auto* signature = test::signatures().find(GetParam().id);
  ASSERT_NE(signature, nullptr) << GetParam().id;
  EXPECT_EQ(vms_that_say(*signature, Confirmation::confirmed), GetParam().confirmed);
  EXPECT_EQ(vms_that_say(*signature, Confirmation::contradicted), GetParam().contradicted);
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
  std::vector<std::string> judged;
  for (const Row& row : rows()) listed.push_back(row.id);
  for (const auto& signature : test::signatures().all()) {
    if (!signature.checks.empty() || !signature.witness.empty()) judged.push_back(signature.id);
  }
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(judged));
}

Ran ran(std::string_view id, Finding finding) {
  return {Check{id, "well", "not well", Needs::nothing, nullptr}, std::move(finding)};
}

TEST(Confirm, PrefersAFailedCheckThenAWitnessThenAWarning) {
  Signature signature;
  signature.checks = {"a.warns", "a.fails"};
  signature.witness = "seen";
  const std::vector<Witness> seen = {{"seen", "it is so", {}}};
  const Report warns{{ran("a.warns", warn("w", {}))}};
  const Report fails{{ran("a.warns", warn("w", {})), ran("a.fails", fail("f", {}))}};
  EXPECT_EQ(confirm(signature, fails, seen).check, &fails.ran[1]);
  EXPECT_EQ(confirm(signature, warns, seen).witness, &seen[0]);
  EXPECT_EQ(confirm(signature, warns, {}).check, &warns.ran[0]);
}

TEST(Confirm, ContradictsOnlyWhatMayBeAndOnlyWhenAllChecksPass) {
  Signature signature;
  signature.checks = {"a.one", "a.two"};
  const auto asked = [&signature](Finding second) {
    return confirm(signature, {{ran("a.one", pass("p")), ran("a.two", std::move(second))}}, {})
        .confirmation;
  };
  EXPECT_EQ(asked(pass("p")), Confirmation::not_possible);
  signature.passing_contradicts = true;
  EXPECT_EQ(asked(pass("p")), Confirmation::contradicted);
  EXPECT_EQ(asked(unknown("u")), Confirmation::not_possible);
  EXPECT_EQ(asked(skipped("s")), Confirmation::not_possible);
}

}  // namespace
}  // namespace manactl::diag
