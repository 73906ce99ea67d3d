// SPDX-License-Identifier: MIT
//
// Determines whether libibverbs and libmana can be loaded, and which provider library libibverbs
// uses for each device. They are foreign code that may crash or hang, so they run in a child
// process.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::os {

struct ProviderChoice {
  std::string device;           // "mana_0"
  Result<std::string> library;  // "libmana.so.1", or the reason why the device could not be opened
};

class VerbsProbe {
 public:
  virtual ~VerbsProbe() = default;

  // The devices for which libibverbs found a provider. Errc::not_found if libibverbs.so.1 is not
  // installed; Errc::timeout if it hangs; Errc::io if it crashes.
  virtual Result<std::vector<ProviderChoice>> providers() const = 0;

  // Loads libibverbs and libmana, which net_mana needs. Errc::not_found with the message of the
  // dynamic loader if one is missing, or needs a version of a symbol that the other lacks.
  // Errc::timeout and Errc::io as above.
  virtual Result<> load_libraries() const = 0;
};

// A soname for the dynamic loader or an absolute path of each library.
struct VerbsLibraries {
  std::string verbs = "libibverbs.so.1";
  std::string mana = "libmana.so.1";
};

// The child is killed if it writes nothing for `timeout`.
std::unique_ptr<VerbsProbe> open_verbs_probe(
    VerbsLibraries names = {}, std::chrono::milliseconds timeout = std::chrono::seconds(10));

// Decodes the report of the child: one line per device with fields between tabs, then "end".
// Errc::io if the report is incomplete or malformed; Errc::not_found if the child could not load
// the library.
Result<std::vector<ProviderChoice>> decode_provider_report(std::string_view report);

}  // namespace manactl::os
