// SPDX-License-Identifier: MIT
//
// Kernel modules: loaded, built in, available, blacklisted or missing. sysfs and the modules.*
// files answer first; on a live system libkmod, loaded late, decides about blacklists.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/presence.h"
#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

struct ModuleState {
  Presence presence = Presence::missing;
  std::string evidence;  // the file that says so: "sys/module/mana", "etc/modprobe.d/x.conf"
};

class Modules {
 public:
  virtual ~Modules() = default;
  virtual Result<ModuleState> state(std::string_view name) const = 0;  // '-' and '_' are the same

  // Loads it and what it needs; nothing happens when it is there. Never runs a command of
  // modprobe.d: a module that has one is refused. Errc::unsupported on a captured system.
  virtual Result<> load(std::string_view name);
};

// `release` as uname -r prints it. `live` allows libkmod.
std::unique_ptr<Modules> open_modules(const Files& files, std::string release, bool live);

}  // namespace manactl::os
