// SPDX-License-Identifier: MIT
//
// Network namespaces: the guard refuses what restore could not undo.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/gather.h"
#include "setup/fake_vm.h"
#include "setup/guard.h"
#include "setup/restore.h"

namespace manactl::setup::namespace_guard_test {
namespace {

using test::FakeVm;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Request request_for_eth1() {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  return request;
}

std::vector<std::string> objections(FakeVm& vm) {
  const auto& system = vm.context().system;
  const auto facts = host::gather(system, host::SshSearch::every_process);
  return find_objections(*facts.find_nic("eth1"), facts, system);
}

os::ForeignUpper foreign(const std::string& kind, int lower) {
  os::ForeignUpper upper;
  upper.link.name = "web0";
  upper.link.kind = kind;
  upper.link.lower = lower;
  upper.where = "network namespace /run/netns/web";
  return upper;
}

TEST(NamespaceGuard, NamesInterfacesOfOtherNamespacesThatAreStackedOnTheNic) {
  FakeVm vm;
  const int eth1 = vm.link("eth1")->index, vf = vm.link("enP30832p0s0d1")->index;
  vm.state.foreign_uppers.links = {
      foreign("macvlan", eth1), foreign("vlan", vf), foreign("ipvlan", 7777), foreign("vxlan", 0)};
  EXPECT_THAT(objections(vm),
              ElementsAre("macvlan web0 in network namespace /run/netns/web is stacked on it",
                          "vlan web0 in network namespace /run/netns/web is stacked on it"));
  const auto refused = prepare(request_for_eth1(), vm.context());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::denied);
}

TEST(NamespaceGuard, RefusesIfANamespaceCannotBeSearched) {
  FakeVm vm;
  vm.state.foreign_uppers.unsearched = {"network namespace of process 7 (x): cannot enter it"};
  EXPECT_THAT(objections(vm),
              ElementsAre("perhaps an interface of another network namespace is stacked on it: "
                          "cannot search network namespace of process 7 (x): cannot enter it"));
}

TEST(NamespaceGuard, ChangesNothingOutsideTheInitialNamespace) {
  FakeVm vm;
  vm.is_initial_namespace = false;
  const auto before = vm.dump();
  for (const auto& refused : {prepare(request_for_eth1(), vm.context()),
                              dry_run_prepare(request_for_eth1(), vm.context(), {})}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::unsupported);
    EXPECT_THAT(refused.error().message, HasSubstr("not the initial network namespace"));
    EXPECT_THAT(refused.error().message, HasSubstr("nsenter -t 1 -m -n manactl"));
  }
  EXPECT_EQ(vm.changes(), 0U);
  EXPECT_EQ(vm.dump(), before);
}

TEST(NamespaceGuard, RestoresOnlyInTheInitialNamespace) {
  FakeVm vm;
  ASSERT_TRUE(prepare(request_for_eth1(), vm.context()));
  const auto prepared = vm.dump();
  vm.is_initial_namespace = false;
  vm.rebuild();
  RestoreRequest request;
  request.name = "eth1";
  const auto refused = restore(request, vm.context());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unsupported);
  EXPECT_EQ(vm.dump(), prepared);
  vm.is_initial_namespace = true;
  vm.rebuild();
  EXPECT_TRUE(restore(request, vm.context()));
}

TEST(InitialNamespace, IsAssumedIfTheFilesDoNotShowIt) {
  EXPECT_TRUE(require_initial_namespace(os::MemoryFiles()));
}

}  // namespace
}  // namespace manactl::setup::namespace_guard_test
