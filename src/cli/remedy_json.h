// SPDX-License-Identifier: MIT
//
// The shape of a remedy in the documents of check and doctor. The parameter Json is always
// nlohmann::ordered_json, as in nic_json.h.

#pragma once

#include "base/json_text.h"
#include "diag/finding.h"

namespace manactl::cli {

template <class Json>
Json remedy_json(const diag::Remedy& remedy) {
  Json row = {
      {"why", safe(remedy.why)}, {"commands", strings(remedy.commands)}, {"others", nullptr}};
  for (const auto& one : remedy.others) {
    row["others"].push_back({{"why", safe(one.why)}, {"commands", strings(one.commands)}});
  }
  return row;
}

}  // namespace manactl::cli
