// SPDX-License-Identifier: MIT

#include "os/modules.h"

#include <cstring>
#include <optional>

#include "base/text.h"
#include "os/libkmod.h"
#include "os/modprobe_config.h"

namespace manactl::os {
namespace {

// Returns the longest part of `key` without '_'. This part is the same in every spelling of the
// module name, with '-' or '_'.
std::string_view longest_piece(std::string_view key) {
  std::string_view longest;
  for (const auto piece : split(key, '_')) {
    if (piece.size() > longest.size()) longest = piece;
  }
  return longest;
}

// Returns the path ".../<key>.ko" in modules.builtin or modules.dep, with the suffix of its
// compression; empty without one. modules.dep has about 500 KB, so it is searched without splitting
// it into lines.
std::string_view path_of_module(std::string_view text, const std::string& key) {
  const auto piece = longest_piece(key);
  if (piece.empty()) return {};
  const auto before = static_cast<std::size_t>(piece.data() - key.data());
  std::size_t from = 0;
  for (;;) {
    const auto rest = text.substr(from);
    const void* hit = memmem(rest.data(), rest.size(), piece.data(), piece.size());
    if (hit == nullptr) return {};
    const auto at = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
    from = at + piece.size();
    if (at < before) continue;
    const auto begin = at - before;
    const bool bounded = (begin == 0 || text[begin - 1] == '/' || text[begin - 1] == '\n') &&
                         text.substr(begin).substr(0, key.size() + 3).ends_with(".ko");
    if (!bounded || module_key(text.substr(begin, key.size())) != key) continue;
    const auto start = text.substr(0, begin).find_last_of("\n ") + 1;
    return text.substr(start, text.find_first_of(": \n", begin) - start);
  }
}

class KernelModules final : public Modules {
 public:
  KernelModules(const Files& files, std::string release, bool live)
      : files_(files), directory_("lib/modules/" + std::move(release)), live_(live) {}

  Result<ModuleState> state(std::string_view name) const override;
  Result<> load(std::string_view name) override;

 private:
  // Whether the file `list` contains the module; false if the file does not exist.
  Result<bool> listed(std::string_view list, const std::string& key) const;
  Result<ModuleState> available(const std::string& key) const;
  Result<std::optional<std::string>> blocking_file(const std::string& key) const;

  const Files& files_;
  std::string directory_;
  bool live_;
  mutable std::optional<ModprobeConfig> config_;  // read by the first blocking_file()
};

Result<bool> KernelModules::listed(std::string_view list, const std::string& key) const {
  const auto text = files_.read(fmt::format("{}/{}", directory_, list));
  if (!text && text.error().code == Errc::not_found) return false;
  if (!text) return tl::unexpected<Error>(text.error());
  return !path_of_module(*text, key).empty();
}

Result<ModuleState> KernelModules::state(std::string_view name) const {
  const auto key = module_key(name);
  if (key.empty() || key.find('/') != std::string::npos || key.starts_with('.')) {
    return fail(Errc::invalid, fmt::format("'{}' is not a module name", printable(name)));
  }
  const auto own = "sys/module/" + key;
  const bool in_sysfs = exists(files_, own);
  // Only loaded modules have "initstate"; a built-in module may have the directory without it.
  if (in_sysfs && exists(files_, own + "/initstate")) return ModuleState{Presence::loaded, own};
  const auto builtin = listed("modules.builtin", key);
  if (!builtin) return tl::unexpected<Error>(builtin.error());
  if (*builtin) return ModuleState{Presence::builtin, directory_ + "/modules.builtin"};
  const auto loadable = listed("modules.dep", key);
  if (!loadable) return tl::unexpected<Error>(loadable.error());
  if (in_sysfs) return ModuleState{*loadable ? Presence::loaded : Presence::builtin, own};
  if (*loadable) return available(key);
  return ModuleState{Presence::missing, directory_ + "/modules.dep"};
}

// The configuration of a live system may change.
Result<std::optional<std::string>> KernelModules::blocking_file(const std::string& key) const {
  if (live_ || !config_) config_.emplace(files_);
  return config_->blocking_file(key);
}

Result<ModuleState> KernelModules::available(const std::string& key) const {
  const auto file = blocking_file(key);
  if (live_) {
    // libkmod decides whether modprobe would load the module; blocking_file() names the file.
    const auto blocked = is_blocked_by_libkmod({}, key);
    if (blocked && !*blocked && !(file && *file == "proc/cmdline")) {
      return ModuleState{Presence::available, directory_ + "/modules.dep"};
    }
    if (blocked && *blocked) {
      const bool known = file && *file;
      return ModuleState{Presence::blacklisted, known ? **file : "etc/modprobe.d"};
    }
  }
  if (!file) return tl::unexpected<Error>(file.error());
  if (*file) return ModuleState{Presence::blacklisted, **file};
  return ModuleState{Presence::available, directory_ + "/modules.dep"};
}

Result<> KernelModules::load(std::string_view name) {
  if (!live_) return Modules::load(name);
  const auto known = state(name);
  if (!known) return tl::unexpected<Error>(known.error());
  if (known->presence == Presence::loaded || known->presence == Presence::builtin) return {};
  if (known->presence == Presence::blacklisted) {
    return fail(Errc::denied,
                fmt::format("module {} is blacklisted by /{}", name, printable(known->evidence)));
  }
  return load_with_libkmod(module_key(name));
}

}  // namespace

Result<> Modules::load(std::string_view /*name*/) {
  return fail(Errc::unsupported, "a captured system cannot be changed");
}

Result<std::vector<KernelModule>> modules_of_kernel(const Files& files,
                                                    std::string_view release,
                                                    const std::vector<std::string_view>& names) {
  const auto directory = fmt::format("lib/modules/{}", release);
  const auto loadable = files.read(directory + "/modules.dep");
  if (!loadable) return tl::unexpected<Error>(loadable.error());
  const auto builtin = files.read(directory + "/modules.builtin").value_or("");
  std::vector<KernelModule> found;
  for (const auto name : names) {
    const auto key = module_key(name);
    const auto path = path_of_module(*loadable, key);
    if (!path.empty() || !path_of_module(builtin, key).empty()) {
      found.push_back({name, std::string(path)});
    }
  }
  return found;
}

std::unique_ptr<Modules> open_modules(const Files& files, std::string release, bool live) {
  return std::make_unique<KernelModules>(files, std::move(release), live);
}

}  // namespace manactl::os
