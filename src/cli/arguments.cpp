// SPDX-License-Identifier: MIT

#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"

namespace manactl::cli {
namespace {

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && !(word[1] >= '0' && word[1] <= '9');
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

bool is_repeatable(const CLI::Option& option) {
  return option.get_items_expected_max() > 1;
}

// Looks at the words before CLI11 does: its sentences are made for programmers, and with
// positional arguments it takes a misspelt option's value for one.
class WordCheck {
 public:
  explicit WordCheck(const CLI::App& app) : app_(app) {}

  Result<> run(const std::vector<std::string>& words);

  bool is_given(const CLI::Option* option) const { return given_.contains(option); }

 private:
  Result<> long_option(std::string_view word, const std::string* next);
  Result<> short_options(std::string_view word, const std::string* next);
  Result<> positional(std::string_view word);
  Result<> count(const CLI::Option* option, std::string_view name);

  const CLI::App& app_;
  std::map<const CLI::Option*, unsigned> given_;
  std::size_t positionals_ = 0;
  bool skip_next_ = false;
};

Result<> WordCheck::run(const std::vector<std::string>& words) {
  bool only_positionals = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string* next = i + 1 < words.size() ? &words[i + 1] : nullptr;
    if (skip_next_) {
      skip_next_ = false;
      continue;
    }
    Result<> good;
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

Result<> WordCheck::long_option(std::string_view word, const std::string* next) {
  const auto equals = word.find('=');
  const std::string name(word.substr(0, equals));
  const auto* option = app_.get_option_no_throw(name);
  if (option == nullptr) {
    return fail(
        Errc::invalid,
        fmt::format(
            "unknown option '{}'{}", printable(name, 60), suggestion(name, option_names(app_))));
  }
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

Result<> WordCheck::short_options(std::string_view word, const std::string* next) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    const std::string name{'-', word[i]};
    const auto* option = app_.get_option_no_throw(name);
    if (option == nullptr) {
      return fail(Errc::invalid, fmt::format("unknown option '{}'", printable(word, 60)));
    }
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

Result<> WordCheck::positional(std::string_view word) {
  const auto takers = app_.get_options([](const CLI::Option* o) { return o->get_positional(); });
  const bool takes_many = !takers.empty() && takers.back()->get_items_expected_max() > 1;
  if (positionals_ >= takers.size() && !takes_many) {
    return fail(Errc::invalid, fmt::format("unexpected word '{}'", printable(word, 60)));
  }
  ++positionals_;
  return {};
}

Result<> WordCheck::count(const CLI::Option* option, std::string_view name) {
  const unsigned times = ++given_[option];
  if (times > 1 && takes_value(*option) && !is_repeatable(*option)) {
    return fail(Errc::invalid, fmt::format("{} is given twice", name));
  }
  return {};
}

// CLI11's parse() wants the words from the last to the first.
Result<> bind(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());
  try {
    app.parse(std::move(words));
  } catch (const CLI::ValidationError& refused) {
    return fail(Errc::invalid, refused.what());
  } catch (const CLI::ParseError& wrong) {
    return fail(Errc::invalid, wrong.what());
  }
  return {};
}

}  // namespace

void add_global_options(CLI::App& app, GlobalOptions& options) {
  const auto parse_when = [](std::string_view text) -> Result<std::string> {
    if (text == "auto" || text == "always" || text == "never") return std::string(text);
    return fail(Errc::invalid,
                fmt::format("'{}' is not auto, always or never{}",
                            printable(text, 40),
                            suggestion(text, {"auto", "always", "never"})));
  };
  const auto parse_path = [](std::string_view text) { return parse_text(text, "a path"); };
  add_flag(app, "--json", options.json, "print one JSON document");
  app.add_flag("-v,--verbose", options.verbosity, "say more; twice: even more")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_value(app,
            {"--root", type::kDirectory, "look at a captured tree or bundle, not at this machine"},
            into(options.root, parse_path));
  add_value(app,
            {"--color", type::kWhen, "colours: auto (the default) means on a terminal"},
            into(options.colour, parse_when));
  add_value(app,
            {"--config", type::kFile, "settings (default: /etc/manactl/config.toml)"},
            into(options.config, parse_path));
  add_flag(app, "--version", options.version, "print the version and end");
  add_flag(app, "-h,--help", options.help, "print help and end");
}

Split split_command(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 3> kWithValue = {"--root", "--color", "--config"};
  Split found;
  bool value_follows = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" && !found.command.empty()) {  // what follows is somebody else's
      found.rest.insert(
          found.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (word == "--config" && i + 1 < words.size()) found.config = words[i + 1];
    if (word.starts_with("--config=")) found.config = word.substr(9);
    const bool is_command =
        found.command.empty() && !value_follows && !word.empty() && !is_option(word);
    value_follows = std::find(kWithValue.begin(), kWithValue.end(), word) != kWithValue.end();
    if (is_command) {
      found.command = word;
      if (i + 1 == words.size()) continue;
      const auto both = fmt::format("{} {}", word, words[i + 1]);
      if (find_command(both) == nullptr) continue;
      found.command = both;
      ++i;
    } else {
      found.rest.push_back(word);
    }
  }
  return found;
}

namespace {

bool is_flag_value(const std::string& text) {
  try {
    CLI::detail::to_flag_value(text);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

Result<> parse_arguments(CLI::App& app,
                         const std::vector<std::string>& words,
                         const std::vector<Setting>& settings) {
  WordCheck check(app);
  auto good = check.run(words);
  if (!good) return good;
  // One that is wrong is told from the words' own mistakes by where it was set.
  std::vector<std::string> all;
  for (const auto& setting : settings) {
    const auto* option = app.get_option_no_throw(setting.option);
    if (option == nullptr || check.is_given(option)) continue;
    for (const auto& value : setting.values) {
      if (option->get_items_expected_max() == 0 && !is_flag_value(value)) {
        return fail(Errc::invalid,
                    fmt::format("{}: {}: '{}' is neither true nor false",
                                setting.origin,
                                setting.option,
                                printable(value, 60)));
      }
      all.push_back(fmt::format("{}={}", setting.option, value));
    }
  }
  all.insert(all.end(), words.begin(), words.end());
  auto bound = bind(app, std::move(all));
  if (bound) return bound;
  for (const auto& setting : settings) {
    const auto* option = app.get_option_no_throw(setting.option);
    if (option == nullptr || check.is_given(option)) continue;
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

}  // namespace manactl::cli
