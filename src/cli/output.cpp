// SPDX-License-Identifier: MIT

#include "cli/output.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/enum_words.h"
#include "base/text.h"
#include "cli/options.h"

namespace manactl::cli {
namespace {

constexpr EnumWords<Output, 5> kOutputs = {{{Output::text, "text"},
                                            {Output::json, "json"},
                                            {Output::ndjson, "ndjson"},
                                            {Output::csv, "csv"},
                                            {Output::html, "html"}}};

Result<Output> parse_output(std::string_view text, std::string_view formats) {
  std::vector<std::string> allowed;
  for (const auto word : split(formats, '|')) allowed.emplace_back(word);
  const auto output = value_of(kOutputs, text);
  if (output && std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return *output;
  return tl::unexpected<Error>(not_one_of(text, allowed));
}

}  // namespace

void add_output(CLI::App& app, std::string_view formats, std::optional<Output>& target) {
  add_value(
      app,
      {"-o,--output", formats, "print in this format (default: text)"},
      store_in(target, [formats](std::string_view text) { return parse_output(text, formats); }));
}

Result<Output> output_of(const Context& context, const std::optional<Output>& requested) {
  if (!context.json) return requested.value_or(Output::text);
  if (!requested || *requested == Output::json) return Output::json;
  return fail(
      Errc::invalid,
      fmt::format("--json and -o {} are mutually exclusive", word_of(kOutputs, *requested)));
}

}  // namespace manactl::cli
