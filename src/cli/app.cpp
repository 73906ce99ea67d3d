// SPDX-License-Identifier: MIT

#include "cli/app.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "cli/settings.h"
#include "cli/version.h"
#include "host/captured.h"
#include "host/results.h"

namespace manactl::cli {
namespace {

constexpr std::array kCommands = {
    Command{"check", "[IFACE] [OPTION]...", "Tell whether this VM is ready to use MANA", add_check},
    Command{"doctor", "[OPTION]...", "Find the root cause of what does not work", add_doctor},
    Command{"bench",
            "[IFACE|--vdev DEVICE] [OPTION]...",
            "Measure packet rates in user space",
            add_bench},
    Command{"bench compare",
            "BEFORE AFTER [OPTION]...",
            "Tell whether a result is worse or better than another",
            add_bench_compare},
    Command{"bench merge",
            "SENDER RECEIVER [OPTION]...",
            "Join the results of both ends of one run",
            add_bench_merge},
    Command{"bench list", "[OPTION]...", "List the results that are kept", add_bench_list},
    Command{"bench show", "[RESULT] [OPTION]...", "Print a result again", add_bench_show},
    Command{"prepare",
            "[IFACE] [OPTION]...",
            "Hand a NIC to user space, so that it can be undone",
            add_prepare},
    Command{"restore", "[IFACE|--all] [OPTION]...", "Undo what prepare did", add_restore},
    Command{"status", "[OPTION]...", "Tell who owns each NIC and what was changed", add_status},
    Command{"args", "[IFACE]... [OPTION]...", "Print what DPDK has to be told", add_args},
    Command{"confirm", "[OPTION]...", "Keep what prepare --confirm-timeout did", add_confirm},
    Command{"decode",
            "KIND HEX|FILE|- [OPTION]...",
            "Show the fields of what driver and hardware exchange",
            add_decode},
    Command{
        "sim", "[OPTION]... -- COMMAND...", "Run a program on a MANA adapter in software", add_sim},
};

// Opens the system once, when a command first asks for it.
class SystemDoor {
 public:
  Result<os::System> open(const std::string& root) {
    if (root.empty()) return open_live();
    if (!captured_) {
      auto opened = host::open_captured(root);
      // A path that the user typed is input: whatever is wrong with it is wrong usage.
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

// What overrides a guard is typed each time; a variable or a file would do it unseen.
Result<> refuse_standing_orders(const std::vector<Setting>& settings) {
  for (const auto& setting : settings) {
    if (setting.option != "--force-interface" && setting.option != "--force") continue;
    return fail(Errc::invalid,
                fmt::format("{}: {} has to be typed", printable(setting.origin), setting.option));
  }
  return {};
}

Result<std::vector<Setting>> all_settings(const Invocation& invocation,
                                          const Split& words,
                                          const CLI::App& app) {
  auto settings = settings_of(invocation.environment, words.command, app);
  const auto* variable = invocation.environment.find("MANACTL_CONFIG");
  std::string path = words.config;
  if (path.empty() && variable != nullptr) path = *variable;
  const bool asked_for = !path.empty();
  if (!asked_for) path = kConfigFile;
  const auto text = read_config_file(path);
  if (!text && text.error().code == Errc::not_found && !asked_for) return settings;
  if (!text) return fail(Errc::invalid, text.error().message);
  auto configured = parse_config(*text, printable(path), words.command, app);
  if (!configured) return configured;
  for (auto& setting : *configured) {
    // Variables win over the file.
    const bool set = std::any_of(settings.begin(), settings.end(), [&](const Setting& s) {
      return s.option == setting.option;
    });
    if (!set) settings.push_back(std::move(setting));
  }
  return settings;
}

void choose_colour(Context& context, const std::string& when) {
  if (when == "auto") return;
  context.out.set_colour(when == "always");
  context.err.set_colour(when == "always");
}

// The variable is also an option of the commands; completion knows it by this alone.
std::string results_of(const Environment& environment) {
  const auto* named = environment.find("MANACTL_RESULTS");
  if (named != nullptr && named->starts_with('/')) return *named;
  return host::results_directory(geteuid(), environment.state_home());
}

Exit print_version(Context& context) {
  context.json ? version_json(context.out) : version_text(context.out);
  return Exit::ok;
}

Exit wrong_usage(Context& context, const Command* command, const Error& error) {
  std::string text =
      command != nullptr ? fmt::format("{}: {}", command->name, error.message) : error.message;
  return report_error(context, Error{Errc::invalid, 0, std::move(text)});
}

Exit unknown_command(Context& context, const std::string& word) {
  std::vector<std::string> names;
  names.reserve(kCommands.size());
  for (const auto& command : kCommands) names.emplace_back(command.name);
  const std::string hint = suggestion(word, names);
  return report_error(context,
                      Error{Errc::invalid,
                            0,
                            fmt::format("unknown command '{}'{}",
                                        printable(word, 60),
                                        hint.empty() ? "; see 'manactl --help'" : hint)});
}

Exit run_words(const Invocation& invocation, Context& context) {
  const Split words = split_command(invocation.arguments);
  const Command* command = find_command(words.command);
  if (!words.command.empty() && command == nullptr) return unknown_command(context, words.command);

  CLI::App app;
  app.set_help_flag();  // ours does not throw
  GlobalOptions global;
  const Run run_command = command != nullptr ? command->add(app) : Run();
  add_global_options(app, global);
  const auto settings = all_settings(invocation, words, app);
  if (!settings) return wrong_usage(context, nullptr, settings.error());
  const auto typed = refuse_standing_orders(*settings);
  if (!typed) return wrong_usage(context, nullptr, typed.error());
  const auto parsed = parse_arguments(app, words.rest, *settings);
  if (!parsed) return wrong_usage(context, command, parsed.error());

  context.json = global.json;
  context.verbosity = global.verbosity;
  context.root = global.root;
  choose_colour(context, global.colour);
  if (global.help) {
    command != nullptr ? print_help(context.out, *command, app) : print_help(context.out);
    return Exit::ok;
  }
  if (global.version) return print_version(context);
  if (command == nullptr) {
    return report_error(context,
                        Error{Errc::invalid, 0, "a command is missing; see 'manactl --help'"});
  }
  return run_command(context);
}

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  for (const auto& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

Exit run(const Invocation& invocation) {
  SystemDoor door;
  Context context{invocation.out, invocation.err, false, 0, {}, {}, {}};
  context.results = results_of(invocation.environment);
  context.system = [&door, &context] { return door.open(context.root); };
  const auto& words = invocation.arguments;
  if (!words.empty() && words.front() == "__complete") {
    return complete({words.begin() + 1, words.end()}, context);
  }
  if (!words.empty() && words.front() == "__commands") return describe_commands(context);
  return run_words(invocation, context);
}

}  // namespace manactl::cli
