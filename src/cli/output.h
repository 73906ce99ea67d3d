// SPDX-License-Identifier: MIT
//
// In which form a command prints its answer: -o FORMAT, or --json for the most used one.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace manactl::cli {

enum class Output : std::uint8_t { json, ndjson, csv, table, html };

// Adds -o to `app`. `formats` are those that the command has: a type of options.h.
void add_output(CLI::App& app, std::string_view formats, std::optional<Output>& target);

// What was asked for, the table when nothing was. Errc::invalid when --json says something else.
Result<Output> output_of(const Context& context, const std::optional<Output>& asked);

}  // namespace manactl::cli
