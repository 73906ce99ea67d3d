// SPDX-License-Identifier: MIT
//
// Merges the results of the sender and the receiver of one run between two machines.

#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "report/result.h"

namespace manactl::report {

// How the packets of the sender or the receiver were distributed over its queues.
struct Spread {
  double min = 0, max = 0;  // shares of all packets
  double variation = 0;     // standard deviation / mean, of the packets per queue
};

struct MergeResult {
  const BenchResult& sender;
  const BenchResult& receiver;
  std::uint64_t sent = 0, received = 0;  // packets
  double overlap = 0;                    // seconds in which both ends ran
  bool covered = false;                  // the receiver ran during the whole run of the sender
  // Share of the sent packets; empty if not `covered`, with foreign traffic, or if a result is that
  // of a search.
  std::optional<double> loss;
  Spread sent_by, received_by;
  std::optional<double> max_loss;  // limit of --max-loss, a share of the sent packets
  // Packets that were received without traffic (see stray_packets()), or in excess of those sent.
  std::uint64_t strays = 0;

  // The largest possible loss: some of the received packets are strays, which may stand for lost
  // ones. Empty if `loss` is.
  std::optional<double> max_possible_loss() const;

  // True if so many more packets were received than sent that they are not strays, such as ARP.
  bool has_foreign_traffic() const;

  // True if there is a limit, and the loss may exceed the limit or is unknown.
  bool exceeds_max_loss() const { return max_loss && max_possible_loss().value_or(1) > *max_loss; }
};

// The returned object refers to both arguments. Errc::invalid if they cannot be results of one run.
Result<MergeResult> merge(const BenchResult& sender, const BenchResult& receiver);

// "998.0 kpps in 10.0 s", or the result of a search.
std::string end_text(const BenchResult& result);

// "0.2000 %", "at most 0.15 %" or "0.2000 to 0.2100 %" with strays, or "unknown".
std::string loss_of(const MergeResult& result);

std::string verdict_of(
    const MergeResult& result);  // "0.2 % lost, which exceeds the limit of 0.1 %"
std::vector<std::string> remarks_on(const MergeResult& result);  // reasons to doubt the loss

// Returns the document of schemas/bench-merge.schema.json. `tool` is the version of manactl.
std::string merge_json(const MergeResult& result, std::string_view tool, int exit);

}  // namespace manactl::report
