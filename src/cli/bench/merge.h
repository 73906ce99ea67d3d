// SPDX-License-Identifier: MIT
//
// Sender and receiver of one run, each measured on its own machine, joined.

#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/bench/result.h"

namespace manactl::cli {

// How evenly packets were spread over the queues of one end.
struct Spread {
  double least = 0, most = 0;  // shares of all packets
  double variation = 0;        // standard deviation / mean
};

struct MergeResult {
  const BenchResult& sender;
  const BenchResult& receiver;
  std::uint64_t sent = 0, received = 0;  // packets
  double overlap = 0;                    // seconds of the sending in which the receiver ran, too
  bool covered = false;                  // all of them
  std::optional<double> loss;  // share of what was sent; absent when the receiver did not cover it
  Spread sent_by, received_by;
  std::optional<double> most_loss;  // share, beyond which the exit code is 1
  Exit exit = Exit::ok;
};

// Errc::invalid when the two do not belong together.
Result<MergeResult> merge(const BenchResult& sender, const BenchResult& receiver);

}  // namespace manactl::cli
