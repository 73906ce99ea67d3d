// SPDX-License-Identifier: MIT
//
// The parts of a captured system: files with their overrides, and answers that were asked before.

#pragma once

#include <memory>

#include "host/captured.h"
#include "host/json_answers.h"

namespace manactl::host {

// Puts a system together from a tree that has manactl/*.json in it.
Result<std::unique_ptr<CapturedSystem>> assemble_captured(std::unique_ptr<os::Files> tree);

// The contents of a tar.gz, in memory. Errc::invalid for anything that tries to leave the tree or
// is larger than a bundle may be.
Result<std::unique_ptr<os::Files>> read_bundle(const std::string& path);

}  // namespace manactl::host
