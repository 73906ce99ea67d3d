// SPDX-License-Identifier: MIT

#include "cli/command_hints.h"

#include <algorithm>

#include "base/characters.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "diag/doctor.h"

namespace manactl::cli {
namespace {

constexpr const char* kDryRun = "--dry-run";

// Returns the command at the beginning of `text`, or null. "bench show" also begins with "bench".
const Command* command_at(std::string_view text) {
  const Command* found = nullptr;
  for (const auto& command : commands()) {
    const auto size = command.name.size();
    const bool is_whole_word =
        text.size() == size || (text.size() > size && !is_alphanumeric(text[size]));
    const bool is_longer = found == nullptr || size > found->name.size();
    if (is_longer && is_whole_word && text.starts_with(command.name)) found = &command;
  }
  return found;
}

bool accepts(const Command& command, const std::string& option, bool is_dry_run) {
  if (option == "--root" && command.root != RootUse::inspects) {
    return is_dry_run && command.name == "prepare";
  }
  // A dry run of restore does not remove what the message is about.
  if (option == kDryRun && command.name == "restore") return false;
  const auto names = option_names_of(&command);
  return std::ranges::find(names, option) != names.end();
}

void complete_remedy(const CommandHints& hints, diag::Remedy& remedy) {
  remedy.why = hints.complete(remedy.why);
  hints.complete(remedy.commands);
  for (auto& other : remedy.others) complete_remedy(hints, other);
}

void complete_item(const CommandHints& hints, diag::Diagnosis::Item& item) {
  item.cause = hints.complete(item.cause);
  item.fix = hints.complete(item.fix);
  item.note = hints.complete(item.note);
  hints.complete(item.commands);
  for (auto& alternative : item.alternatives) {
    alternative.cause = hints.complete(alternative.cause);
    alternative.confirm = hints.complete(alternative.confirm);
  }
  for (auto& other : item.other_fixes) complete_remedy(hints, other);
}

}  // namespace

CommandHints::CommandHints(const Context& context) {
  const auto add = [this](const std::string& name, const std::string& value) {
    if (!value.empty()) options_.push_back({name, fmt::format(" {} {}", name, shell_word(value))});
  };
  if (context.is_dry_run) options_.push_back({kDryRun, fmt::format(" {}", kDryRun)});
  add("--root", context.root);
  for (const auto* name : {"--results", "--config"})
    add(name, typed_value(context.arguments, name));
}

std::string CommandHints::complete(std::string_view text) const {
  constexpr std::string_view kProgram = "manactl ";
  const bool is_dry_run = !options_.empty() && options_.front().name == kDryRun;
  std::string completed;
  while (!options_.empty()) {
    const auto at = text.find(kProgram);
    if (at == std::string_view::npos) break;
    completed += text.substr(0, at + kProgram.size());
    text.remove_prefix(at + kProgram.size());
    const auto* command = command_at(text);
    if (command == nullptr) continue;
    completed += command->name;
    text.remove_prefix(command->name.size());
    std::string added;
    for (const auto& [name, words] : options_) {
      if (accepts(*command, name, is_dry_run)) added += words;
    }
    if (!text.starts_with(added)) completed += added;
  }
  return completed.append(text);
}

void CommandHints::complete(std::vector<std::string>& texts) const {
  for (auto& text : texts) text = complete(text);
}

void CommandHints::complete(diag::Report& report) const {
  for (auto& outcome : report.outcomes) {
    auto& finding = outcome.finding;
    finding.detail = complete(finding.detail);
    if (finding.remedy) complete_remedy(*this, *finding.remedy);
  }
}

void CommandHints::complete(diag::Diagnosis& diagnosis) const {
  if (diagnosis.root) complete_item(*this, *diagnosis.root);
  for (auto* items : {&diagnosis.others, &diagnosis.consequences, &diagnosis.unexplained}) {
    for (auto& item : *items) complete_item(*this, item);
  }
}

}  // namespace manactl::cli
