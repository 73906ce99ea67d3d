// SPDX-License-Identifier: MIT
//
// The fixture of the tests of make_plan().

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/gather.h"
#include "setup/fake_vm.h"
#include "setup/plan.h"

namespace manactl::setup {

// A VM with its facts, which a test can change before it makes a plan.
class MakePlan : public ::testing::Test {
 protected:
  MakePlan() { request_.interface = *InterfaceName::parse("eth1"); }

  Result<Plan> plan() { return make_plan(request_, facts_, vm_.context().system, entries_); }

  // "<id> <interface>", and the titles of the steps; or the error.
  std::string text() {
    const auto made = plan();
    if (!made) return made.error().message;
    std::string text = made->entry.id + " " + made->entry.interface;
    if (made->already_prepared) text += ", already prepared";
    for (const auto& step : made->steps) text += "\n" + step->title();
    return text;
  }

  Errc code() {
    const auto made = plan();
    EXPECT_FALSE(made);
    return made ? Errc::io : made.error().code;
  }

  host::Nic& eth1() {
    return *std::find_if(facts_.nics->begin(), facts_.nics->end(), [](const auto& nic) {
      return nic.vf->name == "enP30832p0s0d1";
    });
  }

  void gather() {
    vm_.rebuild();
    facts_ = host::gather(vm_.context().system);
  }

  test::FakeVm vm_;
  host::Facts facts_ = host::gather(vm_.context().system);
  std::vector<Entry> entries_;
  Request request_;
};

}  // namespace manactl::setup
