// SPDX-License-Identifier: MIT

#include "cli/output.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/options.h"

namespace manactl::cli {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"json", "ndjson", "csv", "table", "html"};

Result<Output> parse_output(std::string_view text, std::string_view formats) {
  std::vector<std::string> allowed;
  for (const auto word : split(formats, '|')) allowed.emplace_back(word);
  const auto* name = std::find(kNames.begin(), kNames.end(), text);
  if (name != kNames.end() && std::find(allowed.begin(), allowed.end(), text) != allowed.end()) {
    return static_cast<Output>(name - kNames.begin());
  }
  return fail(Errc::invalid,
              fmt::format("'{}' is none of {}{}",
                          printable(text, 40),
                          join(allowed, ", "),
                          suggestion(text, allowed)));
}

}  // namespace

void add_output(CLI::App& app, std::string_view formats, std::optional<Output>& target) {
  add_value(app,
            {"-o,--output", formats, "in which form to answer (table)"},
            into(target, [formats](std::string_view text) { return parse_output(text, formats); }));
}

Result<Output> output_of(const Context& context, const std::optional<Output>& asked) {
  if (!context.json) return asked.value_or(Output::table);
  if (!asked || *asked == Output::json) return Output::json;
  return fail(
      Errc::invalid,
      fmt::format("--json and -o {} exclude each other", kNames[static_cast<std::size_t>(*asked)]));
}

}  // namespace manactl::cli
