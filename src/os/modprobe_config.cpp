// SPDX-License-Identifier: MIT

#include "os/modprobe_config.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"

namespace manactl::os {
namespace {

constexpr const char* kCommandLine = "proc/cmdline";

// Returns the name of the module that this line blocks, or nothing.
std::string_view blocked_by_line(std::string_view line) {
  const auto parts = words(line);
  if (parts.size() < 2) return {};
  const bool blocks = parts[0] == "blacklist" ||
                      (parts[0] == "install" && parts.size() > 2 && is_refusal_program(parts[2]));
  return blocks ? parts[1] : std::string_view();
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

std::string joined_lines(std::string_view text) {
  constexpr std::string_view kContinued = "\\\n";
  std::string joined;
  joined.reserve(text.size());
  for (;;) {
    const auto end = text.find(kContinued);
    joined += text.substr(0, end);
    if (end == std::string_view::npos) return joined;
    text.remove_prefix(end + kContinued.size());
  }
}

ModprobeConfig::ModprobeConfig(const Files& files) : complete_(read(files)) {}

// The first file that blocks a module counts.
Result<> ModprobeConfig::read(const Files& files) {
  const auto paths = configuration_files(files);
  if (!paths) return tl::unexpected<Error>(paths.error());
  for (const auto& [unused, path] : *paths) {
    const auto text = files.read(path, 1U << 20);
    if (!text && text.error().code == Errc::not_found) continue;
    if (!text) return tl::unexpected<Error>(text.error());
    auto added = add_file(joined_lines(*text), path);
    if (!added) return added;
  }
  const auto text = files.read(kCommandLine, 1U << 16);
  if (text) return add_command_line(*text);
  if (text.error().code == Errc::not_found) return {};
  return tl::unexpected<Error>(text.error());
}

Result<> ModprobeConfig::add(std::string_view name, const std::string& path) {
  if (blocking_files_.size() >= kMaxModules && !blocking_files_.contains(module_key(name))) {
    return fail(Errc::invalid,
                fmt::format("the files of modprobe.d block more than {} modules", kMaxModules));
  }
  blocking_files_.try_emplace(module_key(name), path);
  return {};
}

Result<> ModprobeConfig::add_file(std::string_view text, const std::string& path) {
  for (const auto line : split(text, '\n')) {
    const auto name = blocked_by_line(line);
    if (name.empty()) continue;
    auto added = add(name, path);
    if (!added) return added;
  }
  return {};
}

Result<> ModprobeConfig::add_command_line(std::string_view text) {
  for (const auto word : words(text)) {
    const auto equals = word.find('=');
    const auto option = word.substr(0, equals);
    if (equals == std::string_view::npos ||
        (option != "modprobe.blacklist" && option != "module_blacklist")) {
      continue;
    }
    for (const auto name : split(word.substr(equals + 1), ',')) {
      auto added = add(name, kCommandLine);
      if (!added) return added;
    }
  }
  return {};
}

Result<std::optional<std::string>> ModprobeConfig::blocking_file(std::string_view name) const {
  const auto found = blocking_files_.find(module_key(name));
  if (found != blocking_files_.end()) return found->second;
  if (!complete_) return tl::unexpected<Error>(complete_.error());
  return std::optional<std::string>{};
}

}  // namespace manactl::os
