// SPDX-License-Identifier: MIT
//
// Facts of a healthy VM that tests modify: two NICs with paired VFs on one MANA function.

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

// The same VM after its second NIC was bound to user space.
host::Facts prepared_vm();

// A VM whose only NIC is MANA direct: it has no synthetic NIC.
host::Facts direct_vm();

PciAddress mana_address();

// Runs one check; skips it if its requirement is not met.
diag::Finding run_check(const host::Facts& facts,
                        std::string_view id,
                        const diag::CheckOptions& options = {});

// Adds another function, 7871:00:00.0 on node 1, and its RDMA device mana_1.
host::PciFunction& add_function(host::Facts& facts);

host::Nic& nic(host::Facts& facts, std::size_t index);
host::Module& module(host::Facts& facts, std::string_view name);

// All commands of the remedy, one per line; empty without a remedy.
std::string commands_of(const diag::Finding& finding);

// A check on a changed VM, and the text of its finding.
struct TextCase {
  const char* name;
  const char* check;
  void (*change)(host::Facts&);
  std::string text;
  std::uint64_t bench_bytes = 0;
};

// Runs the check and returns the lines of its finding: status and detail, evidence after "+ ",
// commands after "$ ".
std::string text_of(const TextCase& one);

inline tl::unexpected<Error> unreadable() {
  return manactl::fail(Errc::denied, "cannot read 'x': Permission denied");
}

}  // namespace manactl::test
