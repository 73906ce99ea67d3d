// SPDX-License-Identifier: MIT

#include "setup/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/gather.h"
#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace manactl::setup {
namespace {

using std::chrono::seconds;
using test::FakeVm;
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
        status_of(host::gather(system, {}), *vm_.journal().entries(), system, seconds(s));
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
  EXPECT_THAT(status.commands, ElementsAre("manactl confirm", "manactl restore eth1"));
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
    EXPECT_THAT(status.commands, ElementsAre("manactl confirm", "manactl restore eth1"));
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
    EXPECT_THAT(status.commands, ElementsAre("manactl confirm", "manactl restore eth1"));
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
  ASSERT_EQ(confirm(vm_.context())->size(), 1U);
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
  const auto status =
      status_of(host::gather(system, {}), *vm_.journal().entries(), system, seconds(0));
  ASSERT_EQ(status.others.size(), 1U);
  EXPECT_EQ(status.others[0].name, "hugepages-1");
  EXPECT_EQ(status.others[0].journal, JournalState::earlier_boot);
  EXPECT_THAT(status.others[0].commands, ElementsAre("manactl restore hugepages-1"));
}

}  // namespace
}  // namespace manactl::setup
