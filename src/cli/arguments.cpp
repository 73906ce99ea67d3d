// SPDX-License-Identifier: MIT

#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/options.h"

namespace manactl::cli {
namespace {

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

bool is_repeatable(const CLI::Option& option) {
  return option.get_items_expected_max() > 1;
}

constexpr EnumWords<ColorMode, 3> kColorModes = {
    {{ColorMode::automatic, "auto"}, {ColorMode::always, "always"}, {ColorMode::never, "never"}}};

// U+2010 to U+2015, and the minus sign.
constexpr std::string_view kDashes[] = {
    "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212"};

// Programs that format text replace hyphens: "–root" or "—strict" may come from a document.
Result<> refuse_dash(std::string_view word) {
  const auto begins = [](std::string_view text) {
    return std::ranges::any_of(kDashes, [&](std::string_view it) { return text.starts_with(it); });
  };
  if (!begins(word)) return {};
  auto name = word;
  while (begins(name)) name.remove_prefix(kDashes[0].size());
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return fail(Errc::invalid,
              fmt::format("'{}' begins with a dash that is not a hyphen: type '{}{}'",
                          printable(word),
                          name.size() > 1 ? "--" : "-",
                          printable(name)));
}

// Checks the arguments before CLI11 parses them. The messages of CLI11 are written for programmers,
// and CLI11 takes the value of a misspelled option for a positional argument.
class ArgumentCheck {
 public:
  ArgumentCheck(const CLI::App& app, const std::vector<std::string>& subcommands)
      : app_(app), subcommands_(subcommands) {}

  Result<> run(const std::vector<std::string>& words);

  bool is_given(const CLI::Option* option) const { return given_.contains(option); }

 private:
  Result<> long_option(std::string_view word, const std::string* next);
  Result<> short_options(std::string_view word, const std::string* next);
  Result<> positional(std::string_view word);
  Result<> refuse_unknown(std::string_view name) const;
  Result<> refuse_separate_unit(std::string_view word) const;
  Result<> count(const CLI::Option* option, std::string_view name);

  const CLI::App& app_;
  const std::vector<std::string>& subcommands_;
  std::map<const CLI::Option*, unsigned> given_;
  std::size_t positionals_ = 0;
  bool skip_next_ = false;
  const CLI::Option* latest_ = nullptr;  // the option before the current word
  std::string value_;                    // its value, if that was a word of its own
};

Result<> ArgumentCheck::run(const std::vector<std::string>& words) {
  bool only_positionals = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string* next = i + 1 < words.size() ? &words[i + 1] : nullptr;
    if (skip_next_) {
      skip_next_ = false;
      value_ = word;
      continue;
    }
    Result<> good = refuse_separate_unit(word);
    value_.clear();
    if (!good) return good;
    if (!only_positionals) good = refuse_dash(word);
    if (!good) return good;
    if (only_positionals || !is_option(word)) {
      good = positional(word);
    } else if (word == "--") {
      only_positionals = true;
    } else if (word.starts_with("--")) {
      good = long_option(word, next);
    } else {
      good = short_options(word, next);
    }
    if (!good) return good;
  }
  return {};
}

// The blank of "--duration 5 s" makes the unit an argument.
Result<> ArgumentCheck::refuse_separate_unit(std::string_view word) const {
  if (latest_ == nullptr || !parse_decimal(value_)) return {};
  const auto unit = accepted_unit(latest_->get_type_name(), word);
  if (unit.empty()) return {};
  const auto value = value_ + std::string(unit);
  try {
    latest_->get_callback()({value});
  } catch (const CLI::ParseError& error) {
    return fail(Errc::invalid, error.what());
  }
  return fail(
      Errc::invalid,
      fmt::format("write the number and its unit as one word: {} {}", latest_->get_name(), value));
}

// Also recognizes "-queues" and "--root/tmp/vm".
Result<> ArgumentCheck::refuse_unknown(std::string_view name) const {
  const auto names = option_names(app_);
  const auto takes = [this](std::string_view argument) {
    return app_.get_option_no_throw(std::string(argument)) != nullptr;
  };
  auto hint =
      suggestion(name.starts_with("--") ? std::string(name) : fmt::format("-{}", name), names);
  for (const auto& known : names) {
    const auto path = name.substr(std::min(known.size(), name.size()));
    if (name.starts_with(known) && path.starts_with('/'))
      hint = fmt::format("; did you mean '{} {}'?", known, printable(path));
  }
  if (hint.empty() && takes(type::kBenchOption)) hint = "; options of the measurement follow '--'";
  if (hint.empty() && takes(type::kProgram)) hint = "; options of COMMAND follow '--'";
  return fail(Errc::invalid, fmt::format("unknown option '{}'{}", printable(name), hint));
}

Result<> ArgumentCheck::long_option(std::string_view word, const std::string* next) {
  const auto equals = word.find('=');
  const std::string name(word.substr(0, equals));
  const auto* option = app_.get_option_no_throw(name);
  if (option == nullptr) return refuse_unknown(name);
  if (takes_value(*option)) {
    const bool missing = equals == std::string_view::npos ? next == nullptr || is_option(*next)
                                                          : equals + 1 == word.size();
    if (missing) {
      return fail(Errc::invalid,
                  fmt::format("{} needs a value: {}", name, option->get_type_name()));
    }
    skip_next_ = equals == std::string_view::npos;
  } else if (equals != std::string_view::npos) {
    const auto value = word.substr(equals + 1);
    if (value != "true" && value != "false") {
      return fail(Errc::invalid, fmt::format("{} takes no value", name));
    }
  }
  return count(option, name);
}

Result<> ArgumentCheck::short_options(std::string_view word, const std::string* next) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    const std::string name{'-', word[i]};
    const auto* option = app_.get_option_no_throw(name);
    if (option == nullptr) return refuse_unknown(word);
    auto good = count(option, name);
    if (!good) return good;
    if (!takes_value(*option)) continue;
    skip_next_ = i + 1 == word.size();  // else the rest of the word is the value: "-ojson"
    if (skip_next_ && (next == nullptr || is_option(*next))) {
      return fail(Errc::invalid,
                  fmt::format("{} needs a value: {}", name, option->get_type_name()));
    }
    break;
  }
  return {};
}

Result<> ArgumentCheck::positional(std::string_view word) {
  if (std::ranges::find(subcommands_, word) != subcommands_.end()) {
    return fail(Errc::invalid, fmt::format("'{}' must directly follow the command", word));
  }
  const auto accepting = app_.get_options([](const CLI::Option* o) { return o->get_positional(); });
  const bool is_last_repeatable = !accepting.empty() && is_repeatable(*accepting.back());
  if (positionals_ >= accepting.size() && !is_last_repeatable) {
    const bool is_second_nic = accepting.size() == 1 &&
                               accepting.front()->get_type_name() == type::kInterface &&
                               InterfaceName::parse(word).has_value();
    return fail(Errc::invalid,
                fmt::format("unexpected argument '{}'{}",
                            printable(word),
                            is_second_nic ? ": name one NIC per run" : ""));
  }
  ++positionals_;
  return {};
}

Result<> ArgumentCheck::count(const CLI::Option* option, std::string_view name) {
  latest_ = option;
  const unsigned times = ++given_[option];
  if (times > 1 && takes_value(*option) && !is_repeatable(*option)) {
    return fail(Errc::invalid, fmt::format("{} is given twice", name));
  }
  return {};
}

// CLI11's parse() expects the words in reverse order.
Result<> bind(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return fail(Errc::invalid, error.what());
  }
  return {};
}

}  // namespace

void add_global_options(CLI::App& app, GlobalOptions& options) {
  const auto parse_path = [](std::string_view text) { return parse_text(text, "a path"); };
  if (app.get_option_no_throw("--output") == nullptr) {
    add_output(app, type::kTextOutput, options.output);
  }
  add_flag(app, "-j,--json", options.json, "print one JSON document (same as -o json)");
  add_flag(app, "-q,--quiet", options.quiet, "print only errors");
  app.add_flag("-v,--verbose", options.verbosity, "print more detail")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_value(app,
            {"--root", type::kDirectory, "inspect this captured tree or bundle instead"},
            store_in(options.root, parse_path));
  add_value(app,
            {"--color", type::kWhen, "use colors (default: auto, only on a terminal)"},
            store_word_in(options.color, kColorModes));
  add_value(app,
            {"--config", type::kFile, "read settings from this file"},
            store_in(options.config, parse_path));
  add_flag(app, "--version", options.version, "print the version and exit");
  add_flag(app, "-h,--help", options.help, "print help and exit");
}

Result<> check_leading_options(const CommandLine& line) {
  CLI::App app;
  app.set_help_flag();
  GlobalOptions global;
  add_global_options(app, global);
  const auto& words = line.arguments;
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(line.leading);
  const auto parsed = parse_arguments(app, {words.begin(), end}, {}, {});
  return parsed ? refuse_dash(line.command) : parsed;
}

namespace {

// Pairs of options that contradict each other. If the first one is given, the user does not want
// what a setting of the second one requests.
constexpr std::pair<const char*, std::string_view> kOverrides[] = {
    {"--output", "--json"},
    {"--json", "--output"},
    {"--for", "--json"},
    {"--for", "--output"},
    {"--results", "--no-save"},
    {"--hugepages", "--for"},
    {"--for", "--hugepages"},
};

// Whether an option on the command line has a higher priority than the setting.
bool is_overridden(const Setting& setting, const CLI::App& app, const ArgumentCheck& check) {
  const auto is_given = [&](const std::string& name) {
    const auto* option = app.get_option_no_throw(name);
    return option != nullptr && check.is_given(option);
  };
  return is_given(setting.option) || std::ranges::any_of(kOverrides, [&](const auto& row) {
           return row.second == setting.option && is_given(row.first);
         });
}

// CLI11 throws an exception for other texts up to release 2.3, and sets errno since then.
bool is_flag_value(const std::string& text) {
  errno = 0;
  try {
    CLI::detail::to_flag_value(text);
  } catch (const std::exception&) {
    return false;
  }
  return errno == 0;
}

// Appends the setting to the arguments.
Result<> add_setting(const Setting& setting,
                     const CLI::Option& option,
                     std::vector<std::string>& arguments) {
  for (const auto& value : setting.values) {
    if (option.get_items_expected_max() == 0 && !is_flag_value(value)) {
      return fail(Errc::invalid,
                  fmt::format("{}: {}: '{}' is neither true nor false",
                              setting.origin,
                              setting.option,
                              printable(value)));
    }
    arguments.push_back(fmt::format("{}={}", setting.option, value));
  }
  return {};
}

}  // namespace

Result<> parse_arguments(CLI::App& app,
                         const std::vector<std::string>& arguments,
                         const std::vector<Setting>& settings,
                         const std::vector<std::string>& subcommands) {
  ArgumentCheck check(app, subcommands);
  auto good = check.run(arguments);
  if (!good) return good;
  std::vector<std::string> all;
  for (const auto& setting : settings) {
    const auto* option = app.get_option_no_throw(setting.option);
    if (option == nullptr || is_overridden(setting, app, check)) continue;
    if (auto added = add_setting(setting, *option, all); !added) return added;
  }
  all.insert(all.end(), arguments.begin(), arguments.end());
  auto bound = bind(app, std::move(all));
  if (bound) return bound;
  // An error in a setting names the variable or file that contains the setting.
  for (const auto& setting : settings) {
    const auto* option = app.get_option_no_throw(setting.option);
    if (option == nullptr || is_overridden(setting, app, check)) continue;
    if (bound.error().message.starts_with(setting.option)) {
      return because(bound.error(), setting.origin);
    }
  }
  return bound;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> option_names_of(const Command* command) {
  CLI::App app;
  app.set_help_flag();
  GlobalOptions global;
  if (command != nullptr) (void)command->add_options(app);
  add_global_options(app, global);
  return option_names(app);
}

}  // namespace manactl::cli
