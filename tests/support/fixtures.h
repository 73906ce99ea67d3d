// SPDX-License-Identifier: MIT
//
// The trees of tests/fixtures, as systems and as facts.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/captured.h"
#include "host/facts.h"

namespace manactl::test {

// The directory of a fixture: "healthy-two-nics".
std::string fixture(std::string_view name);

// Every fixture there is, sorted.
std::vector<std::string> fixture_names();

// Throws with the reason when the fixture cannot be opened: the test fails.
std::unique_ptr<host::CapturedSystem> system_of(std::string_view fixture_name);

// A change to one file of a fixture. Throws when there is nothing to change.
struct Edit {
  std::string path;
  std::string from;  // every occurrence is replaced; empty: the file becomes `to`
  std::string to;
};

using SymbolicLinks = std::map<std::string, std::string>;  // by path: the target

// "The same VM, but ...": the fixture in memory, changed, and with more links.
std::unique_ptr<host::CapturedSystem> altered(std::string_view fixture_name,
                                              const std::vector<Edit>& edits,
                                              const SymbolicLinks& more = {});

}  // namespace manactl::test

namespace manactl::host {

// Gathered from the fixture, with a DPDK 25.11.2 that has all drivers embedded.
Facts facts_of(std::string_view fixture_name, const std::vector<test::Edit>& edits = {});

}  // namespace manactl::host
