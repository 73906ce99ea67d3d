// SPDX-License-Identifier: MIT
//
// doctor --review: shows a scrubbed bundle before it is written.

#pragma once

#include <string>

#include "cli/context.h"
#include "host/bundle.h"

namespace manactl::cli {

// Prints the number of replacements of each kind to err.
void print_replaced(Context& context, const host::BundleContents& bundle);

// Returns the number of files of each directory: "etc 12, logs 1, sys 410".
std::string contents_of(const host::TreeEntries& tree);

// Prints each file that is not empty to `out`. On a terminal, asks whether to write the bundle to
// `path`. Returns true if the answer is yes; without a terminal, false.
bool review_bundle(Context& context, const host::BundleContents& bundle, const std::string& path);

// Prints what a bundle still contains, or what --scrub cannot recognize.
void print_bundle_note(Context& context, const std::string& written, bool is_scrubbed);

}  // namespace manactl::cli
