// SPDX-License-Identifier: MIT

#include "setup/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "setup/make_plan.h"
#include "setup/steps.h"
#include "setup/sysfs.h"

namespace manactl::setup::plan_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";
constexpr const char* kVf = "enP30832p0s0d1";

std::string binding(const std::string& first, const std::string& second) {
  return fmt::format("\nset eth1 down\nset {} down", kVf) + first +
         fmt::format("\nunbind eth1 ({}) from hv_netvsc", kEth1) + second +
         fmt::format(
             "\nbind channel {} to uio_hv_generic"
             "\nwait for the uio device of channel {}\nverify that {} stays down",
             kEth1,
             kEth1,
             kVf);
}

const std::string kStart = fmt::format(
    "{} eth1\nsave the settings, addresses and routes of eth1\nsave the settings, addresses and "
    "routes of {}",
    kEth1,
    kVf);
const std::string kModules = "\nload module uio_hv_generic\nload module mana_ib";
const std::string kNewId = "\nadd the network class id to uio_hv_generic";
const std::string kOverride =
    fmt::format("\nset driver_override of channel {} to uio_hv_generic", kEth1);

TEST_F(MakePlan, ListsTheSteps) {
  EXPECT_EQ(text(), kStart + kModules + binding("", kOverride));
  EXPECT_EQ(plan()->entry.boot_id, vm_.boot_id);
  EXPECT_EQ(plan()->entry.nic.fields(), identity_of(eth1()).fields());
  request_.method = Method::driver_override;
  EXPECT_EQ(text(), kStart + kModules + binding("", kOverride));
  request_.method = Method::new_id;
  EXPECT_EQ(text(), kStart + kModules + binding(kNewId, ""));
  request_.mtu = 4000;
  request_.hugepages = HugepageRequest{10, 0, 0, {}};
  EXPECT_EQ(text(),
            kStart + kModules +
                "\nreserve 10 more pages in /"
                "sys/devices/system/node/node0/hugepages/hugepages-2048kB" +
                fmt::format("\nset the MTU of {} to 4000\nset the MTU of eth1 to 4000", kVf) +
                binding(kNewId, ""));
}

TEST_F(MakePlan, RefusesAKernelWithoutARequiredModule) {
  const auto set_presence = [this](const char* name, Presence presence) {
    for (auto& module : facts_.modules) {
      if (module.name == name) module.presence = presence;
    }
  };
  gather();
  set_presence("uio_hv_generic", Presence::missing);
  EXPECT_THAT(text(), HasSubstr("uio_hv_generic is missing from kernel "));
  EXPECT_EQ(code(), Errc::unsupported);
  request_.vf_only = true;
  EXPECT_THAT(text(), HasSubstr("load module mana_ib"));
  set_presence("ib_uverbs", Presence::missing);
  EXPECT_THAT(text(), HasSubstr("ib_uverbs is missing from kernel "));
  set_presence("mana_ib", Presence::blacklisted);
  EXPECT_THAT(text(), HasSubstr("mana_ib is blacklisted"));
}

TEST_F(MakePlan, KeepsTheChannelBoundWithVfOnly) {
  request_.vf_only = true;
  EXPECT_EQ(
      text(),
      kStart + fmt::format("\nload module mana_ib\nset eth1 down\nset {} down\nverify that {} "
                           "stays down",
                           kVf,
                           kVf));
}

TEST_F(MakePlan, ForADirectVfRequiresVfOnly) {
  auto& nic = eth1();
  nic.synthetic.reset();
  nic.vmbus.reset();
  nic.vmbus_driver.clear();
  nic.vf->master.reset();
  request_.interface = *InterfaceName::parse(kVf);
  EXPECT_EQ(code(), Errc::unsupported);
  EXPECT_THAT(text(), HasSubstr("is MANA without a synthetic interface: use --vf-only"));
  request_.vf_only = true;
  EXPECT_EQ(
      text(),
      fmt::format(
          "vf-00:0d:3a:76:3b:d1 {}\nsave the settings, addresses and routes of {}\nload module "
          "mana_ib\nset {} down\nverify that {} stays down",
          kVf,
          kVf,
          kVf,
          kVf));
}

TEST_F(MakePlan, WaitsForTheVf) {
  const auto made = plan();
  const auto unbind = std::ranges::find(
      made->steps, StepKind::unbind_channel, [](const auto& step) { return step->kind(); });
  ASSERT_NE(unbind, made->steps.end());
  EXPECT_EQ(value_at((*unbind)->parameters(), "vf"), kVf);
}

TEST_F(MakePlan, RefusesAVfThatIsNotPaired) {
  eth1().vf->master.reset();
  const auto refused = plan();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unsupported);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("are not paired"));
}

TEST_F(MakePlan, RefusesWhatCannotBePrepared) {
  struct Case {
    Errc code;
    std::string message;
    std::function<void(host::Nic&)> change;
  };

  const std::vector<Case> cases = {
      {Errc::unsupported,
       "'eth1' has no VF: accelerated networking is off for this NIC, the VF was removed for "
       "maintenance, or no driver is bound to it; run 'manactl doctor' to find the reason",
       [](host::Nic& nic) { nic.vf.reset(); }},
      {Errc::unsupported,
       fmt::format("'eth1' needs no preparation: DPDK shares its VF {} (driver mlx5_core) with the "
                   "kernel, and the VF must stay up",
                   kVf),
       [](host::Nic& nic) { nic.vf->driver = "mlx5_core"; }},
      {Errc::unsupported,
       fmt::format("the PCI address of '{}' is unknown", kVf),
       [](host::Nic& nic) { nic.vf->pci.reset(); }},
      {Errc::unsupported,
       "channel eth1 has no driver and therefore no interface: run 'manactl restore eth1' first",
       [](host::Nic& nic) { nic.vmbus.reset(); }},
      {Errc::denied,
       "refusing to change 'eth1': it carries the mail, web; use another NIC, or "
       "move its traffic to one first",
       [](host::Nic& nic) { nic.carries = {"mail", "web"}; }},
  };
  for (const auto& one : cases) {
    gather();
    one.change(eth1());
    EXPECT_EQ(text(), one.message);
    EXPECT_EQ(code(), one.code) << one.message;
  }
  gather();
  eth1().synthetic.reset();
  request_.interface = *InterfaceName::parse(kEth1);
  EXPECT_THAT(text(), HasSubstr("has no driver and therefore no interface"));
  request_.interface = *InterfaceName::parse("eth\u200b1");
  EXPECT_EQ(code(), Errc::invalid);
  EXPECT_EQ(text(), R"(the journal cannot store the name 'eth\xe2\x80\x8b1')");
}

TEST_F(MakePlan, RefusesTheNameOfAVf) {
  request_.interface = *InterfaceName::parse(kVf);
  EXPECT_EQ(code(), Errc::invalid);
  EXPECT_EQ(text(),
            fmt::format("'{}' is the VF of 'eth1': name the synthetic interface, 'manactl prepare "
                        "eth1'",
                        kVf));
}

TEST_F(MakePlan, ReportsWhatCannotBeRead) {
  vm_.unreadable["links"] = 0;
  EXPECT_THAT(text(), HasSubstr("cannot read links"));
  vm_.unreadable = {{"addresses", 0}};
  EXPECT_THAT(text(),
              HasSubstr("save the settings, addresses and routes of eth1: cannot read addresses"));
  vm_.unreadable.clear();
  facts_.nics = fail(Errc::io, "no memory");
  EXPECT_EQ(text(), "cannot list the NICs: no memory");
}

TEST_F(MakePlan, RefusesAMethodThatIsNotPossible) {
  vm_.has_override = false;
  gather();
  EXPECT_EQ(text(), kStart + kModules + binding(kNewId, "")) << "automatic";
  request_.method = Method::driver_override;
  EXPECT_EQ(code(), Errc::unsupported);
  EXPECT_EQ(text(), "this kernel has no driver_override for VMBus channels");
}

TEST_F(MakePlan, RefusesNewIdOnlyIfItWouldBindAnotherChannel) {
  request_.method = Method::new_id;
  auto& other = facts_.nics->front();
  ASSERT_NE(other.vmbus->str(), kEth1);
  const auto id = *other.vmbus;
  eth1().vmbus_driver.clear();
  EXPECT_EQ(text(), kStart + kModules + binding(kNewId, "")) << "the NIC itself";
  other.vmbus_driver.clear();
  EXPECT_EQ(code(), Errc::unsupported);
  EXPECT_EQ(
      text(),
      fmt::format("channel {} has no driver, and new_id would also bind it to uio_hv_generic: "
                  "bind it to hv_netvsc first",
                  id.str()));
  other.vmbus.reset();
  EXPECT_EQ(text(), kStart + kModules + binding(kNewId, "")) << "not a channel";
}

TEST_F(MakePlan, SharesTheClassIdThatAnEarlierRunAdded) {
  request_.method = Method::new_id;
  Entry other;
  other.id = "other";
  other.boot_id = vm_.boot_id;
  other.ready = true;
  other.steps = {make_record(*load_module("mana"), {}), make_record(*add_class_id(false), {})};
  for (const char* id : {"added", "existed"}) {
    other.steps.back().after = {{"id", id}};
    entries_ = {other};
    const auto made = plan();
    ASSERT_TRUE(made);
    bool found = false;
    for (const auto& step : made->steps) {
      if (step->kind() != StepKind::add_class_id) continue;
      found = true;
      EXPECT_EQ(value_at(step->parameters(), "shared") == "yes", id == std::string("added"));
    }
    EXPECT_TRUE(found);
  }
}

TEST_F(MakePlan, RequiresThatEarlierRunsOfThisBootFinished) {
  Entry entry;
  entry.id = "other";
  entry.interface = "eth5";
  entry.boot_id = vm_.boot_id;
  entry.ready = true;
  entries_ = {entry};
  EXPECT_TRUE(plan());
  const std::string refusal =
      "an earlier run for '{}' did not finish: run 'manactl restore {}' first";
  entries_[0].ready = false;
  EXPECT_EQ(code(), Errc::busy);
  EXPECT_EQ(text(), fmt::format(fmt::runtime(refusal), "eth5", "eth5"));
  entries_[0].boot_id = "another";
  EXPECT_TRUE(plan()) << "a reboot has undone the changes";
  entries_[0].interface.clear();
  entries_[0].read_error = "damaged";
  EXPECT_EQ(text(), fmt::format(fmt::runtime(refusal), "other", "other"));
}

TEST_F(MakePlan, RecognizesAPreparedNic) {
  const auto prepared = prepare(request_, vm_.context());
  ASSERT_TRUE(prepared && prepared->outcome == PrepareOutcome::done);
  gather();
  request_.interface = *InterfaceName::parse(kEth1);
  EXPECT_EQ(text(), fmt::format(" {}, already prepared", kVf)) << "without a journal";
  entries_ = {prepared->entry};
  for (const char* name : {"eth1", kVf, kEth1}) {
    request_.interface = *InterfaceName::parse(name);
    EXPECT_EQ(text(), fmt::format("{} eth1, already prepared", kEth1)) << name;
  }
  eth1().vmbus_driver = kNetvsc;
  EXPECT_EQ(code(), Errc::busy);
  EXPECT_THAT(text(), HasSubstr("was prepared, but something else has rebound it"));
}

TEST_F(MakePlan, RefusesARequestThatAPreparedNicDoesNotFulfill) {
  request_.mtu = 4000;
  const auto prepared = prepare(request_, vm_.context());
  ASSERT_TRUE(prepared && prepared->outcome == PrepareOutcome::done);
  gather();
  entries_ = {prepared->entry};
  EXPECT_THAT(text(), HasSubstr("already prepared"));
  const auto expect_refusal = [&](const char* part) {
    EXPECT_EQ(code(), Errc::busy);
    EXPECT_THAT(text(), HasSubstr(part));
    EXPECT_THAT(text(), HasSubstr("manactl restore "));
    request_ = Request();
    request_.interface = *InterfaceName::parse("eth1");
  };
  request_.mtu = 4001;
  expect_refusal("not as requested: its MTU is 4000");
  request_.vf_only = true;
  expect_refusal("it is bound to uio_hv_generic");
  request_.hugepages = HugepageRequest{16, 0, 0, {}};
  expect_refusal("these hugepages were not reserved with it");
  entries_[0].confirmed = false;
  expect_refusal("is prepared but not confirmed: run 'manactl confirm ");
  entries_[0].confirmed = true;
  eth1().vf->up = true;
  expect_refusal("enP30832p0s0d1 is up again");
}

TEST_F(MakePlan, RefusesAVfOnlyRequestIfTheInterfaceIsUpAgain) {
  request_.vf_only = true;
  const auto prepared = prepare(request_, vm_.context());
  ASSERT_TRUE(prepared && prepared->outcome == PrepareOutcome::done);
  gather();
  entries_ = {prepared->entry};
  EXPECT_THAT(text(), HasSubstr("already prepared"));
  eth1().synthetic->up = true;
  EXPECT_EQ(code(), Errc::busy);
  EXPECT_THAT(text(), HasSubstr("eth1 is up again"));
}

TEST_F(MakePlan, RefusesOtherHugepagesThanThoseOfAPreparedNic) {
  request_.hugepages = HugepageRequest{0, 32U << 20U, 0, {}};
  const auto prepared = prepare(request_, vm_.context());
  ASSERT_TRUE(prepared && prepared->outcome == PrepareOutcome::done);
  gather();
  entries_ = {prepared->entry};
  EXPECT_THAT(text(), HasSubstr("already prepared"));
  request_.hugepages = HugepageRequest{16, 0, 0, {}};
  EXPECT_THAT(text(), HasSubstr("already prepared"));
  request_.hugepages = HugepageRequest{17, 0, 0, {}};
  EXPECT_THAT(text(), HasSubstr("these hugepages were not reserved with it"));
  request_.hugepages = HugepageRequest{16, 0, 0, 1};
  EXPECT_THAT(text(), HasSubstr("these hugepages were not reserved with it"));
  request_.hugepages = HugepageRequest{16, 0, 1U << 20U, {}};
  EXPECT_THAT(text(), HasSubstr("these hugepages were not reserved with it"));
}

TEST_F(MakePlan, WarnsIfAPreparedNicHasTooFewHugepagesForTheProgram) {
  request_.hugepages = HugepageRequest{0, 32U << 20U, 0, {}};
  const auto prepared = prepare(request_, vm_.context());
  ASSERT_TRUE(prepared && prepared->outcome == PrepareOutcome::done);
  gather();
  entries_ = {prepared->entry};
  for (auto& pool : *facts_.memory.pools) {
    pool.total = pool.page_kib == 2048 ? 512 : 0;
    pool.free = 0;  // the program runs
  }
  request_.hugepages = HugepageRequest{0, 1U << 30U, 0, {}, true, "ovs"};
  const auto enough = plan();
  ASSERT_TRUE(enough && enough->already_prepared);
  EXPECT_THAT(enough->warnings, IsEmpty());
  request_.hugepages->bytes *= 2;
  const auto few = plan();
  ASSERT_TRUE(few && few->already_prepared);
  EXPECT_THAT(few->warnings,
              ElementsAre(HasSubstr("ovs needs 2 GiB of hugepages, and node 0 has 1 GiB: run "
                                    "'manactl restore eth1'")));
}

TEST_F(MakePlan, ComparesTheHugepagesThatTheKernelGranted) {
  request_.hugepages = HugepageRequest{16, 0, 0, {}};
  const auto prepared = prepare(request_, vm_.context());
  ASSERT_TRUE(prepared && prepared->outcome == PrepareOutcome::done);
  gather();
  entries_ = {prepared->entry};
  for (auto& step : entries_.front().steps) {
    if (step.kind == StepKind::reserve_hugepages) step.after["granted"] = "8";
  }
  EXPECT_THAT(text(), HasSubstr("these hugepages were not reserved with it"));
  request_.hugepages = HugepageRequest{8, 0, 0, {}};
  EXPECT_THAT(text(), HasSubstr("already prepared"));
}

TEST_F(MakePlan, RecognizesANicThatIsPreparedWithVfOnly) {
  request_.vf_only = true;
  const auto prepared = prepare(request_, vm_.context());
  ASSERT_TRUE(prepared && prepared->outcome == PrepareOutcome::done);
  gather();
  entries_ = {prepared->entry};
  EXPECT_EQ(text(), fmt::format("{} eth1, already prepared", kEth1));
  request_.vf_only = false;
  EXPECT_THAT(text(), HasSubstr("not as requested: it was prepared with --vf-only"));
}

}  // namespace
}  // namespace manactl::setup::plan_test
