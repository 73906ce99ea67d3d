// SPDX-License-Identifier: MIT

#include "os/load_module.h"

#include <libkmod.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/late_library.h"

namespace manactl::os {
namespace {

struct Loader {
  decltype(kmod_new)* start = nullptr;
  decltype(kmod_unref)* stop = nullptr;
  decltype(kmod_module_new_from_lookup)* lookup = nullptr;
  decltype(kmod_module_unref_list)* free_list = nullptr;
  decltype(kmod_module_get_module)* module = nullptr;
  decltype(kmod_module_unref)* free_module = nullptr;
  decltype(kmod_module_probe_insert_module)* insert = nullptr;
};

Result<Loader> open_loader() {
  const auto library = LateLibrary::open("libkmod.so.2");
  if (!library) return tl::unexpected<Error>(library.error());
  Loader loader;
  FunctionBinder bind(*library);
  bind("kmod_new", loader.start);
  bind("kmod_unref", loader.stop);
  bind("kmod_module_new_from_lookup", loader.lookup);
  bind("kmod_module_unref_list", loader.free_list);
  bind("kmod_module_get_module", loader.module);
  bind("kmod_module_unref", loader.free_module);
  bind("kmod_module_probe_insert_module", loader.insert);
  if (bind.problem()) return tl::unexpected<Error>(*bind.problem());
  return loader;
}

// Without this libkmod hands "install" lines of modprobe.d to a shell.
int refuse_command(kmod_module* /*module*/, const char* /*command*/, void* /*data*/) {
  return -EPERM;
}

}  // namespace

Result<> load_by_libkmod(const std::string& name) {
  const auto loader = open_loader();
  if (!loader) return tl::unexpected<Error>(loader.error());
  const std::string doing = "cannot load module " + name;
  // kmod_new() tells standard error about lines that it cannot read, and only this can stop it.
  setenv("KMOD_LOG", "0", 0);  // NOLINT(concurrency-mt-unsafe): there is one thread
  const std::unique_ptr<kmod_ctx, decltype(loader->stop)> context(loader->start(nullptr, nullptr),
                                                                  loader->stop);
  if (!context) return fail(Errc::io, doing + ": libkmod does not start");
  kmod_list* raw = nullptr;
  const int found = loader->lookup(context.get(), name.c_str(), &raw);
  const std::unique_ptr<kmod_list, decltype(loader->free_list)> list(raw, loader->free_list);
  if (found < 0) return fail_errno(-found, doing);
  if (!list) return fail_errno(ENOENT, doing);
  const std::unique_ptr<kmod_module, decltype(loader->free_module)> module(
      loader->module(list.get()), loader->free_module);
  const int inserted = loader->insert(
      module.get(), KMOD_PROBE_APPLY_BLACKLIST, nullptr, refuse_command, nullptr, nullptr);
  if (inserted < 0) return fail_errno(-inserted, doing);
  if (inserted > 0) return fail(Errc::denied, doing + ": it is blacklisted");
  return {};
}

}  // namespace manactl::os
