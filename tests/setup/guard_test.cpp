// SPDX-License-Identifier: MIT

#include "setup/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "host/gather.h"
#include "os/memory_files.h"
#include "setup/fake_vm.h"
#include "setup/restore.h"
#include "setup/sysfs.h"

namespace manactl::setup::guard_test {
namespace {

using test::FakeVm;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

Request request_for(const std::string& interface) {
  Request request;
  request.interface = *InterfaceName::parse(interface);
  return request;
}

std::vector<std::string> objections_to(FakeVm& vm, const std::string& interface) {
  vm.rebuild();
  const auto& system = vm.context().system;
  const auto facts = host::gather(system, host::SshSearch::every_process);
  return find_objections(*facts.find_nic(interface), facts, system);
}

TEST(Guard, AllowsANicThatCarriesNothing) {
  FakeVm vm;
  EXPECT_THAT(objections_to(vm, "eth1"), IsEmpty());
}

TEST(Guard, NamesAnSshSessionThatDidNotStartThisProcess) {
  FakeVm vm;
  vm.sockets->push_back({true, "0.0.0.0", "0.0.0.0", 2222, 0, 800});
  vm.sockets->push_back({false, "10.0.1.4", "203.0.113.7", 2222, 50000, 801});
  vm.processes = {{900, "nginx", "socket:[801]"}};
  EXPECT_THAT(objections_to(vm, "eth1"), IsEmpty());
  vm.processes = {{900, "sshd", "socket:[800]"}};
  EXPECT_THAT(objections_to(vm, "eth1"), Contains(HasSubstr("SSH session from 203.0.113.7")));
  const auto refused = prepare(request_for("eth1"), vm.context());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::denied);
  const auto dry_run = dry_run_prepare(request_for("eth1"), vm.context(), {});
  ASSERT_FALSE(dry_run);
  EXPECT_EQ(dry_run.error().code, Errc::denied);
}

TEST(Guard, RefusesWhenTheSocketsCannotBeRead) {
  FakeVm vm;
  vm.sockets = fail(Errc::denied, "cannot read the sockets");
  EXPECT_THAT(objections_to(vm, "eth1"), Contains(HasSubstr("cannot read the sockets")));
  const auto refused = prepare(request_for("eth1"), vm.context());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::denied);
}

TEST(Guard, RefusesARouteThatOtherInterfacesWouldLose) {
  FakeVm vm;
  os::Route route;
  route.destination = "198.51.100.0/24";
  route.outputs = {2, 4};
  route.table = 254;
  vm.state.routes.push_back(route);
  EXPECT_THAT(objections_to(vm, "eth1"),
              Contains(HasSubstr("would also remove the route to 198.51.100.0/24 through other")));
  vm.state.routes.back().outputs = {2, 3};
  EXPECT_THAT(objections_to(vm, "eth1"), IsEmpty());
}

// A NIC with index 10 and a VF with index 11.
host::Nic nic_of(bool synthetic, bool vf) {
  host::Nic nic;
  if (synthetic) {
    nic.synthetic.emplace().index = 10;
    nic.synthetic->name = "eth1";
  }
  if (vf) nic.vf.emplace().index = 11;
  return nic;
}

TEST(Guard, NamesOneRouteThatOtherInterfacesUseToo) {
  FakeVm vm;
  const auto& system = vm.context().system;
  vm.state.links.clear();
  const auto add = [&](const std::string& destination, std::vector<int> outputs) {
    os::Route route;
    route.destination = destination;
    route.outputs = std::move(outputs);
    vm.state.routes.push_back(std::move(route));
  };
  for (const auto& outputs : std::vector<std::vector<int>>{{20, 10}, {11, 20}}) {
    vm.state.routes.clear();
    add("a", {20, 21});
    add("b", {10});
    add("both are of this NIC", {10, 11});
    add("the kernel removes only one next hop", {10, 20});
    vm.state.routes.back().ipv6 = true;
    add("the same", {10, 20});
    vm.state.routes.back().next_hop_id = 5;
    EXPECT_THAT(find_objections(nic_of(true, true), {}, system), IsEmpty());
    add("c", outputs);
    add("d", outputs);
    EXPECT_THAT(
        find_objections(nic_of(true, true), {}, system),
        ElementsAre("the kernel would also remove the route to c through other interfaces, until "
                    "'manactl restore' adds it again"));
  }
  const bool vf_only = true;
  EXPECT_THAT(find_objections(nic_of(true, true), {}, system, vf_only), IsEmpty());
  vm.unreadable["routes"] = 0;
  EXPECT_THAT(find_objections(nic_of(true, true), {}, system),
              ElementsAre(HasSubstr("cannot read routes")));
}

TEST(Guard, NamesWhatIsAttachedToTheSyntheticInterface) {
  FakeVm vm;
  const auto& system = vm.context().system;
  vm.state.links.clear();
  vm.state.attachments = {{10, {"an XDP program"}}, {11, {"a TCX program (ingress)"}}};
  const auto loses = "eth1 would lose an XDP program, which restore does not bring back";
  EXPECT_THAT(find_objections(nic_of(true, true), {}, system), ElementsAre(loses));
  EXPECT_THAT(find_objections(nic_of(false, true), {}, system), IsEmpty());
  vm.state.attachments[11] = {"an XDP program"};
  EXPECT_THAT(find_objections(nic_of(false, true), {}, system), SizeIs(1));
  const bool vf_only = true;
  EXPECT_THAT(find_objections(nic_of(true, true), {}, system, vf_only), IsEmpty());
  vm.unreadable["attachments"] = 0;
  EXPECT_THAT(find_objections(nic_of(true, false), {}, system), SizeIs(1));
}

TEST(Guard, LetsEveryReportSeeWhatIsAttached) {
  FakeVm vm;
  vm.rebuild();
  const auto& system = vm.context().system;
  auto facts = host::gather(system);
  const auto index = facts.find_nic("eth1")->synthetic->index;
  vm.state.attachments = {{index, {"an XDP program"}}};
  const auto add_as = [&](bool net_admin) {
    facts.limits = host::Limits{};
    facts.limits->net_admin = net_admin;
    add_objections(facts, system);
    return facts.find_nic("eth1")->uppers;
  };
  EXPECT_THAT(add_as(false), IsEmpty()) << "not readable";
  EXPECT_THAT(add_as(true), ElementsAre(StartsWith("eth1 would lose an XDP program")));
  EXPECT_THAT(find_objections(*facts.find_nic("eth1"), facts, system), SizeIs(1)) << "named once";
}

TEST(Guard, WarnsOfSocketsThatAreBoundToTheSyntheticInterface) {
  FakeVm vm;
  EXPECT_EQ(warn_of_bound_sockets(nic_of(true, true), vm.context().system), "");
  vm.more_files["proc/net/packet"] =
      "sk               RefCnt Type Proto  Iface R Rmem   User   Inode\n"
      "0000000000000000 3      3    0003   10     1 0      0      4711\n"
      "0000000000000000 3      3    0003   11     1 0      0      4712\n"
      "0000000000000000 3      3    0003   0     1 0      0      10\n";
  vm.rebuild();
  const auto warning = [&] {
    return warn_of_bound_sockets(nic_of(true, true), vm.context().system);
  };
  EXPECT_EQ(warning(),
            "1 socket bound to eth1 will receive no more packets, even after restore; "
            "then restart: processes that are not visible here");
  vm.bound_sockets[10] = {5000, 5001};
  vm.processes = {{812, "dhclient", "socket:[4711]"}, {900, "dnsmasq", "socket:[5001]"}};
  vm.rebuild();
  EXPECT_EQ(warning(),
            "3 sockets bound to eth1 will receive no more packets, even after restore; "
            "then restart: process 812 (dhclient), process 900 (dnsmasq)");
  EXPECT_EQ(warn_of_bound_sockets(nic_of(false, true), vm.context().system), "");
}

TEST(Prepare, NamesSocketsThatAreBoundToTheInterface) {
  FakeVm vm;
  vm.more_files["proc/net/packet"] = "sk x\n0 3 3 0003 4 1 0 0 4711\n";
  vm.rebuild();
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  EXPECT_THAT(prepare(request, vm.context())->warnings, SizeIs(1));
  ASSERT_TRUE(restore({"eth1"}, vm.context()));
  request.vf_only = true;
  EXPECT_THAT(prepare(request, vm.context())->warnings, IsEmpty());
}

TEST(Holders, AreTheProcessesThatHaveADeviceOpen) {
  os::MemoryFiles files;
  files.add_link("proc/7/fd/3", "/dev/uio0");
  files.add_file("proc/7/comm", "vpp\n");
  files.add_link("proc/8/fd/0", "/dev/null");
  files.add_link("proc/8/fd/1", "/dev/uio1");
  files.add_link("proc/9/fd/0", "/dev/uio2");
  files.add_file("proc/9/comm", "other\n");
  files.add_directory("proc/10");
  files.add_link("proc/self/fd/3", "/dev/uio0");
  files.add_link("proc/99999999999/fd/3", "/dev/uio0");
  files.add_file("sys/bus/vmbus/devices/c1/uio/uio0/name", "");
  std::vector<std::string> texts;
  for (const auto& holder : find_holders({"/dev/uio0", "/dev/uio1"}, files)) {
    texts.push_back(holder.text());
  }
  EXPECT_THAT(texts, ElementsAre("process 7 (vpp)", "process 8 ()"));
  EXPECT_THAT(find_holders({}, files), IsEmpty());
  EXPECT_EQ(user_space_devices(files, "c1", ""), std::set<std::string>{"/dev/uio0"});
  EXPECT_THAT(user_space_devices(files, "c2", ""), IsEmpty());
  EXPECT_THAT(find_holders({"/dev/uio0"}, os::MemoryFiles()), IsEmpty());
}

}  // namespace
}  // namespace manactl::setup::guard_test
