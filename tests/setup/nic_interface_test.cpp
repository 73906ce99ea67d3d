// SPDX-License-Identifier: MIT
//
// Tests that prepare and restore change the right NIC although names change: the kernel gives a
// free name to the next interface, and udev and administrators rename interfaces.

#include "setup/nic_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/gather.h"
#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace manactl::setup::nic_interface_test {
namespace {

using test::FakeVm;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kVf = "enP30832p0s0d1";
constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";

Request request_for(const char* name, bool vf_only = false) {
  Request request;
  request.interface = *InterfaceName::parse(name);
  request.vf_only = vf_only;
  request.mtu = 4000;
  request.force_interface = name;
  return request;
}

RestoreResult restored(FakeVm& vm, const char* name, bool force = false) {
  RestoreRequest request{name};
  request.force = force;
  const auto results = restore(request, vm.context());
  EXPECT_TRUE(results && results->size() == 1);
  return results && !results->empty() ? results->front() : RestoreResult();
}

std::string failures(const RestoreResult& result) {
  std::string text;
  for (const auto& one : result.reverted) {
    if (!one.succeeded()) text += one.title + ": " + one.result.error().message + "\n";
  }
  return text;
}

TEST(NicInterface, IsFoundByItsDevice) {
  FakeVm vm;
  const auto& system = vm.context().system;
  const auto facts = host::gather(system);
  const auto* nic = facts.find_nic("eth1");
  ASSERT_NE(nic, nullptr);
  const auto synthetic = interface_of(*nic->synthetic);
  const auto vf = interface_of(*nic->vf);
  EXPECT_EQ(synthetic.parameters(), (Values{{"interface", "eth1"}, {"channel", kEth1}}));
  EXPECT_EQ(vf.parameters(), (Values{{"interface", kVf}, {"pci", "7870:00:00.0"}, {"port", "1"}}));
  vm.rename("eth1", "lan1");
  vm.rename("eth0", "eth1");
  vm.rename(kVf, "vf1");
  vm.rename("enP30832p0s0", kVf);
  vm.rebuild();
  EXPECT_EQ(find_link(system, synthetic)->name, "lan1");
  EXPECT_EQ(find_link(system, vf)->name, "vf1");
  EXPECT_EQ(find_link(system, NicInterface{"eth1"})->index, 2) << "a journal of an earlier version";
  vm.unplug_vf("vf1");
  vm.rebuild();
  EXPECT_EQ(find_link(system, vf).error().code, Errc::not_found);
}

// The host offers eth1 again while eth0 is prepared, and the kernel names it eth0.
TEST(NicInterface, RestoreDoesNotConfigureTheNicThatTookTheName) {
  FakeVm vm;
  ASSERT_EQ(prepare(request_for("eth0"), vm.context())->outcome, PrepareOutcome::done);
  vm.reoffer_nic(1, "eth0");
  vm.rebuild();
  vm.context().clock.pause(std::chrono::seconds(1));
  vm.udev_renames = false;
  const auto other = *vm.link("eth0");
  const auto result = restored(vm, "eth0");
  EXPECT_THAT(failures(result), HasSubstr("another interface has the name 'eth0' now"));
  EXPECT_FALSE(result.is_complete());
  ASSERT_THAT(result.renamed, SizeIs(1));
  EXPECT_EQ(result.renamed[0].before, "eth0");
  EXPECT_EQ(result.renamed[0].now, "eth9");
  const auto* own = vm.link("eth9");
  ASSERT_NE(own, nullptr);
  EXPECT_TRUE(own->is_up());
  for (const auto& address : vm.state.addresses) EXPECT_NE(address.index, other.index);
  std::vector<std::string> labels;
  for (const auto& address : vm.state.addresses) {
    if (address.index == own->index && !address.label.empty()) labels.push_back(address.label);
  }
  EXPECT_THAT(labels, ::testing::ElementsAre("eth9"));
  EXPECT_EQ(vm.link("eth0")->flags, other.flags);
  EXPECT_EQ(vm.link("eth0")->mtu, other.mtu);
  EXPECT_THAT(vm.state.journal, SizeIs(1)) << "restore can be repeated";

  const auto partial = vm.state;
  const auto forced = restored(vm, "eth0", true);
  EXPECT_EQ(failures(forced), "");
  EXPECT_THAT(forced.renamed, SizeIs(1));
  EXPECT_THAT(vm.state.journal, IsEmpty());

  vm.state = partial;
  vm.rename("eth0", "old");
  vm.rebuild();
  EXPECT_THAT(failures(restored(vm, "eth0")),
              HasSubstr("'eth9' is up, and this kernel renames only"));
  EXPECT_TRUE(vm.link("eth9")->is_up()) << "it may be in use";
  vm.rename("eth9", "eth0");
  vm.rebuild();
  const auto again = restored(vm, "eth0");
  EXPECT_EQ(failures(again), "");
  EXPECT_THAT(again.renamed, IsEmpty());
  ASSERT_NE(vm.link("eth0"), nullptr);
  EXPECT_TRUE(vm.link("eth0")->is_up());
  EXPECT_THAT(vm.state.journal, IsEmpty());
}

TEST(NicInterface, RestoreFindsRenamedInterfaces) {
  FakeVm vm;
  const auto before = vm.dump();
  ASSERT_EQ(prepare(request_for("eth1", true), vm.context())->outcome, PrepareOutcome::done);
  vm.rename("eth1", "lan1");
  vm.rename(kVf, "vf1");
  vm.rebuild();
  const auto result = restored(vm, "eth1");
  EXPECT_EQ(failures(result), "");
  EXPECT_TRUE(result.is_complete());
  EXPECT_THAT(result.renamed, SizeIs(2));
  for (auto& address : vm.state.addresses) {
    if (address.label == "lan1") address.label = "eth1";
  }
  vm.rename("lan1", "eth1");
  vm.rename("vf1", kVf);
  EXPECT_EQ(vm.dump(), before);
}

// udev renames the VF after any change of prepare.
TEST(NicInterface, PrepareFollowsAVfThatIsRenamed) {
  FakeVm counted;
  ASSERT_TRUE(prepare(request_for("eth1"), counted.context()));
  for (unsigned at = 1; at <= counted.changes(); ++at) {
    FakeVm vm;
    const auto before = vm.dump();
    unsigned count = 0;
    vm.after = [&](const std::string&) {
      if (++count == at) vm.rename(kVf, "vf1");
    };
    ASSERT_EQ(prepare(request_for("eth1"), vm.context())->outcome, PrepareOutcome::done) << at;
    vm.after = nullptr;
    EXPECT_FALSE(vm.link("vf1")->is_up()) << at;
    EXPECT_EQ(failures(restored(vm, "eth1")), "") << at;
    vm.rename("vf1", kVf);
    EXPECT_EQ(vm.dump(), before) << at;
  }
}

TEST(NicInterface, PrepareKeepsTheJournalsOfTwoNicsApart) {
  FakeVm vm;
  ASSERT_EQ(prepare(request_for("eth0"), vm.context())->outcome, PrepareOutcome::done);
  vm.reoffer_nic(1, "eth0");
  vm.rebuild();
  vm.context().clock.pause(std::chrono::seconds(1));
  const auto refused = prepare(request_for("eth0"), vm.context());
  ASSERT_FALSE(refused) << "eth0 is another NIC, which is not prepared";
  EXPECT_EQ(refused.error().code, Errc::busy);
  EXPECT_THAT(refused.error().message, HasSubstr("manactl restore 000d3a76-3bd0-"));
  EXPECT_EQ(vm.state.channels[1].driver, "hv_netvsc");
}

}  // namespace
}  // namespace manactl::setup::nic_interface_test
