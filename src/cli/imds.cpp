// SPDX-License-Identifier: MIT

#include "cli/imds.h"

#include <CLI/CLI.hpp>

#include "cli/command_line.h"
#include "cli/options.h"

namespace manactl::cli {

void add_imds(CLI::App& app, ImdsOptions& options) {
  add_flag(app, "--imds", options.on, "also ask Azure's instance metadata service about this VM");
  add_value(
      app,
      {"--imds-address", type::kAddress, "address of this service (default: 169.254.169.254)"},
      store_in(options.address, host::parse_metadata_address));
}

Result<> refuse_imds(const ImdsOptions& options, const char* command, const Context& context) {
  if (!options.on && is_typed(context.arguments, "--imds-address")) {
    return fail(Errc::invalid, fmt::format("{}: --imds-address requires --imds", command));
  }
  if (!options.on || context.root.empty()) return {};
  return fail(Errc::invalid,
              fmt::format("{}: --imds cannot be used with --root: a captured system has what was "
                          "recorded",
                          command));
}

}  // namespace manactl::cli
