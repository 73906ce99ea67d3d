// SPDX-License-Identifier: MIT
//
// The counts of a sample by name: what documents, series, CSV and their reader have in common.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "datapath/trial.h"

namespace manactl::cli {

struct Column {
  std::string_view group;  // "tx", "rx", "effort"
  std::string_view name;   // "packets"
  std::uint64_t& (*in)(datapath::Sample& sample);

  std::uint64_t of(const datapath::Sample& sample) const {
    datapath::Sample copy = sample;
    return in(copy);
  }

  // "tx_packets"; those of effort have names of their own: "cycles".
  std::string str() const;
};

std::span<const Column> columns();

}  // namespace manactl::cli
