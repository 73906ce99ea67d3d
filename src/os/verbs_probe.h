// SPDX-License-Identifier: MIT
//
// Which provider library libibverbs really chose for each device. It is loaded in a child process
// that ends at once: providers are foreign code, and this process must survive them.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace manactl::os {

struct ProviderChoice {
  std::string device;           // "mana_0"
  Result<std::string> library;  // "libmana.so.1", "liberdma-rdmav34.so"; why it could not be opened
};

class VerbsProbe {
 public:
  virtual ~VerbsProbe() = default;

  // The devices for which libibverbs found a provider; others are missing from the list.
  // Errc::not_found when libibverbs.so.1 is not installed.
  virtual Result<std::vector<ProviderChoice>> providers() const = 0;
};

// `library` is a soname for the system's loader, or an absolute path. The child is killed when it
// has not answered in time.
std::unique_ptr<VerbsProbe> open_verbs_probe(
    std::string library = "libibverbs.so.1",
    std::chrono::milliseconds patience = std::chrono::seconds(10));

}  // namespace manactl::os
