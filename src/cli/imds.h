// SPDX-License-Identifier: MIT
//
// The options --imds and --imds-address of check and doctor.

#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "host/metadata.h"

namespace CLI {
class App;
}

namespace manactl::cli {

struct ImdsOptions {
  bool on = false;
  std::string address = host::kMetadataAddress;

  // Empty if nobody may be asked.
  std::optional<std::string> asked_address() const {
    return on ? std::optional(address) : std::nullopt;
  }
};

void add_imds(CLI::App& app, ImdsOptions& options);

// Errc::invalid with --root.
Result<> refuse_imds(const ImdsOptions& options, const char* command, const Context& context);

}  // namespace manactl::cli
