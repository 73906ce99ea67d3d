// SPDX-License-Identifier: MIT
//
// Scrubs the JSON files of a bundle: the strings, and keys that are paths. Members whose values
// manactl interprets, such as "operstate", stay.

#pragma once

#include <string>
#include <string_view>

#include "host/scrub.h"

namespace manactl::host {

// Whether a file contains replies of the kernel: manactl/*.json without the report.
bool is_reply(std::string_view path);

// Keeps the names of interfaces, RDMA devices, drivers and modules in a file of replies.
void keep_words_of_json(std::string_view text, NameReplacer& names);

// Text that is not JSON is scrubbed as prose.
std::string scrubbed_json(std::string_view text, Scrubber& scrubber);

// As scrubbed_json(), and removes words that the report has cut short and ended with "...", because
// a part of an address or name is not recognized.
std::string scrubbed_report(std::string_view text, Scrubber& scrubber);

}  // namespace manactl::host
