// SPDX-License-Identifier: MIT

#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"
#include "cli/arguments.h"
#include "diag/check.h"

namespace manactl::cli {
namespace {

constexpr unsigned kDescriptionColumn = 28;
constexpr std::string_view kPurpose =
    "manactl checks, prepares and measures the Microsoft Azure Network Adapter (MANA).";

}  // namespace

void print_row(Screen& screen, const std::string& left, const std::string& right) {
  const auto gap = left.size() + 4 <= kDescriptionColumn
                       ? std::string(kDescriptionColumn - left.size() - 2, ' ')
                       : "\n" + std::string(kDescriptionColumn, ' ');
  write_indented(screen, "  " + screen.paint(Color::bold, left) + gap, right);
}

namespace {

void print_heading(Screen& screen, std::string_view text) {
  screen.stream() << '\n' << text << '\n';
}

void print_options(Screen& screen, const CLI::App& app, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    print_row(screen, option_heading(app, name), app.get_option(name)->get_description());
  }
}

}  // namespace

std::string option_heading(const CLI::App& app, const std::string& option) {
  const auto* found = app.get_option(option);
  std::string text;
  for (const auto& letter : found->get_snames()) text += "-" + letter + ", ";
  text += option;
  if (found->get_items_expected_max() > 0) text += " " + found->get_type_name();
  return text;
}

void print_overview(Screen& screen) {
  constexpr std::pair<const char*, const char*> kSteps[] = {
      {"manactl status", "show which driver owns each NIC"},
      {"manactl check", "check whether this VM is ready for MANA"},
      {"manactl prepare eth1", "bind eth1 to user space and reserve hugepages"},
      {"manactl args", "print the arguments for DPDK programs"},
      {"manactl bench eth1", "measure the packet rates of eth1"},
      {"manactl doctor", "find the root cause of a failure (--log FILE reads a log)"},
      {"manactl restore eth1", "undo the changes of prepare"}};
  auto& out = screen.stream();
  out << wrap(kPurpose, screen.width(), 0) << '\n';
  print_heading(screen, "First steps");
  for (const auto& [command, purpose] : kSteps) print_row(screen, command, purpose);
  out << "\nSee also: manactl help, manactl help COMMAND\n";
}

void print_help(Screen& screen) {
  auto& out = screen.stream();
  out << wrap(kPurpose, screen.width(), 0) << "\n\nUsage: manactl COMMAND [OPTION]...\n";
  print_heading(screen, "Commands");
  for (const auto& command : commands()) {
    print_row(screen, std::string(command.name), std::string(command.summary));
  }
  CLI::App app;
  app.set_help_flag();
  GlobalOptions unused;
  add_global_options(app, unused);
  print_heading(screen, "Global options");
  print_options(screen, app, option_names(app));
  const auto topics = fmt::format(
      "See also: manactl help COMMAND, CHECK (such as rdma.driver-id) or GROUP ({}), man manactl",
      fmt::join(diag::check_groups(), ", "));
  out << '\n' << wrap(topics, screen.width(), 0) << '\n';
}

void print_help(Screen& screen, const Command& command, const CLI::App& app) {
  auto& out = screen.stream();
  out << command.summary << "\n\nUsage: manactl " << command.name << ' ' << command.usage << '\n';
  auto global = option_names_of(nullptr);
  std::vector<std::string> own;
  for (const auto& name : option_names(app)) {
    if (std::find(global.begin(), global.end(), name) == global.end()) own.push_back(name);
  }
  if (!own.empty()) {
    print_heading(screen, "Options");
    print_options(screen, app, own);
  }
  if (command.root == RootUse::none) std::erase(global, "--root");  // it is refused
  print_heading(screen, "Global options");
  print_options(screen, app, global);
  print_heading(screen, "Examples");
  for (const auto& example : command.examples) out << "  " << example << '\n';
  std::string page(command.name);
  std::replace(page.begin(), page.end(), ' ', '-');
  out << "\nSee also: man manactl-" << page << '\n';
}

}  // namespace manactl::cli
