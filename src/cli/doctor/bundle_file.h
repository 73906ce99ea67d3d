// SPDX-License-Identifier: MIT
//
// The names of the bundle of doctor --bundle, and of the logs in it.

#pragma once

#include <cstddef>
#include <string>

namespace manactl::cli {

// Returns the file name of a log in the bundle, with unsafe characters replaced:
// "logs/1-testpmd.log".
std::string excerpt_name(std::size_t number, const std::string& name);

// Returns why no bundle can be written to `path`; empty if one can, or if `path` is empty.
std::string objection_to_bundle(const std::string& path);

}  // namespace manactl::cli
