// SPDX-License-Identifier: MIT
//
// A result of `bench --json`, read again to be compared.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace manactl::cli {

struct BenchDocument {
  std::string path;
  // What two results must have in common, by name, as text: "queues", "8".
  std::vector<std::pair<std::string, std::string>> configuration;
  std::vector<double> rates;  // packets per second of the intervals that count
  bool noisy = false;
};

// "-" is standard input. Errc::invalid for what is no such result, and for one with too few
// intervals.
Result<BenchDocument> read_bench_document(const std::string& path);

}  // namespace manactl::cli
