// SPDX-License-Identifier: MIT
//
// Reduces each recorded file to the text that manactl reads of it, for scrubbed bundles. A file
// without a row in the table becomes empty. Sources: scrub_files.cpp, scrub_replies.cpp.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "host/scrub_names.h"
#include "host/tarball.h"

namespace manactl::host {

// How the text that is kept is scrubbed afterwards; see Scrubber.
enum class Scrub { nothing, addresses, json, log, report };

// `read_as` is the path by which the file was read; it differs from its own path if links lead to
// it.
Scrub scrub_of(const std::string& read_as);

// Returns the part of a file that every bundle contains, scrubbed or not.
std::string recorded_text(const std::string& read_as, std::string text);

// `names` has the names that learn_mounts() found.
std::string kept_text(const std::string& read_as, std::string text, NameReplacer& names);

// Whether a file has the format of proc_pid_mounts(5).
bool is_mounts(std::string_view path);

// Returns the part of a link's target that manactl reads: of links below proc, only the programs
// and devices that it looks for.
std::string kept_target(const std::string& path, const std::string& target);

// Replaces the destination of each route by single addresses: the first of its network, and each
// remote storage that the route leads to. Scrubbed addresses are in no network, so that manactl
// could not find the route to the storage otherwise.
void keep_routes_to_storage(TreeEntries& tree);

// Replaces the type information of the kernel, which is binary and large, by the one value that
// manactl reads.
void keep_enumerator(TreeEntries& tree);

}  // namespace manactl::host
