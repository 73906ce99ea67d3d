// SPDX-License-Identifier: MIT
//
// The answer of decode, as text for people and JSON for programs.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/context.h"
#include "wire/dissect.h"

namespace manactl::cli {

struct DecodeAnswer {
  std::string kind;
  // Dissections of each dump; their bytes are somebody else's.
  std::vector<std::vector<wire::Dissection>> dumps;
  std::vector<std::string> notes;
  bool explain = false;
  Exit exit = Exit::ok;
};

// What keeps a dissection from being right: unknown members do not, they are shown as unknown.
std::vector<wire::Refusal> problems_of(const wire::Dissection& dissection);

void text(Screen& screen, const DecodeAnswer& answer, int verbosity);
void json(Screen& screen, const DecodeAnswer& answer);  // schemas/decode.schema.json

// What --list prints.
void kinds_text(Screen& screen);
void kinds_json(Screen& screen);  // schemas/kinds.schema.json

}  // namespace manactl::cli
