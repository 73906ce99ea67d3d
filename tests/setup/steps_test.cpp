// SPDX-License-Identifier: MIT
//
// Tests of the steps one by one: each input that cannot be read is reported, and the texts that the
// user sees are complete.

#include "setup/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "host/gather.h"
#include "setup/fake_vm.h"
#include "setup/plan.h"
#include "setup/sysfs.h"

namespace manactl::setup::steps_test {
namespace {

using test::FakeVm;
using ::testing::HasSubstr;

constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";
constexpr const char* kVf = "enP30832p0s0d1";
constexpr const char* kPool = "sys/devices/system/node/node0/hugepages/hugepages-2048kB";

Request request_for(Method method) {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  request.hugepages = HugepageRequest{10, 0, 0, {}};
  request.mtu = 4000;
  request.method = method;
  return request;
}

// The keys of FakeVm::unreadable for everything that steps read.
std::vector<std::string> sources() {
  const auto channel = device_path(kEth1);
  return {"links",
          "addresses",
          "routes",
          "modules",
          channel + "/driver",
          channel + "/driver_override",
          channel + "/net",
          channel + "/uio",
          std::string(kPool) + "/nr_hugepages"};
}

// Calls `action` on the same state again and again. Each time, another read of `source`, and all
// later ones, fail. Expects that `action` reports this error.
void expect_reported(FakeVm& vm,
                     const std::string& source,
                     const std::string& what,
                     const std::function<Result<>()>& action) {
  constexpr unsigned kMany = 100000;
  const auto state = vm.state;
  const auto reset = [&] {
    vm.unreadable.clear();
    vm.context().clock.pause(std::chrono::seconds(1));  // events of the last run
    vm.state = state;
    vm.rebuild();
  };
  vm.unreadable[source] = kMany;
  const auto good = action();
  EXPECT_TRUE(good) << what << ": " << good.error().message;
  const unsigned reads = kMany - vm.unreadable[source];
  for (unsigned n = 0; n < reads; ++n) {
    reset();
    vm.unreadable[source] = n;
    const auto failed = action();
    ASSERT_FALSE(failed) << what << " ignores that read " << n << " of " << source << " failed";
    // A step polls these lists. If it finds nothing in time, its message names what is missing.
    if (source.ends_with("/net") || source.ends_with("/uio")) continue;
    EXPECT_THAT(failed.error().message, HasSubstr("cannot read " + source)) << what;
  }
  reset();
}

bool is_in(StepKind kind, std::initializer_list<StepKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// A failed observation of these values is the value "no" or "": the next steps then report it.
bool may_ignore(StepKind kind, const std::string& source) {
  return (kind == StepKind::unbind_channel && source == "links") ||
         (kind == StepKind::wait_for_uio && source.ends_with("/uio"));
}

TEST(Steps, ReportEachValueThatCannotBeRead) {
  for (const auto method : {Method::automatic, Method::new_id}) {
    FakeVm vm;
    const auto context = vm.context();
    const auto facts = host::gather(context.system);
    const auto plan = make_plan(request_for(method), facts, context.system, {});
    ASSERT_TRUE(plan);
    for (const auto& step : plan->steps) {
      const auto observe = [&]() -> Result<> {
        const auto observed = step->observe(context.system);
        return observed ? Result<>() : Result<>(tl::unexpected<Error>(observed.error()));
      };
      const auto apply = [&]() -> Result<> {
        const auto applied = step->apply(context);
        return applied ? Result<>() : Result<>(tl::unexpected<Error>(applied.error()));
      };
      for (const auto& source : sources()) {
        if (!may_ignore(step->kind(), source)) {
          expect_reported(vm, source, "observe: " + step->title(), observe);
        }
        expect_reported(vm, source, "apply: " + step->title(), apply);
      }
      ASSERT_TRUE(step->apply(context));
      for (const auto& source : sources()) {
        if (may_ignore(step->kind(), source)) continue;
        if (is_in(step->kind(), {StepKind::add_class_id, StepKind::reserve_hugepages})) continue;
        expect_reported(
            vm, source, "verify: " + step->title(), [&] { return step->verify(context.system); });
      }
    }
  }
}

TEST(Steps, ReportEachValueThatCannotBeReadWhenTheyAreReverted) {
  for (const auto method : {Method::automatic, Method::new_id}) {
    FakeVm vm;
    const auto context = vm.context();
    const auto prepared = prepare(request_for(method), context);
    ASSERT_TRUE(prepared && prepared->outcome == PrepareOutcome::done);
    const auto& records = prepared->entry.steps;
    for (auto record = records.rbegin(); record != records.rend(); ++record) {
      const auto revert = [&] {
        auto copy = *record;
        return (*make_step(copy))->revert(context, {copy, {}, false});
      };
      for (const auto& source : sources()) {
        expect_reported(vm, source, "revert: " + record->title, revert);
      }
      ASSERT_TRUE(revert());
    }
  }
}

TEST(Steps, AreRebuiltFromTheirRecords) {
  for (const auto method : {Method::automatic, Method::new_id}) {
    FakeVm vm;
    const auto context = vm.context();
    const auto facts = host::gather(context.system);
    const auto plan = make_plan(request_for(method), facts, context.system, {});
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->entry.steps.size(), plan->steps.size());
    for (std::size_t i = 0; i < plan->steps.size(); ++i) {
      const auto& record = plan->entry.steps[i];
      const auto step = make_step(record);
      ASSERT_TRUE(step) << record.title;
      EXPECT_EQ((*step)->kind(), plan->steps[i]->kind());
      EXPECT_EQ((*step)->title(), plan->steps[i]->title());
      EXPECT_EQ((*step)->parameters(), plan->steps[i]->parameters());
      EXPECT_EQ(record.before, *plan->steps[i]->observe(context.system));
      EXPECT_EQ(record.manual_commands, plan->steps[i]->manual_commands(record.before));
    }
  }
  for (const bool shared : {false, true}) {
    const auto record = make_record(*add_class_id(shared), {});
    EXPECT_EQ((*make_step(record))->parameters(), add_class_id(shared)->parameters());
  }
  EXPECT_EQ(make_step(StepRecord{}).error().code, Errc::invalid);
  StepRecord pages;
  pages.kind = StepKind::reserve_hugepages;
  EXPECT_EQ((*make_step(pages))->title(), "reserve 0 more pages in /");
}

TEST(Steps, ObserveTheStateBeforeTheChange) {
  FakeVm vm;
  const auto context = vm.context();
  const auto facts = host::gather(context.system);
  std::string text;
  for (const auto method : {Method::automatic, Method::new_id}) {
    const auto plan = make_plan(request_for(method), facts, context.system, {});
    ASSERT_TRUE(plan);
    for (const auto& record : plan->entry.steps) {
      if (record.kind == StepKind::save_addresses) continue;
      text += record.title + ":";
      for (const auto& [key, value] : record.before) text += fmt::format(" {}={}", key, value);
      text += "\n";
    }
  }
  const std::string common = fmt::format(
      "load module uio_hv_generic: loaded=no\n"
      "load module mana_ib: loaded=no\n"
      "reserve 10 more pages in /{}: pages=64\n"
      "set the MTU of {} to 4000: index=5 mtu=1500\n"
      "set the MTU of eth1 to 4000: index=4 mtu=1500\n"
      "set eth1 down: state=up\n"
      "set {} down: state=up\n",
      kPool,
      kVf,
      kVf);
  const auto last = fmt::format(
      "bind channel {} to uio_hv_generic: driver=hv_netvsc\n"
      "wait for the uio device of channel {}: uio=\n"
      "verify that {} stays down: state=up\n",
      kEth1,
      kEth1,
      kVf);
  const auto unbind =
      fmt::format("unbind eth1 ({}) from hv_netvsc: driver=hv_netvsc joined=yes\n", kEth1);
  EXPECT_EQ(
      text,
      common + unbind +
          fmt::format("set driver_override of channel {} to uio_hv_generic: override=\n", kEth1) +
          last + common + "add the network class id to uio_hv_generic: id=absent\n" + unbind +
          last);
}

TEST(Steps, ListTheCommandsThatRevertThem) {
  FakeVm vm;
  const auto context = vm.context();
  vm.state.routes.back().onlink = true;
  os::Route ipv6;
  ipv6.destination = "2001:db8:5::/64";
  ipv6.outputs = {4};
  ipv6.table = 254;
  ipv6.protocol = 4;
  ipv6.ipv6 = true;
  vm.state.routes.push_back(ipv6);
  const auto facts = host::gather(context.system);
  std::string text;
  for (const auto method : {Method::automatic, Method::new_id}) {
    const auto plan = make_plan(request_for(method), facts, context.system, {});
    ASSERT_TRUE(plan);
    for (const auto& record : plan->entry.steps) {
      for (const auto& command : record.manual_commands) text += command + "\n";
    }
  }
  const std::string common = fmt::format(
      "ip address replace 10.0.1.4/24 dev eth1\n"
      "ip address replace 2001:db8:1::4/64 dev eth1\n"
      "ip address replace fe80::2/64 dev eth1\n"
      "ip route replace 192.0.2.0/24 via 10.0.1.1 proto 4 scope 0 metric 50 table 254 onlink dev "
      "eth1\n"
      "ip -6 route replace 2001:db8:5::/64 proto 4 scope 0 table 254 dev eth1\n"
      "echo 64 > /{}/nr_hugepages\n"
      "ip link set {} mtu 1500\n"
      "ip link set eth1 mtu 1500\n"
      "ip link set eth1 up\n"
      "ip link set {} up\n",
      kPool,
      kVf,
      kVf);
  const std::string drivers = "/sys/bus/vmbus/drivers/";
  const auto rebind = [&](const std::string& driver, const std::string& file) {
    return fmt::format("echo {} > {}{}/{}\n", kEth1, drivers, driver, file);
  };
  EXPECT_EQ(text,
            common + rebind("hv_netvsc", "bind") +
                fmt::format("echo '' > /{}/driver_override\n", device_path(kEth1)) +
                rebind("uio_hv_generic", "unbind") + common +
                fmt::format("echo {} > {}uio_hv_generic/remove_id\n", kNicClass, drivers) +
                rebind("hv_netvsc", "bind") + rebind("uio_hv_generic", "unbind"));
}

}  // namespace
}  // namespace manactl::setup::steps_test
