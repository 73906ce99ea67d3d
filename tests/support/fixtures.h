// SPDX-License-Identifier: MIT
//
// Opens the captured trees in tests/fixtures as systems and gathers their facts.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/captured.h"
#include "host/facts.h"

namespace manactl::test {

// The directory of the fixture `name`, such as "healthy-two-nics".
std::string fixture(std::string_view name);

// The names of all fixtures, sorted.
std::vector<std::string> fixture_names();

// Throws if the fixture cannot be opened.
std::unique_ptr<host::CapturedSystem> system_of(std::string_view fixture_name);

// A change to one file of a fixture.
struct Edit {
  std::string path;
  std::string from;  // each occurrence becomes `to`; if empty, `to` is the whole new file
  std::string to;
  unsigned occurrences = 1;  // the required number of occurrences of `from`
};

using SymbolicLinks = std::map<std::string, std::string>;  // target of each link, by path

// A copy of the fixture in memory with the edits, in this order, and additional links. Throws if
// the text of an edit occurs more or less often than required.
std::unique_ptr<host::CapturedSystem> edited_system(std::string_view fixture_name,
                                                    const std::vector<Edit>& edits,
                                                    const SymbolicLinks& links = {});

}  // namespace manactl::test

namespace manactl::host {

// The facts of the fixture, with an embedded DPDK 25.11.2 that has all drivers.
Facts facts_of(std::string_view fixture_name, const std::vector<test::Edit>& edits = {});

}  // namespace manactl::host
