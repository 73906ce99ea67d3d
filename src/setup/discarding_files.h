// SPDX-License-Identifier: MIT
//
// An empty journal that discards every record, for a dry run of prepare and for a captured VM.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/durable_directory.h"

namespace manactl::setup {

class DiscardingDirectory final : public os::DurableDirectory {
 public:
  std::string path() const override { return {}; }

  Result<std::vector<std::string>> list() const override { return std::vector<std::string>{}; }

  Result<std::string> read(std::string_view /*name*/) const override { return std::string(); }

  Result<> replace(std::string_view /*name*/, std::string_view /*text*/) override { return {}; }

  Result<> append(std::string_view /*name*/, std::string_view /*text*/) override { return {}; }

  Result<> remove(std::string_view /*name*/) override { return {}; }
};

}  // namespace manactl::setup
