// SPDX-License-Identifier: MIT
//
// A healthy VM as a struct: two NICs with paired VFs on one MANA function. Tests alter it.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "diag/check.h"
#include "diag/runner.h"
#include "host/facts.h"

namespace manactl::test {

host::Facts healthy_vm();

// The same VM after its second NIC was given to user space.
host::Facts prepared_vm();

// A VM whose only NIC is MANA without a synthetic NIC.
host::Facts direct_vm();

PciAddress mana_address();

// The finding of one check, through the runner, with its needs.
diag::Finding ask(const host::Facts& facts,
                  std::string_view id,
                  const diag::Question& question = {});

host::Nic& nic(host::Facts& facts, std::size_t index);
host::Module& module(host::Facts& facts, std::string_view name);

// All commands of the remedy, one per line; empty without a remedy.
std::string commands_of(const diag::Finding& finding);

inline tl::unexpected<Error> unreadable() {
  return manactl::fail(Errc::denied, "cannot read 'x': Permission denied");
}

}  // namespace manactl::test
