// SPDX-License-Identifier: MIT

#include "cli/app.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/check_help.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "cli/version.h"
#include "diag/check.h"
#include "host/captured.h"
#include "report/result_store.h"

namespace manactl::cli {
namespace {

// Opens the live or the captured system on first use.
class SystemOpener {
 public:
  Result<os::System> open(const Context& context) {
    if (context.root.empty()) return open_live();
    if (!captured_) {
      confine(context);
      auto opened = host::open_captured(context.root);
      // The path comes from the command line, so every error is a usage error.
      if (!opened) return fail(Errc::invalid, opened.error().message);
      captured_ = std::move(*opened);
    }
    return captured_->system();
  }

 private:
  Result<os::System> open_live() {
    if (!live_) {
      auto opened = os::LiveSystem::open();
      if (!opened) return tl::unexpected<Error>(opened.error());
      live_.emplace(std::move(*opened));
    }
    return live_->system();
  }

  std::optional<os::LiveSystem> live_;
  std::unique_ptr<host::CapturedSystem> captured_;
};

// Rejects settings of options that override a safety check. The user must type such an option each
// time, so that no check is overridden unnoticed.
Result<> reject_force_settings(const std::vector<Setting>& settings) {
  for (const auto& setting : settings) {
    if (setting.option != "--force-interface" && setting.option != "--force") continue;
    return fail(Errc::invalid,
                fmt::format("{}: {} is accepted on the command line only",
                            printable(setting.origin),
                            setting.option));
  }
  return {};
}

Result<std::vector<Setting>> all_settings(const Invocation& invocation,
                                          const CommandLine& line,
                                          const CLI::App& app) {
  auto settings = settings_from(invocation.environment, line.command, app);
  const auto* variable = invocation.environment.find("MANACTL_CONFIG");
  std::string path = line.config;
  if (path.empty() && variable != nullptr) path = *variable;
  const bool is_explicit = !path.empty();
  if (!is_explicit) path = kConfigFile;
  const auto text = read_config_file(path);
  if (!text && text.error().code == Errc::not_found && !is_explicit) return settings;
  if (!text) return fail(Errc::invalid, text.error().message);
  auto configured = parse_config(*text, printable(path), line.command, app);
  if (!configured) return configured;
  for (auto& setting : *configured) {
    // Environment variables override the configuration file.
    const bool is_set = std::any_of(settings.begin(), settings.end(), [&](const Setting& s) {
      return s.option == setting.option;
    });
    if (!is_set) settings.push_back(std::move(setting));
  }
  return settings;
}

// Used by completion, which reads no settings. For commands, MANACTL_RESULTS is a setting.
std::string default_results_directory(const Environment& environment) {
  const auto* named = environment.find("MANACTL_RESULTS");
  if (named != nullptr && named->starts_with('/')) return *named;
  return report::results_directory(geteuid(), environment.state_home());
}

Exit print_version(Context& context) {
  context.json ? print_version_json(context.out) : print_version_text(context.out);
  return Exit::ok;
}

// Returns the second words of the commands that begin with `first`; of all commands if it is empty.
std::vector<std::string> second_words(std::string_view first) {
  std::vector<std::string> words;
  for (const auto& command : commands()) {
    const auto blank = command.name.find(' ');
    if (blank == std::string_view::npos) continue;
    if (!first.empty() && command.name.substr(0, blank) != first) continue;
    words.emplace_back(command.name.substr(blank + 1));
  }
  return words;
}

// Words that users may expect to be commands, and the commands for the same purpose.
constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {{"bind", "prepare"},
                                                                         {"undo", "restore"},
                                                                         {"unbind", "restore"},
                                                                         {"unprepare", "restore"},
                                                                         {"rollback", "restore"},
                                                                         {"revert", "restore"}};

// Returns the command, or after "help" also the check or group of checks, that a user may have
// meant by `word`; empty if none is similar.
std::string similar_command(std::string_view word, bool after_help) {
  for (const auto& [other, command] : kOtherWords) {
    if (word == other) return std::string(command);
  }
  std::vector<std::string> names = {"help", "version"};
  for (const auto& command : commands()) names.emplace_back(command.name);
  if (after_help) {
    for (const auto& check : diag::all_checks())
      names.insert(names.end(), {std::string(check.group()), std::string(check.id)});
  }
  auto best = nearest(word, names);
  if (!best.empty()) return best;
  const auto second = nearest(word, second_words({}));
  for (const auto& command : commands()) {
    if (!second.empty() && command.name.ends_with(" " + second)) return std::string(command.name);
  }
  return {};
}

Exit report_unknown(Context& context,
                    std::string_view what,
                    std::string_view word,
                    const std::string& similar) {
  const auto hint =
      similar.empty() ? "see 'manactl --help'" : fmt::format("did you mean '{}'?", similar);
  return report_usage_error(context,
                            fmt::format("unknown {} '{}'; {}", what, printable(word), hint));
}

// Returns the first argument that is not --help: "help bench comparee" has become "bench --help
// comparee". Empty if there is none.
std::string word_after_help(const CommandLine& line) {
  const auto found = std::ranges::find_if(
      line.arguments, [](const std::string& argument) { return argument != "--help"; });
  return found == line.arguments.end() ? std::string() : *found;
}

// Returns the command that a pair of words such as "bench comparee" resembles. Empty if the second
// word is an interface or is not similar to the second word of a command.
std::string misspelled_pair(const CommandLine& line, const Context& context) {
  const auto word = word_after_help(line);
  const auto similar = nearest(word, second_words(line.command));
  if (line.command.empty() || similar.empty() || !InterfaceName::parse(word)) return {};
  const auto system = context.system();
  if (system && os::exists(system->files, "sys/class/net/" + word)) return {};
  return fmt::format("{} {}", line.command, similar);
}

// Applies --output, --json and --quiet.
Result<> choose_output(const CLI::App& app,
                       const Command& command,
                       const GlobalOptions& global,
                       Context& context) {
  context.json = global.json;
  const auto output = output_of(context, global.output);
  if (!output) return because(output.error(), command.name);
  context.json = *output == Output::json;
  context.quiet = global.quiet;
  const auto words = app.get_option("--output")->results();
  const bool prints_text = !context.json && (words.empty() || words.back() == "text");
  if (prints_text && !context.out.has_unicode()) context.out.spell_units_in_ascii();
  if (!context.err.has_unicode()) context.err.spell_units_in_ascii();
  if (!global.quiet) return {};
  context.err.set_redraw(false);
  if (prints_text && !command.prints_data) context.out.mute();
  return {};
}

Exit run_command_line(const Invocation& invocation, Context& context) {
  const auto line = split_command_line(invocation.arguments);
  const Command* command = find_command(line.command);
  context.json = asks_for_json(line);
  if (context.json && (is_typed(line.arguments, "--help") || is_typed(line.arguments, "-h"))) {
    return report_usage_error(context, "help is text only: omit --json");
  }
  if (!line.command.empty() && command == nullptr) {
    const auto leading = check_leading_options(line);
    if (!leading) return report_usage_error(context, leading.error().message);
    const bool after_help = line.arguments == std::vector<std::string>{"--help"};
    if (after_help && print_check_help(context.out, line.command)) return Exit::ok;
    return report_unknown(context,
                          after_help ? "topic" : "command",
                          line.command,
                          similar_command(line.command, after_help));
  }
  if (const auto meant = misspelled_pair(line, context); !meant.empty()) {
    return report_unknown(
        context, "command", fmt::format("{} {}", line.command, word_after_help(line)), meant);
  }

  CLI::App app;
  app.set_help_flag();  // CLI11's own help flag throws
  GlobalOptions global;
  const auto action = command != nullptr ? command->add_options(app) : CommandAction();
  add_global_options(app, global);
  const auto settings = all_settings(invocation, line, app);
  if (!settings) return report_usage_error(context, settings.error().message);
  const auto allowed = reject_force_settings(*settings);
  if (!allowed) return report_usage_error(context, allowed.error().message);
  const auto parsed = parse_arguments(app, line.arguments, *settings, second_words(line.command));
  if (!parsed) {
    const std::string prefix = command != nullptr ? fmt::format("{}: ", command->name) : "";
    return report_usage_error(context, prefix + parsed.error().message);
  }

  context.json = global.json;  // for --version
  context.verbosity = global.verbosity;
  context.root = global.root;
  if (global.color != ColorMode::automatic) {
    context.out.set_color(global.color == ColorMode::always);
    context.err.set_color(global.color == ColorMode::always);
  }
  if (global.help) {
    command != nullptr ? print_help(context.out, *command, app) : print_help(context.out);
    return Exit::ok;
  }
  if (global.version) return print_version(context);
  if (command != nullptr && command->root == RootUse::none && is_typed(line.arguments, "--root")) {
    return report_usage_error(context, fmt::format("{}: --root is not supported", command->name));
  }
  if (command != nullptr) {
    const auto chosen = choose_output(app, *command, global, context);
    for (const auto& text : misspelled_variables(invocation.environment)) print_note(context, text);
    return chosen ? action(context) : report_error(context, chosen.error());
  }
  if (line.arguments.empty()) {
    print_overview(context.out);
    return Exit::ok;
  }
  return report_usage_error(context, "a command is missing; see 'manactl --help'");
}

}  // namespace

Exit run(const Invocation& invocation) {
  SystemOpener opener;
  Context context{invocation.out, invocation.err, false, 0, {}, {}, {}};
  context.results = default_results_directory(invocation.environment);
  context.arguments = invocation.arguments;
  context.system = [&opener, &context] { return opener.open(context); };
  const auto& words = invocation.arguments;
  if (!words.empty() && words.front() == "__complete") {
    return complete({words.begin() + 1, words.end()}, context);
  }
  if (!words.empty() && words.front() == "__commands") return describe_commands(context);
  return run_command_line(invocation, context);
}

}  // namespace manactl::cli
