// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/options.h"

namespace manactl::embedded {
extern const std::string_view completion_bash;
extern const std::string_view completion_zsh;
extern const std::string_view completion_fish;
}  // namespace manactl::embedded

namespace manactl::cli {
namespace {

struct CompletionOptions {
  std::string shell;
};

struct Script {
  std::string_view shell;
  const std::string_view& text;
};

constexpr std::array<Script, 3> kScripts = {{{"bash", embedded::completion_bash},
                                             {"zsh", embedded::completion_zsh},
                                             {"fish", embedded::completion_fish}}};

Result<std::string> parse_shell(std::string_view text) {
  std::vector<std::string> shells;
  for (const auto& script : kScripts) shells.emplace_back(script.shell);
  if (std::ranges::find(shells, text) != shells.end()) return std::string(text);
  return tl::unexpected<Error>(not_one_of(text, shells));
}

Exit run_completion(const CompletionOptions& options, Context& context) {
  if (options.shell.empty()) {
    return report_usage_error(context, "completion: SHELL is missing: bash, zsh or fish");
  }
  const auto* script = std::ranges::find(kScripts, options.shell, &Script::shell);
  if (context.json) {
    const nlohmann::ordered_json json = {
        {"schema", "manactl.completion/1"}, {"shell", script->shell}, {"script", script->text}};
    context.out.stream() << json.dump(2) << '\n';
  } else {
    context.out.stream() << script->text;
  }
  return Exit::ok;
}

}  // namespace

CommandAction add_completion(CLI::App& app) {
  auto options = std::make_shared<CompletionOptions>();
  add_value(app,
            {"SHELL", type::kShell, "print the script of this shell"},
            store_in(options->shell, parse_shell));
  return [options](Context& context) { return run_completion(*options, context); };
}

}  // namespace manactl::cli
