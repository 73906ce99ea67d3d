// SPDX-License-Identifier: MIT
//
// manactl-setup-count TIMES [NICS [ROUTES]]: prepares and restores eth1 of the simulated VM TIMES
// times. bench/setup-cost counts the instructions, which include those of the simulated VM.

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace {

using manactl::setup::PrepareOutcome;

bool prepare_and_restore(manactl::test::FakeVm& vm) {
  manactl::setup::Request request;
  request.interface = *manactl::InterfaceName::parse("eth1");
  request.hugepages = manactl::setup::HugepageRequest{512, 0, 0, {}};
  const auto prepared = manactl::setup::prepare(request, vm.context());
  if (!prepared || prepared->outcome != PrepareOutcome::done) return false;
  const auto restored = manactl::setup::restore({"eth1"}, vm.context());
  return restored && restored->size() == 1 && restored->front().is_complete();
}

unsigned number(int argc, char** argv, int at) {
  return at < argc ? static_cast<unsigned>(manactl::parse_unsigned(argv[at], 1U << 20).value_or(0))
                   : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned times = number(argc, argv, 1);
  if (times == 0) {
    fmt::print(stderr, "usage: manactl-setup-count TIMES [NICS [ROUTES]]\n");
    return 2;
  }
  manactl::test::FakeVm vm(number(argc, argv, 2));
  for (unsigned i = 0; i < number(argc, argv, 3); ++i) {
    manactl::os::Route route;
    route.destination = fmt::format("172.16.{}.{}/32", i / 256, i % 256);
    route.outputs = {4};
    route.table = 254;
    route.protocol = 4;
    vm.state.routes.push_back(route);
  }
  const auto before = vm.dump();
  for (unsigned i = 0; i < times; ++i) {
    if (prepare_and_restore(vm)) continue;
    fmt::print(stderr, "manactl-setup-count: run {} failed\n", i);
    return 1;
  }
  return vm.dump() == before ? 0 : 1;
}
