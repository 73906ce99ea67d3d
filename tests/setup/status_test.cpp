// SPDX-License-Identifier: MIT

#include "setup/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/gather.h"
#include "setup/confirm.h"
#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace manactl::setup::status_test {
namespace {

using std::chrono::seconds;
using test::FakeVm;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StatusOf : public ::testing::Test {
 protected:
  void prepare_eth1(bool confirmed) {
    Request request;
    request.interface = *InterfaceName::parse("eth1");
    vm_.processes = {{77, "manactl", ""}};
    vm_.rebuild();
    const auto before_changes = [&](Entry& entry, Lock& /*lock*/) -> Result<> {
      entry.confirmed = confirmed;
      if (confirmed) return {};
      entry.deadline = seconds(60);
      entry.watchdog = process_stamp(77, vm_.context().system.files);
      return {};
    };
    ASSERT_EQ(prepare(request, vm_.context(), before_changes)->outcome, PrepareOutcome::done);
  }

  NicStatus at(int s) {
    const auto& system = vm_.context().system;
    const auto status =
        status_of(host::gather(system), *vm_.journal().entries(), system, seconds(s));
    for (const auto* list : {&status.nics, &status.others}) {
      for (const auto& nic : *list) {
        if (nic.name == "eth1") return nic;
      }
    }
    ADD_FAILURE() << "eth1 is missing";
    return {};
  }

  FakeVm vm_;
};

TEST_F(StatusOf, ANicOfTheKernelNeedsNoCommand) {
  const auto status = at(0);
  EXPECT_EQ(status.owner, Owner::kernel);
  EXPECT_EQ(status.journal, JournalState::none);
  EXPECT_FALSE(status.confirmation);
  EXPECT_THAT(status.commands, IsEmpty());
}

TEST_F(StatusOf, ANicOfTheKernelListsWhyPrepareRefusesIt) {
  EXPECT_THAT(at(0).objections, IsEmpty());
  os::Link bond;
  bond.index = 99;
  bond.name = "bond7";
  bond.kind = "bond";
  vm_.state.links[99] = bond;
  for (auto& [index, link] : vm_.state.links) {
    if (link.name == "eth1") link.master = 99;
  }
  vm_.rebuild();
  EXPECT_THAT(at(0).objections, Contains("it is a member of bond bond7"));
}

TEST_F(StatusOf, APreparedNicListsItsHolders) {
  prepare_eth1(true);
  vm_.processes = {{4711, "dpdk-testpmd", "/dev/uio0"}, {4712, "cat", "/dev/uio7"}};
  vm_.rebuild();
  const auto status = at(0);
  EXPECT_EQ(status.owner, Owner::uio);
  EXPECT_EQ(status.journal, JournalState::prepared);
  EXPECT_FALSE(status.confirmation);
  EXPECT_THAT(status.commands, IsEmpty());
  ASSERT_EQ(status.holders.size(), 1U);
  EXPECT_EQ(status.holders[0].pid, 4711U);
  EXPECT_EQ(status.holders[0].program, "dpdk-testpmd");
}

TEST_F(StatusOf, AnUnconfirmedNicHasTheTimeLeft) {
  prepare_eth1(false);
  const auto status = at(50);
  EXPECT_EQ(status.journal, JournalState::awaiting_confirmation);
  ASSERT_TRUE(status.confirmation);
  EXPECT_EQ(status.confirmation->time_left, seconds(10));
  EXPECT_EQ(status.confirmation->watchdog, WatchdogState::alive);
  EXPECT_THAT(status.commands, ElementsAre("manactl confirm eth1", "manactl restore eth1"));
}

TEST_F(StatusOf, ADeadWatchdogIsReported) {
  prepare_eth1(false);
  vm_.processes.clear();
  vm_.rebuild();
  for (const int time : {50, 70}) {
    const auto status = at(time);
    ASSERT_TRUE(status.confirmation);
    EXPECT_EQ(status.confirmation->watchdog, WatchdogState::dead);
    EXPECT_EQ(status.confirmation->time_left, seconds(60 - time));
    EXPECT_THAT(status.commands, ElementsAre("manactl confirm eth1", "manactl restore eth1"));
  }
}

TEST_F(StatusOf, AStoppedWatchdogIsReported) {
  prepare_eth1(false);
  vm_.processes[0].state = 'T';
  vm_.rebuild();
  for (const int time : {50, 70}) {
    const auto status = at(time);
    ASSERT_TRUE(status.confirmation);
    EXPECT_EQ(status.confirmation->watchdog, WatchdogState::stopped);
    EXPECT_THAT(status.commands, ElementsAre("manactl confirm eth1", "manactl restore eth1"));
  }
}

TEST_F(StatusOf, ConfirmIsNotOfferedAfterTheDeadline) {
  prepare_eth1(false);
  const auto status = at(60);
  ASSERT_TRUE(status.confirmation);
  EXPECT_EQ(status.confirmation->time_left, seconds(0));
  EXPECT_THAT(status.commands, ElementsAre("manactl restore eth1"));
}

TEST_F(StatusOf, AConfirmedNicIsPrepared) {
  prepare_eth1(false);
  ASSERT_TRUE(confirm("", vm_.context()).value());
  const auto status = at(70);
  EXPECT_EQ(status.journal, JournalState::prepared);
  EXPECT_FALSE(status.confirmation);
  EXPECT_THAT(status.commands, IsEmpty());
}

TEST_F(StatusOf, AnUnfinishedRunNeedsARestore) {
  vm_.fail_at(12, test::Fault::killed_after);
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  EXPECT_THROW((void)prepare(request, vm_.context()), test::Killed);
  EXPECT_EQ(at(0).journal, JournalState::unfinished);
  EXPECT_THAT(at(0).commands, ElementsAre("manactl restore eth1"));
}

TEST_F(StatusOf, ANicThatSomethingElseReboundIsReported) {
  prepare_eth1(true);
  vm_.state.channels[1].driver = "hv_netvsc";
  vm_.state.channels[1].uio.clear();
  vm_.rebuild();
  EXPECT_EQ(at(0).journal, JournalState::rebound);
  EXPECT_THAT(at(0).commands, ElementsAre("manactl restore eth1"));
}

TEST_F(StatusOf, EntriesWithoutANicAreListedSeparately) {
  Request pages;
  pages.hugepages = HugepageRequest{10, 0, 0, {}};
  ASSERT_EQ(prepare(pages, vm_.context())->outcome, PrepareOutcome::done);
  vm_.boot_id = "11111111-2222-3333-4444-555555555555";
  vm_.rebuild();
  const auto& system = vm_.context().system;
  const auto status = status_of(host::gather(system), *vm_.journal().entries(), system, seconds(0));
  ASSERT_EQ(status.others.size(), 1U);
  EXPECT_EQ(status.others[0].name, "hugepages-1");
  EXPECT_EQ(status.others[0].journal, JournalState::earlier_boot);
  EXPECT_THAT(status.others[0].commands, ElementsAre("manactl restore hugepages-1"));
}

TEST_F(StatusOf, APreparedNicIsListedOnceWithItsChanges) {
  prepare_eth1(true);
  const auto& system = vm_.context().system;
  const auto entries = *vm_.journal().entries();
  const auto status = status_of(host::gather(system), entries, system, seconds(0));
  EXPECT_EQ(status.nics.size(), 2U);
  EXPECT_THAT(status.others, IsEmpty());
  const auto nic = at(0);
  EXPECT_EQ(nic.uio, "uio0");
  EXPECT_EQ(nic.nic.fields(), entries[0].nic.fields());
  EXPECT_THAT(nic.changes,
              ElementsAre("load module uio_hv_generic",
                          "load module mana_ib",
                          "set eth1 down",
                          ::testing::StartsWith("unbind eth1"),
                          ::testing::StartsWith("set driver_override"),
                          ::testing::StartsWith("bind channel"),
                          ::testing::StartsWith("verify that")));
}

TEST_F(StatusOf, ADamagedEntryNeedsARestore) {
  prepare_eth1(false);
  const auto journal = vm_.state.journal;
  const auto& system = vm_.context().system;
  const auto nic_of_channel = [&] {
    const auto status =
        status_of(host::gather(system), *vm_.journal().entries(), system, seconds(0));
    return status.nics.back();
  };
  vm_.state.journal.begin()->second = "damaged";
  EXPECT_EQ(nic_of_channel().journal, JournalState::damaged);
  EXPECT_FALSE(nic_of_channel().confirmation);
  EXPECT_EQ(nic_of_channel().commands.size(), 1U);
  vm_.state.journal = journal;
  vm_.state.journal.begin()->second += "damaged";
  EXPECT_EQ(nic_of_channel().journal, JournalState::unfinished);
  EXPECT_TRUE(nic_of_channel().confirmation);
  EXPECT_THAT(nic_of_channel().commands, ElementsAre("manactl restore eth1"));
  vm_.state.journal = journal;
  vm_.boot_id = "another";
  vm_.rebuild();
  EXPECT_EQ(nic_of_channel().journal, JournalState::earlier_boot);
  EXPECT_FALSE(nic_of_channel().confirmation);
}

TEST_F(StatusOf, AChannelWithoutADriverBelongsToNobody) {
  prepare_eth1(true);
  vm_.state.channels[1].driver.clear();
  vm_.state.channels[1].uio.clear();
  vm_.rebuild();
  EXPECT_EQ(at(0).owner, Owner::nobody);
  EXPECT_EQ(at(0).journal, JournalState::rebound);
}

TEST_F(StatusOf, AnUnconfirmedEntryMayHaveNoDeadline) {
  prepare_eth1(false);
  auto entry = vm_.journal().entries()->front();
  entry.deadline.reset();
  const auto& system = vm_.context().system;
  const auto status = status_of(host::gather(system), std::vector{entry}, system, seconds(900));
  const auto& nic = status.nics.back();
  ASSERT_TRUE(nic.confirmation);
  EXPECT_FALSE(nic.confirmation->time_left);
  EXPECT_THAT(nic.commands, ElementsAre("manactl confirm eth1", "manactl restore eth1"));
}

TEST_F(StatusOf, TheHoldersOfUverbsAreListed) {
  auto facts = host::gather(vm_.context().system);
  host::RdmaDevice device;
  device.pci = facts.nics->at(0).vf->pci;
  device.uverbs = "uverbs3";
  host::RdmaDevice other;
  other.pci = *PciAddress::parse("0001:00:02.0");
  other.uverbs = "uverbs4";
  host::RdmaDevice unknown;
  unknown.uverbs = "uverbs5";
  facts.rdma.devices = std::vector{device, other, unknown};
  vm_.processes = {{1, "a", "/dev/infiniband/uverbs3"},
                   {2, "b", "/dev/infiniband/uverbs4"},
                   {3, "c", "/dev/infiniband/uverbs5"}};
  vm_.rebuild();
  const auto status = status_of(facts, {}, vm_.context().system, seconds(0));
  ASSERT_EQ(status.nics.at(0).holders.size(), 1U);
  EXPECT_EQ(status.nics[0].holders[0].text(), "process 1 (a)");
}

TEST_F(StatusOf, AnEntryOfADirectVfBelongsToItsNic) {
  auto facts = host::gather(vm_.context().system);
  Entry entry;
  entry.id = "vf-" + facts.nics->at(0).vf->mac.str();
  entry.boot_id = vm_.boot_id;
  entry.ready = true;
  const auto status = status_of(facts, std::vector{entry}, vm_.context().system, seconds(0));
  EXPECT_THAT(status.others, IsEmpty());
  EXPECT_EQ(status.nics.at(0).journal, JournalState::prepared);
  EXPECT_EQ(status.nics.at(0).name, facts.nics->at(0).name());
  EXPECT_EQ(status.nics.at(1).journal, JournalState::none);
}

}  // namespace
}  // namespace manactl::setup::status_test
