// SPDX-License-Identifier: MIT
//
// The output format of a command: -o FORMAT, or -j as the short form of -o json.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace manactl::cli {

enum class Output : std::uint8_t { text, json, ndjson, csv, html };

// Adds -o to `app`. `formats` is a value type of options.h that lists the formats of the command.
void add_output(CLI::App& app, std::string_view formats, std::optional<Output>& target);

// Returns the requested format, or Output::text. Errc::invalid if --json contradicts -o.
Result<Output> output_of(const Context& context, const std::optional<Output>& requested);

}  // namespace manactl::cli
