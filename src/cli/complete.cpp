// SPDX-License-Identifier: MIT

#include "cli/complete.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/complete_values.h"
#include "cli/options.h"
#include "cli/settings.h"

namespace manactl::cli {
namespace {

// Undoes the word splitting of bash at '=': joins "--color", "=" and "al" to "--color=al".
std::vector<std::string> join_at_equals(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "=" || out.empty() || !out.back().starts_with("--")) {
      out.push_back(words[i]);
      continue;
    }
    out.back() += '=';
    if (i + 1 < words.size()) out.back() += words[++i];
  }
  return out;
}

// Returns the words after `first` in command names: "check" for "", "compare" for "bench ".
Candidates command_words(std::string_view first) {
  Candidates found;
  for (const auto& command : commands()) {
    if (!command.name.starts_with(first)) continue;
    const auto word = command.name.substr(first.size());
    if (word.find(' ') != std::string_view::npos) continue;
    found.push_back({std::string(word), std::string(command.summary)});
  }
  return found;
}

Candidates unused_options(const CLI::App& app, const std::vector<std::string>& typed) {
  Candidates found;
  for (const auto& name : option_names(app)) {
    const auto* option = app.get_option(name);
    const bool repeatable = option->get_items_expected_max() > 1 || name == "--verbose";
    const bool given = std::any_of(typed.begin(), typed.end(), [&](const std::string& word) {
      return word == name || word.starts_with(name + "=");
    });
    if (given && !repeatable) continue;
    found.push_back({name, option->get_description()});
  }
  return found;
}

// Prepends the earlier elements of a list: if "rdma,mem" is typed, "memory" becomes "rdma,memory".
Candidates with_prefix(Candidates candidates, const std::string& prefix) {
  for (auto& candidate : candidates) {
    if (!candidate.word.starts_with(':')) candidate.word.insert(0, prefix);
  }
  return candidates;
}

// Checks that no shell gives a character of the word a special meaning. Shells insert candidates
// into the command line, and names of interfaces may come from a bundle that an attacker wrote.
bool is_plain_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:=@+";
  // zsh replaces "=ls" by the path of ls.
  return !word.starts_with('=') && word.find_first_not_of(kPlain) == std::string_view::npos;
}

class Completion {
 public:
  Completion(Context& context, std::vector<std::string> words) : context_(context) {
    current_ = words.empty() ? "" : words.back();
    if (!words.empty()) words.pop_back();
    typed_ = std::move(words);
    app_.set_help_flag();
    command_ = find_command(split_command_line(typed_).command);
    if (command_ != nullptr) (void)command_->add_options(app_);
    add_global_options(app_, global_);
    context_.root = typed_value(typed_, "--root");
    const auto results = typed_value(typed_, "--results");
    if (!results.empty()) context_.results = results;
  }

  Candidates candidates() {
    if (command_ != nullptr && command_->name == "sim") {
      // After "--", the words belong to the program that sim runs.
      const auto separator = std::ranges::find(typed_, "--");
      if (separator != typed_.end()) {
        return {{std::next(separator) == typed_.end() ? ":commands" : ":files", ""}};
      }
    }
    if (const auto* option = option_before()) return list_values(*option, current_, "");
    const auto equals = current_.find('=');
    if (current_.starts_with("--") && equals != std::string::npos) {
      const auto* option = app_.get_option_no_throw(current_.substr(0, equals));
      if (option == nullptr || option->get_items_expected_max() == 0) return {};
      return list_values(*option, current_.substr(equals + 1), current_.substr(0, equals + 1));
    }
    if (current_.starts_with('-')) return unused_options(app_, typed_);
    if (command_ == nullptr) {
      if (!split_command_line(typed_).command.empty()) return {};
      auto found = command_words("");
      const bool after_help = std::ranges::find(typed_, "help") != typed_.end();
      if (after_help) {
        const auto checks = check_values();
        found.insert(found.end(), checks.begin(), checks.end());
      } else {
        found.push_back({"help", "Show the help of a command or a check"});
        found.push_back({"version", "Print the version"});
      }
      return found;
    }
    auto found = positional_values();
    if (!typed_.empty() && typed_.back() == command_->name) {
      auto words = command_words(fmt::format("{} ", command_->name));
      found.insert(found.end(), words.begin(), words.end());
    }
    return found;
  }

  const std::string& current() const { return current_; }

 private:
  std::string_view command_name() const {
    return command_ != nullptr ? command_->name : std::string_view();
  }

  Candidates positional_values() {
    const auto positionals =
        app_.get_options([](const CLI::Option* o) { return o->get_positional(); });
    const auto typed = typed_positionals();
    if (typed < positionals.size()) return values_of(*positionals[typed], command_name(), context_);
    const bool is_last_repeatable =
        !positionals.empty() && positionals.back()->get_items_expected_max() > 1;
    return is_last_repeatable ? values_of(*positionals.back(), command_name(), context_)
                              : Candidates{};
  }

  // Counts words that are neither options nor option values.
  std::size_t typed_positionals() const {
    std::size_t count = 0;
    bool value_follows = false;
    for (const auto& word : split_command_line(typed_).arguments) {
      const auto* option = word.starts_with('-') ? app_.get_option_no_throw(word) : nullptr;
      if (!value_follows && (word == "-" || !word.starts_with('-'))) ++count;
      value_follows = !value_follows && option != nullptr && option->get_items_expected_max() > 0;
    }
    return count;
  }

  const CLI::Option* option_before() const {
    if (typed_.empty() || !typed_.back().starts_with('-')) return nullptr;
    const auto* option = app_.get_option_no_throw(typed_.back());
    return option != nullptr && option->get_items_expected_max() > 0 ? option : nullptr;
  }

  Candidates list_values(const CLI::Option& option, const std::string& text, std::string prefix) {
    const auto comma = text.rfind(',');
    const bool list = option.get_type_name() == type::kCheck && comma != std::string::npos;
    if (list) prefix += text.substr(0, comma + 1);
    return with_prefix(values_of(option, command_name(), context_), prefix);
  }

  Context& context_;
  CLI::App app_;
  GlobalOptions global_;
  const Command* command_ = nullptr;
  std::vector<std::string> typed_;
  std::string current_;
};

nlohmann::ordered_json options_json(const CLI::App& app, std::string_view command) {
  auto options = nlohmann::ordered_json::array();
  for (const auto& name : option_names(app)) {
    const auto* option = app.get_option(name);
    nlohmann::ordered_json row;
    row["name"] = name;
    if (!option->get_snames().empty()) row["short"] = "-" + option->get_snames().front();
    if (option->get_items_expected_max() > 0) row["type"] = option->get_type_name();
    row["description"] = option->get_description();
    row["variable"] = variable_of(command, name);
    options.push_back(std::move(row));
  }
  return options;
}

}  // namespace

Exit complete(std::vector<std::string> words, Context& context) {
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  Completion completion(context, join_at_equals(words));
  for (const auto& [word, description] : completion.candidates()) {
    if (!word.starts_with(':') && !word.starts_with(completion.current())) continue;
    if (!is_plain_word(word)) continue;
    context.out.stream() << word;
    if (!description.empty()) context.out.stream() << '\t' << printable(description);
    context.out.stream() << '\n';
  }
  return Exit::ok;
}

Exit describe_commands(Context& context) {
  nlohmann::ordered_json json;
  CLI::App global_app;
  global_app.set_help_flag();
  GlobalOptions global;
  add_global_options(global_app, global);
  json["options"] = options_json(global_app, {});
  json["commands"] = nlohmann::ordered_json::array();
  for (const auto& command : commands()) {
    CLI::App app;
    app.set_help_flag();
    (void)command.add_options(app);
    json["commands"].push_back({{"name", command.name},
                                {"usage", command.usage},
                                {"summary", command.summary},
                                {"options", options_json(app, command.name)}});
  }
  context.out.stream() << json.dump(2) << '\n';
  return Exit::ok;
}

}  // namespace manactl::cli
