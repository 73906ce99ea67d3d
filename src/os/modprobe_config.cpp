// SPDX-License-Identifier: MIT

#include "os/modprobe_config.h"

#include <libkmod.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/late_library.h"
#include "base/text.h"

namespace manactl::os {
namespace {

// Does nothing instead of loading: the usual way to forbid a module more strongly than "blacklist".
bool refuses(const std::vector<std::string_view>& command) {
  if (command.empty()) return false;
  const auto program = command.front();
  const auto name = program.substr(program.rfind('/') + 1);
  return name == "false" || name == "true";
}

bool line_blocks(std::string_view line, std::string_view key) {
  auto parts = words(line);
  if (parts.size() < 2 || parts.front().starts_with('#') || module_key(parts[1]) != key) {
    return false;
  }
  if (parts.front() == "blacklist") return true;
  if (parts.front() != "install") return false;
  parts.erase(parts.begin(), parts.begin() + 2);
  return refuses(parts);
}

bool text_blocks(std::string text, std::string_view key) {
  for (auto at = text.find("\\\n"); at != std::string::npos; at = text.find("\\\n", at)) {
    text.erase(at, 2);  // a line goes on after a backslash
  }
  const auto lines = split(text, '\n');
  return std::any_of(
      lines.begin(), lines.end(), [&](std::string_view line) { return line_blocks(line, key); });
}

// File name to path. A file hides those of the same name in the directories after its own.
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

// Whether a word of the kernel's command line is a list of forbidden modules with this one in it.
bool word_blocks(std::string_view word, std::string_view key) {
  const auto equals = word.find('=');
  const auto option = word.substr(0, equals);
  if (equals == std::string_view::npos ||
      (option != "modprobe.blacklist" && option != "module_blacklist")) {
    return false;
  }
  const auto names = split(word.substr(equals + 1), ',');
  return std::any_of(
      names.begin(), names.end(), [&](std::string_view name) { return module_key(name) == key; });
}

bool command_line_blocks(const Files& files, std::string_view key) {
  const auto line = files.read("proc/cmdline", 1U << 16);
  if (!line) return false;
  const auto options = words(*line);
  return std::any_of(options.begin(), options.end(), [&](std::string_view word) {
    return word_blocks(word, key);
  });
}

struct Kmod {
  decltype(kmod_new)* start = nullptr;
  decltype(kmod_unref)* stop = nullptr;
  decltype(kmod_config_get_blacklists)* blacklists = nullptr;
  decltype(kmod_config_get_install_commands)* installs = nullptr;
  decltype(kmod_config_iter_next)* next = nullptr;
  decltype(kmod_config_iter_get_key)* key = nullptr;
  decltype(kmod_config_iter_get_value)* value = nullptr;
  decltype(kmod_config_iter_free_iter)* free_iter = nullptr;
};

Result<Kmod> load_kmod() {
  const auto library = LateLibrary::open("libkmod.so.2");
  if (!library) return tl::unexpected<Error>(library.error());
  Kmod kmod;
  FunctionBinder bind(*library);
  bind("kmod_new", kmod.start);
  bind("kmod_unref", kmod.stop);
  bind("kmod_config_get_blacklists", kmod.blacklists);
  bind("kmod_config_get_install_commands", kmod.installs);
  bind("kmod_config_iter_next", kmod.next);
  bind("kmod_config_iter_get_key", kmod.key);
  bind("kmod_config_iter_get_value", kmod.value);
  bind("kmod_config_iter_free_iter", kmod.free_iter);
  if (bind.problem()) return tl::unexpected<Error>(*bind.problem());
  return kmod;
}

}  // namespace

std::string module_key(std::string_view name) {
  std::string key(name);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
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

Result<bool> blocked_by_libkmod(const std::vector<std::string>& directories,
                                std::string_view name) {
  const auto kmod = load_kmod();
  if (!kmod) return tl::unexpected<Error>(kmod.error());
  std::vector<const char*> paths;
  paths.reserve(directories.size() + 1);
  for (const auto& directory : directories) paths.push_back(directory.c_str());
  paths.push_back(nullptr);
  // kmod_new() tells standard error about lines that it cannot read, and only this can stop it.
  setenv("KMOD_LOG", "0", 0);  // NOLINT(concurrency-mt-unsafe): gathering has one thread
  const std::unique_ptr<kmod_ctx, decltype(kmod->stop)> context(
      kmod->start(nullptr, directories.empty() ? nullptr : paths.data()), kmod->stop);
  if (!context) return fail(Errc::io, "libkmod does not start");

  using Entries = std::unique_ptr<kmod_config_iter, decltype(kmod->free_iter)>;
  const auto key = module_key(name);
  const Entries blacklists(kmod->blacklists(context.get()), kmod->free_iter);
  while (blacklists && kmod->next(blacklists.get())) {
    if (module_key(kmod->key(blacklists.get())) == key) return true;
  }
  const Entries installs(kmod->installs(context.get()), kmod->free_iter);
  while (installs && kmod->next(installs.get())) {
    const char* command = kmod->value(installs.get());
    if (module_key(kmod->key(installs.get())) == key && command != nullptr &&
        refuses(words(command))) {
      return true;
    }
  }
  return false;
}

}  // namespace manactl::os
