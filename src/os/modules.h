// SPDX-License-Identifier: MIT
//
// The state of kernel modules, and loading them. The state comes from sysfs and from
// modules.builtin and modules.dep; on a live system libkmod evaluates the blacklists.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/presence.h"
#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

struct ModuleState {
  Presence presence = Presence::missing;
  std::string evidence;  // file that shows `presence`: "sys/module/mana", "etc/modprobe.d/x.conf"
};

class Modules {
 public:
  virtual ~Modules() = default;
  virtual Result<ModuleState> state(std::string_view name) const = 0;  // '-' and '_' are equal

  // Loads the module and its dependencies unless it is loaded. Install commands of modprobe.d are
  // never run: a module that has one is rejected. Errc::unsupported on a captured system.
  virtual Result<> load(std::string_view name);
};

struct KernelModule {
  std::string_view name;
  std::string path;  // below the directory of the kernel; empty if the module is built in
};

// Returns those of `names` that an installed kernel contains, built in or to be loaded.
// Errc::not_found if the kernel has no modules.dep.
Result<std::vector<KernelModule>> modules_of_kernel(const Files& files,
                                                    std::string_view release,
                                                    const std::vector<std::string_view>& names);

// `release` is the output of uname -r. `live` means that `files` is the running system, so that
// libkmod can be used. `files` must outlive the result.
std::unique_ptr<Modules> open_modules(const Files& files, std::string release, bool live);

}  // namespace manactl::os
