// SPDX-License-Identifier: MIT
//
// The outputs about the kernel: uname, lsmod (tools/lsmod.c of kmod), messages of modprobe, the
// kernel's configuration, and os-release(5).

#include <algorithm>
#include <span>

#include "base/quotes.h"
#include "base/text.h"
#include "host/driver_modules.h"
#include "host/ticket/formats.h"

namespace manactl::host {
namespace {

bool is_known_module(std::string_view name) {
  return std::ranges::find(kDriverModules, name, &DriverModule::name) != kDriverModules.end();
}

// The modules of MANA are the first ones.
constexpr auto kManaModules = std::span(kDriverModules).first<2>();

// True if the command names the directory of the running kernel.
bool is_of_running_kernel(const TicketOutput& output) {
  return output.command.find("/$(uname -r)") != output.command.npos ||
         output.command.find("/`uname -r`") != output.command.npos;
}

// ---- uname --------------------------------------------------------------------------------------

bool is_uname(const TicketWords& words) {
  return words.size() == 2 && words[0] == "uname" && (words[1] == "-a" || words[1] == "-r");
}

bool is_uname_line(std::string_view line) {
  return line.starts_with("Linux ") && line.ends_with("GNU/Linux") && words(line).size() > 5;
}

bool parse_uname(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  if (output.lines > 0) return false;
  const auto all = words(line);
  if (is_uname_line(line)) {
    statements.add_host(all[1]);
    statements.add("kernel release", std::string(all[2]));
    statements.add("kernel machine", std::string(all[all.size() - 2]));
    return true;
  }
  const bool is_release =
      output.command.ends_with("-r") && all.size() == 1 && Release::parse(all[0]).has_value();
  if (is_release) statements.add("kernel release", std::string(all[0]));
  return is_release;
}

// ---- the start of the kernel --------------------------------------------------------------------

constexpr std::string_view kVersionMessage = "Linux version ";

// "[    0.000000] Linux version 6.6.87-vyos (user@host) (gcc ...) #1 SMP"
bool is_version_message(std::string_view line) {
  const auto at = line.find(kVersionMessage);
  return at != line.npos && line.find(" (", at) != line.npos &&
         Release::parse(line.substr(at + kVersionMessage.size())).has_value();
}

bool parse_version_message(std::string_view line,
                           TicketOutput& /*output*/,
                           TicketStatements& statements) {
  const auto rest = line.substr(line.find(kVersionMessage) + kVersionMessage.size());
  statements.add("kernel release", std::string(rest.substr(0, rest.find(' '))));
  return true;
}

// ---- lsmod and modprobe -------------------------------------------------------------------------

bool is_lsmod(const TicketWords& words) {
  return words.size() == 1 && words[0] == "lsmod";
}

bool is_lsmod_header(std::string_view line) {
  const auto all = words(line);
  return all.size() == 4 && all[0] == "Module" && all[1] == "Size" && all[2] == "Used";
}

void add_loaded(std::string_view name, TicketOutput& output, TicketStatements& statements) {
  if (!is_known_module(name)) return;
  output.seen.emplace(name);
  statements.add(fmt::format("module {} loaded", name), "yes");
}

bool parse_lsmod(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  if (is_lsmod_header(line)) {
    output.note = "header";
    return output.lines == 0;
  }
  const auto all = words(line);
  const bool is_row = all.size() >= 3 && all.size() <= 4 && is_all_digits(all[1]);
  if (!is_row) return false;
  add_loaded(all[0], output, statements);
  if (all.size() < 4) return true;
  for (const auto user : split(all[3], ',')) add_loaded(user, output, statements);
  return true;
}

// A module that a complete list lacks is not loaded; it may be built in.
void finish_lsmod(const TicketOutput& output, TicketStatements& statements) {
  const auto filter = filter_of_pipe(output.command);
  const bool is_whole = output.note == "header" || !filter.patterns.empty();
  if (!output.is_complete || !is_whole) return;
  for (const auto& module : kDriverModules) {
    const bool is_listed = output.seen.contains(std::string(module.name));
    if (!is_listed && filter.keeps(module.name)) {
      statements.renew(fmt::format("module {} loaded", module.name), "no");
    }
  }
}

// "modprobe: FATAL: Module mana not found in directory /lib/modules/6.6.87-vyos", "modinfo: ERROR:
// Module mana not found."
std::string_view missing_module(std::string_view line) {
  constexpr std::string_view kModule = " Module ";
  constexpr std::string_view kNotFound = " not found";
  const bool is_message =
      line.starts_with("modprobe: FATAL:") || line.starts_with("modinfo: ERROR:");
  const auto at = line.find(kModule);
  if (!is_message || at == line.npos) return {};
  const auto rest = line.substr(at + kModule.size());
  const auto name = rest.substr(0, rest.find(' '));
  return rest.substr(name.size()).starts_with(kNotFound) ? name : std::string_view();
}

bool is_missing_module(std::string_view line) {
  return is_known_module(missing_module(line));
}

bool parse_missing_module(std::string_view line,
                          TicketOutput& output,
                          TicketStatements& statements) {
  if (output.lines > 0 || !is_missing_module(line)) return false;
  statements.add(fmt::format("module {} missing", missing_module(line)), "yes");
  return true;
}

// ---- the files of modules -----------------------------------------------------------------------

constexpr std::string_view kModules = "/lib/modules/";

// "find /lib/modules/$(uname -r) -name 'mana*'"
bool is_find(const TicketWords& words) {
  return words.size() > 1 && words[0] == "find" && words[1].starts_with(kModules);
}

// "/lib/modules/6.8.0-1052-azure/kernel/drivers/net/ethernet/microsoft/mana/mana.ko.zst"
bool parse_module_file(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  if (!line.starts_with(kModules) || words(line).size() != 1) return false;
  const auto release =
      line.substr(kModules.size(), line.find('/', kModules.size()) - kModules.size());
  if (is_of_running_kernel(output)) statements.add("kernel release", std::string(release));
  const auto file = line.substr(line.rfind('/') + 1);
  const auto name = file.substr(0, file.find(".ko"));
  if (name.size() < file.size()) output.seen.emplace(name);
  return true;
}

// If mana is a module, mana_ib cannot be built in.
void finish_find(const TicketOutput& output, TicketStatements& statements) {
  constexpr std::string_view kName = " -name ";
  const auto at = output.command.rfind(kName);
  if (!output.is_complete || !is_of_running_kernel(output) || at == output.command.npos) return;
  const auto pattern = unquoted(std::string_view(output.command).substr(at + kName.size()));
  const bool finds_both = pattern == "mana*" || pattern == "*mana*" || pattern == "mana\\*";
  if (finds_both && output.seen.contains("mana") && !output.seen.contains("mana_ib")) {
    statements.add("module mana_ib missing", "yes");
  }
}

// ---- the configuration of the kernel ------------------------------------------------------------

// "grep MANA /boot/config-6.8.0-45-azure", "zgrep -i mana /proc/config.gz", "cat /proc/config.gz"
bool is_config(const TicketWords& words) {
  const auto is_file = [](auto word) {
    return word.starts_with("/boot/config") || word == "/proc/config.gz";
  };
  const bool is_program =
      !words.empty() && (words[0] == "grep" || words[0] == "zgrep" || words[0] == "egrep" ||
                         words[0] == "cat" || words[0] == "zcat");
  return is_program && std::ranges::any_of(words, is_file);
}

// Returns the release in the name of a file: "/boot/config-6.8.0-45-azure". Empty for the kernel
// that runs.
std::string_view release_of_file(std::string_view path) {
  constexpr std::string_view kFile = "/boot/config-";
  if (!path.starts_with(kFile) || path.find_first_of("$`*") != path.npos) return {};
  return path.substr(kFile.size());
}

struct ConfigLine {
  std::string_view option, value, release;
};

// "CONFIG_X=m", "# CONFIG_X is not set", "/boot/config-6.8.0-45-azure:CONFIG_X=y"
ConfigLine config_in(std::string_view line) {
  constexpr std::string_view kNotSet = " is not set";
  ConfigLine found;
  const auto colon = line.find(':');
  if (line.starts_with("/boot/config-") && colon != line.npos) {
    found.release = release_of_file(line.substr(0, colon));
    line = trim(line.substr(colon + 1));
  }
  if (line.starts_with("# CONFIG_") && line.ends_with(kNotSet)) {
    found.option = line.substr(2, line.size() - kNotSet.size() - 2);
    found.value = "n";
    return found;
  }
  const auto equals = line.find('=');
  if (!line.starts_with("CONFIG_") || equals == line.npos) return {};
  found.option = line.substr(0, equals);
  found.value = line.substr(equals + 1);
  return found;
}

bool is_mana_config(std::string_view line) {
  const auto option = config_in(line).option;
  return std::ranges::find(kManaModules, option, &DriverModule::option) != kManaModules.end();
}

std::string config_key(std::string_view option, std::string_view release) {
  return release.empty() ? fmt::format("config {}", option)
                         : fmt::format("config {} {}", option, release);
}

// The release of the file that the command names, if it names only one.
std::string_view release_of_command(const TicketOutput& output) {
  std::string_view release;
  for (const auto word : words(output.command)) {
    if (word.starts_with("/boot/config")) release = release_of_file(word);
  }
  return release;
}

bool parse_config(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  const auto found = config_in(line);
  if (found.option.empty()) return false;
  const bool is_known = std::ranges::find(kDriverModules, found.option, &DriverModule::option) !=
                        kDriverModules.end();
  if (!is_known) return true;
  output.seen.emplace(found.option);
  const auto release = found.release.empty() ? release_of_command(output) : found.release;
  statements.add(config_key(found.option, release), std::string(found.value));
  return true;
}

// An option that grep must have printed, but did not, does not exist in this kernel.
void finish_config(const TicketOutput& output, TicketStatements& statements) {
  const auto all = words(std::string_view(output.command).substr(0, output.command.find(" | ")));
  const bool is_grep = !all.empty() && all[0].ends_with("grep");
  const bool has_wildcard = output.command.find('*') != output.command.npos;
  if (!output.is_complete || !is_grep || has_wildcard) return;
  const auto filter = filter_of_grep(all);
  const auto pipe = filter_of_pipe(output.command);
  for (const auto& module : kManaModules) {
    const bool is_shown = output.seen.contains(std::string(module.option));
    const bool is_kept = filter.keeps(module.option) && pipe.is_known && pipe.patterns.empty();
    if (!is_shown && is_kept)
      statements.add(config_key(module.option, release_of_command(output)), "n");
  }
}

// ---- os-release ---------------------------------------------------------------------------------

bool is_os_release(const TicketWords& words) {
  return words.size() == 2 && words[0] == "cat" && words[1].ends_with("/os-release");
}

bool is_os_release_line(std::string_view line) {
  return line.starts_with("PRETTY_NAME=\"") || line.starts_with("NAME=\"");
}

bool parse_os_release(std::string_view line,
                      TicketOutput& /*output*/,
                      TicketStatements& statements) {
  const auto equals = line.find('=');
  if (equals == line.npos || equals == 0 || line.substr(0, equals).find(' ') != line.npos) {
    return false;
  }
  const auto value = unquoted(line.substr(equals + 1));
  if (line.starts_with("ID=")) statements.add("os id", std::string(value));
  if (line.starts_with("VERSION_ID=")) statements.add("os version", std::string(value));
  return true;
}

}  // namespace

std::vector<TicketFormat> kernel_formats() {
  return {
      {"uname", is_uname, is_uname_line, parse_uname},
      {"lsmod", is_lsmod, is_lsmod_header, parse_lsmod, finish_lsmod},
      {"modprobe", nullptr, is_missing_module, parse_missing_module},
      {"find", is_find, nullptr, parse_module_file, finish_find},
      {"kernel configuration", is_config, is_mana_config, parse_config, finish_config},
      {"os-release", is_os_release, is_os_release_line, parse_os_release},
      {"kernel log", nullptr, is_version_message, parse_version_message, nullptr, true},
  };
}

}  // namespace manactl::host
