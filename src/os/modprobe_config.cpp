// SPDX-License-Identifier: MIT

#include "os/modprobe_config.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"

namespace manactl::os {
namespace {

bool line_blocks(std::string_view line, std::string_view key) {
  const auto parts = words(line);
  if (parts.size() < 2 || parts.front().starts_with('#') || module_key(parts[1]) != key) {
    return false;
  }
  if (parts.front() == "blacklist") return true;
  return parts.front() == "install" && parts.size() > 2 && is_refusal_program(parts[2]);
}

bool text_blocks(std::string text, std::string_view key) {
  for (auto at = text.find("\\\n"); at != std::string::npos; at = text.find("\\\n", at)) {
    text.erase(at, 2);  // a backslash at the end continues the line
  }
  const auto lines = split(text, '\n');
  return std::ranges::any_of(lines, [&](auto line) { return line_blocks(line, key); });
}

// Maps file names to paths. A file hides files of the same name in later directories.
Result<std::map<std::string, std::string>> configuration_files(const Files& files) {
  std::map<std::string, std::string> found;
  for (const char* dir : {"etc/modprobe.d",
                          "run/modprobe.d",
                          "usr/local/lib/modprobe.d",
                          "usr/lib/modprobe.d",
                          "lib/modprobe.d"}) {
    const auto names = files.list(dir);
    if (!names && names.error().code != Errc::not_found) {
      return tl::unexpected<Error>(names.error());
    }
    if (!names) continue;
    for (const auto& name : *names) {
      if (name.ends_with(".conf")) found.try_emplace(name, fmt::format("{}/{}", dir, name));
    }
  }
  return found;
}

// Whether this parameter of the kernel command line blacklists the module.
bool word_blocks(std::string_view word, std::string_view key) {
  const auto equals = word.find('=');
  const auto option = word.substr(0, equals);
  if (equals == std::string_view::npos ||
      (option != "modprobe.blacklist" && option != "module_blacklist")) {
    return false;
  }
  const auto names = split(word.substr(equals + 1), ',');
  return std::ranges::any_of(names, [&](auto name) { return module_key(name) == key; });
}

bool command_line_blocks(const Files& files, std::string_view key) {
  const auto line = files.read("proc/cmdline", 1U << 16);
  if (!line) return false;
  const auto options = words(*line);
  return std::ranges::any_of(options, [&](auto word) { return word_blocks(word, key); });
}

}  // namespace

std::string module_key(std::string_view name) {
  std::string key(name);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

bool is_refusal_program(std::string_view program) {
  const auto name = program.substr(program.rfind('/') + 1);
  return name == "false" || name == "true";
}

Result<std::optional<std::string>> blocking_file(const Files& files, std::string_view name) {
  const auto key = module_key(name);
  const auto paths = configuration_files(files);
  if (!paths) return tl::unexpected<Error>(paths.error());
  for (const auto& [unused, path] : *paths) {
    const auto text = files.read(path, 1U << 20);
    if (!text && text.error().code == Errc::not_found) continue;
    if (!text) return tl::unexpected<Error>(text.error());
    if (text_blocks(*text, key)) return path;
  }
  if (command_line_blocks(files, key)) return std::string("proc/cmdline");
  return std::optional<std::string>{};
}

}  // namespace manactl::os
