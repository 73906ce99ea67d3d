// SPDX-License-Identifier: MIT
//
// Prints the result of decode: text in render_decode.cpp, JSON in json_decode.cpp.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/context.h"
#include "wire/dissect.h"

namespace manactl::cli {

struct DecodeResult {
  std::string kind;
  // The dissections of each dump. They point into the dump, which must outlive this object.
  std::vector<std::vector<wire::Dissection>> dumps;
  std::vector<std::string> notes;
  bool explain = false;
};

// Returns the rules that a dissection breaks, except for unknown codes, which are shown as unknown.
std::vector<wire::Refusal> problems_of(const wire::Dissection& dissection);

void print_text(Screen& screen, const DecodeResult& result, int verbosity);
void print_json(Screen& screen,
                const DecodeResult& result,
                Exit exit);  // schemas/decode.schema.json

// Print the output of decode --list.
void print_kinds_text(Screen& screen);
void print_kinds_json(Screen& screen);  // schemas/kinds.schema.json

}  // namespace manactl::cli
