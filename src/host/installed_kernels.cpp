// SPDX-License-Identifier: MIT

#include "host/installed_kernels.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "host/boot_loader.h"
#include "host/driver_modules.h"
#include "host/initramfs.h"
#include "host/secure_boot.h"
#include "os/modules.h"

namespace manactl::host {
namespace {

using Modules = std::vector<os::KernelModule>;

bool has(const Modules& modules, std::string_view name) {
  return std::ranges::find(modules, name, &os::KernelModule::name) != modules.end();
}

// Those of kInitramfsModules that the initramfs should have and lacks.
Result<std::vector<std::string>> missing_in_initramfs(const os::Files& files,
                                                      const std::string& release,
                                                      const Modules& modules) {
  std::vector<std::string_view> loadable;
  for (const auto name : kInitramfsModules) {
    const auto module = std::ranges::find(modules, name, &os::KernelModule::name);
    if (module != modules.end() && !module->path.empty()) loadable.push_back(name);
  }
  std::vector<std::string> missing;
  if (loadable.empty()) return missing;
  const auto found = modules_in_initramfs_of(files, release, loadable);
  if (!found) return tl::unexpected<Error>(found.error());
  for (const auto name : loadable) {
    if (std::ranges::find(*found, name) == found->end()) missing.emplace_back(name);
  }
  return missing;
}

// A module that cannot be read counts as signed: a false failure would be worse than a missed one.
std::vector<std::string> without_signature(const os::Files& files,
                                           const std::string& release,
                                           const Modules& modules) {
  std::vector<std::string> names;
  for (const auto& module : modules) {
    if (!is_outside_tree(module.path)) continue;
    const auto path = fmt::format("lib/modules/{}/{}", release, module.path);
    if (!has_signature(files, path).value_or(true)) names.emplace_back(module.name);
  }
  return names;
}

std::string network_option_in(const os::Files& files) {
  const auto text = files.read("proc/cmdline").value_or("");
  for (const auto word : words(text)) {
    const auto option = network_option(word);
    if (!option.empty()) return std::string(option);
  }
  return {};
}

Result<std::vector<InstalledKernel>> read_kernels(const os::Files& files,
                                                  const std::string& running,
                                                  const MoveFacts& move) {
  const auto releases = files.list("lib/modules");
  if (!releases) return fail(releases.error().code, "cannot list the kernels in /lib/modules");
  std::vector<InstalledKernel> kernels;
  for (const auto& release : *releases) {
    const auto modules =
        os::modules_of_kernel(files, release, {kModulesForMana.begin(), kModulesForMana.end()});
    if (!modules && modules.error().code == Errc::not_found) continue;  // of a removed kernel
    if (!modules) return tl::unexpected<Error>(modules.error());
    InstalledKernel kernel{release, release == running};
    for (const auto name : kModulesForMana) {
      if (!has(*modules, name)) kernel.lacks.emplace_back(name);
    }
    if (move.secure_boot.value_or(false)) {
      kernel.without_signature = without_signature(files, release, *modules);
    }
    if (!move.network_option.empty()) {
      kernel.initramfs_lacks = missing_in_initramfs(files, release, *modules);
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace

void add_kernels(const os::Files& files, const std::string& running, MoveFacts& move) {
  move.secure_boot = secure_boot(files);
  move.network_option = network_option_in(files);
  move.kernels = read_kernels(files, running, move);
  if (!move.kernels) return;
  std::vector<std::string> releases;
  for (const auto& kernel : *move.kernels) releases.push_back(kernel.release);
  move.next_kernel = next_kernel(files, releases);
}

}  // namespace manactl::host
