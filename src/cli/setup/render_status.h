// SPDX-License-Identifier: MIT
//
// Prints the result of status: as text in render_status.cpp, as JSON in json_status.cpp.

#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "host/facts.h"
#include "setup/status.h"

namespace manactl::cli {

struct StatusOutput {
  const host::Facts& facts;
  std::vector<const host::PciFunction*> functions;  // those of MANA that are shown
  setup::Status status;
  std::string journal_error;            // why the journal could not be read; else empty
  std::vector<std::string> persistent;  // files that prepare NICs at boot
};

void print_text(Screen& screen, const StatusOutput& result, int verbosity);
void print_json(Screen& screen, const StatusOutput& result);  // schemas/status.schema.json

// The RDMA devices of a function.
std::vector<const host::RdmaDevice*> rdma_devices_of(const host::Facts& facts,
                                                     const host::PciFunction& function);

// The provider library that libibverbs chose for an RDMA device; null if it is unknown.
const host::Provider* find_provider(const host::Facts& facts, const std::string& device);

}  // namespace manactl::cli
