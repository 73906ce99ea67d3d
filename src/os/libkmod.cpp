// SPDX-License-Identifier: MIT

#include "os/libkmod.h"

#include <libkmod.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/shared_library.h"
#include "base/text.h"
#include "os/modprobe_config.h"

namespace manactl::os {
namespace {

struct Kmod {
  decltype(kmod_new)* start = nullptr;
  decltype(kmod_unref)* stop = nullptr;
  decltype(kmod_config_get_blacklists)* blacklists = nullptr;
  decltype(kmod_config_get_install_commands)* installs = nullptr;
  decltype(kmod_config_iter_next)* next = nullptr;
  decltype(kmod_config_iter_get_key)* key = nullptr;
  decltype(kmod_config_iter_get_value)* value = nullptr;
  decltype(kmod_config_iter_free_iter)* free_iter = nullptr;
  decltype(kmod_module_new_from_lookup)* lookup = nullptr;
  decltype(kmod_module_unref_list)* free_list = nullptr;
  decltype(kmod_module_get_module)* module = nullptr;
  decltype(kmod_module_unref)* free_module = nullptr;
  decltype(kmod_module_probe_insert_module)* insert = nullptr;
};

Result<Kmod> load_kmod() {
  const auto library = SharedLibrary::open("libkmod.so.2");
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
  bind("kmod_module_new_from_lookup", kmod.lookup);
  bind("kmod_module_unref_list", kmod.free_list);
  bind("kmod_module_get_module", kmod.module);
  bind("kmod_module_unref", kmod.free_module);
  bind("kmod_module_probe_insert_module", kmod.insert);
  if (bind.problem()) return tl::unexpected<Error>(*bind.problem());
  return kmod;
}

using Context = std::unique_ptr<kmod_ctx, decltype(Kmod::stop)>;

// `directories` is a null-terminated list, or null for the default directories.
Result<Context> open_context(const Kmod& kmod, const char* const* directories) {
  // kmod_new() prints warnings about malformed lines to stderr; only this variable prevents that.
  setenv("KMOD_LOG", "0", 0);  // NOLINT(concurrency-mt-unsafe): there is only one thread
  Context context(kmod.start(nullptr, directories), kmod.stop);
  if (!context) return fail(Errc::io, "cannot initialize libkmod");
  return context;
}

// Rejects install commands of modprobe.d. By default libkmod passes them to a shell.
int refuse_command(kmod_module* /*module*/, const char* /*command*/, void* /*data*/) {
  return -EPERM;
}

}  // namespace

Result<bool> is_blocked_by_libkmod(const std::vector<std::string>& directories,
                                   std::string_view name) {
  const auto kmod = load_kmod();
  if (!kmod) return tl::unexpected<Error>(kmod.error());
  std::vector<const char*> paths;
  paths.reserve(directories.size() + 1);
  for (const auto& directory : directories) paths.push_back(directory.c_str());
  paths.push_back(nullptr);
  const auto context = open_context(*kmod, directories.empty() ? nullptr : paths.data());
  if (!context) return tl::unexpected<Error>(context.error());

  using Entries = std::unique_ptr<kmod_config_iter, decltype(kmod->free_iter)>;
  const auto key = module_key(name);
  const Entries blacklists(kmod->blacklists(context->get()), kmod->free_iter);
  while (blacklists && kmod->next(blacklists.get())) {
    if (module_key(kmod->key(blacklists.get())) == key) return true;
  }
  const Entries installs(kmod->installs(context->get()), kmod->free_iter);
  while (installs && kmod->next(installs.get())) {
    const char* command = kmod->value(installs.get());
    if (module_key(kmod->key(installs.get())) != key || command == nullptr) continue;
    const auto parts = words(command);
    if (!parts.empty() && is_refusal_program(parts.front())) return true;
  }
  return false;
}

Result<> load_with_libkmod(const std::string& name) {
  const auto kmod = load_kmod();
  if (!kmod) return tl::unexpected<Error>(kmod.error());
  const std::string doing = "cannot load module " + name;
  const auto context = open_context(*kmod, nullptr);
  if (!context) return because(context.error(), doing);
  kmod_list* raw = nullptr;
  const int found = kmod->lookup(context->get(), name.c_str(), &raw);
  const std::unique_ptr<kmod_list, decltype(kmod->free_list)> list(raw, kmod->free_list);
  if (found < 0) return fail_errno(-found, doing);
  if (!list) return fail_errno(ENOENT, doing);
  const std::unique_ptr<kmod_module, decltype(kmod->free_module)> module(kmod->module(list.get()),
                                                                         kmod->free_module);
  const int inserted = kmod->insert(
      module.get(), KMOD_PROBE_APPLY_BLACKLIST, nullptr, refuse_command, nullptr, nullptr);
  if (inserted < 0) return fail_errno(-inserted, doing);
  if (inserted > 0) return fail(Errc::denied, doing + ": it is blacklisted");
  return {};
}

}  // namespace manactl::os
