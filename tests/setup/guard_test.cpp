// SPDX-License-Identifier: MIT

#include "setup/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/gather.h"
#include "setup/fake_vm.h"

namespace manactl::setup {
namespace {

using test::FakeVm;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Request request_for(const std::string& interface) {
  Request request;
  request.interface = *InterfaceName::parse(interface);
  return request;
}

std::vector<std::string> objections_to(FakeVm& vm, const std::string& interface) {
  vm.rebuild();
  const auto& system = vm.context().system;
  const auto facts = host::gather(system, {}, host::SshSearch::every_process);
  const auto found = find_objections(*facts.find_nic(interface), facts, system);
  return found ? *found : std::vector<std::string>{found.error().message};
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

TEST(Guard, RefusesARouteThatRestoreCannotAdd) {
  FakeVm vm;
  os::Route route;
  route.destination = "198.51.100.0/24";
  route.outputs = {2, 4};
  route.table = 254;
  vm.state.routes.push_back(route);
  EXPECT_THAT(objections_to(vm, "eth1"),
              Contains(HasSubstr("the route to 198.51.100.0/24 uses it")));
  vm.state.routes.back().outputs = {2, 3};
  EXPECT_THAT(objections_to(vm, "eth1"), IsEmpty());
}

}  // namespace
}  // namespace manactl::setup
