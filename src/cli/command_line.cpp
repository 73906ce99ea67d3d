// SPDX-License-Identifier: MIT

#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "cli/command.h"

namespace manactl::cli {
namespace {

// Other words for commands, which users of similar programs know.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"bench ls", "bench list"}, {"bench remove", "bench rm"}, {"bench delete", "bench rm"}};

// Returns the command that `name` stands for, or `name` itself.
std::string_view without_alias(std::string_view name) {
  for (const auto& [alias, command] : kAliases) {
    if (alias == name) return command;
  }
  return name;
}

}  // namespace

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && !(word[1] >= '0' && word[1] <= '9');
}

CommandLine split_command_line(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 5> kWithValue = {
      "--root", "--color", "--config", "--output", "-o"};
  CommandLine found;
  bool value_follows = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" && !found.command.empty()) {  // the rest is for the program that sim runs
      found.arguments.insert(
          found.arguments.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (word == "--config" && i + 1 < words.size()) found.config = words[i + 1];
    if (word.starts_with("--config=")) found.config = word.substr(9);
    const bool is_command =
        found.command.empty() && !value_follows && !word.empty() && !is_option(word);
    value_follows = std::find(kWithValue.begin(), kWithValue.end(), word) != kWithValue.end();
    if (is_command) {
      found.command = word;
      found.leading = found.arguments.size();
      if (i + 1 == words.size()) continue;
      const auto both = fmt::format("{} {}", word, words[i + 1]);
      const auto* command = find_command(without_alias(both));
      if (command == nullptr) continue;
      found.command = command->name;
      ++i;
    } else {
      found.arguments.push_back(word == "-V" && found.command.empty() ? "--version" : word);
    }
  }
  const bool asks_for_help =
      !found.command.empty() && found.arguments == std::vector<std::string>{"help"};
  if (asks_for_help) found.arguments = {"--help"};
  if (found.command != "help" && found.command != "version") return found;
  const auto option = "--" + std::exchange(found.command, {});
  if (option == "--help") found = split_command_line(found.arguments);
  found.arguments.insert(found.arguments.begin(), option);
  ++found.leading;
  return found;
}

bool asks_for_json(const CommandLine& line) {
  if (is_typed(line.arguments, "--json") || is_typed(line.arguments, "-j")) return true;
  const auto end = std::ranges::find(line.arguments, "--");
  const auto text =
      fmt::format(" {} ", join(std::vector<std::string>(line.arguments.begin(), end), " "));
  return std::ranges::any_of(
      std::array{" -o json ", " -ojson ", " --output json ", " --output=json "},
      [&text](const char* words) { return text.find(words) != text.npos; });
}

bool is_typed(const std::vector<std::string>& arguments, const std::string& option) {
  const auto end = std::ranges::find(arguments, "--");
  return std::any_of(arguments.begin(), end, [&option](const std::string& word) {
    return word == option || word.starts_with(option + "=");
  });
}

std::string typed_value(const std::vector<std::string>& arguments, const std::string& option) {
  const auto assignment = option + "=";
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i].starts_with(assignment)) return arguments[i].substr(assignment.size());
    if (arguments[i] == option && i + 1 < arguments.size()) return arguments[i + 1];
  }
  return {};
}

}  // namespace manactl::cli
