// SPDX-License-Identifier: MIT
//
// The meanings of counters, and the rules that draw conclusions from them: "counters" of a
// signature.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_words.h"

namespace manactl::diag {

enum class Counter : std::uint8_t {
  rx,         // received packets
  tx,         // sent packets
  rx_lost,    // packets that the device dropped because it had no receive buffer
  rx_errors,  // packets that were received with an error
  tx_errors,  // packets that could not be sent
  no_mbuf,    // packets that were dropped because the pool had no mbuf
  vf_rx,      // packets of the VF, as its synthetic NIC counts them
  vf_tx,
  queue_rx,  // packets of the synthetic path
  queue_tx,
  ring_full,  // attempts to send that found the ring to the host full
};

inline constexpr EnumWords<Counter, 11> kCounters = {{
    {Counter::rx, "rx"},
    {Counter::tx, "tx"},
    {Counter::rx_lost, "rx_lost"},
    {Counter::rx_errors, "rx_errors"},
    {Counter::tx_errors, "tx_errors"},
    {Counter::no_mbuf, "no_mbuf"},
    {Counter::vf_rx, "vf_rx"},
    {Counter::vf_tx, "vf_tx"},
    {Counter::queue_rx, "queue_rx"},
    {Counter::queue_tx, "queue_tx"},
    {Counter::ring_full, "ring_full"},
}};

enum class CounterConclusion : std::uint8_t {
  stopped,  // the counters `of` had changed, and two reports in a row show no change
  resumed,  // they change again
  grown,    // the counters `of` have grown since the report before, or one report shows enough
            // packets
  idle,     // no counter of `of` changes in the reports of any device of the program
  frozen,   // no report changes the counters `of`, while those of `reference` grow
  zero,     // the counters `of` are 0, while those of `reference` grow
  missing,  // `of` are less than `per_mille` of `reference` of another port, which sent them
  share,    // `of` are at least `per_mille` of the sum of `of` and `reference`
};

inline constexpr EnumWords<CounterConclusion, 8> kCounterConclusions = {{
    {CounterConclusion::stopped, "stopped"},
    {CounterConclusion::resumed, "resumed"},
    {CounterConclusion::grown, "grown"},
    {CounterConclusion::idle, "idle"},
    {CounterConclusion::frozen, "frozen"},
    {CounterConclusion::zero, "zero"},
    {CounterConclusion::missing, "missing"},
    {CounterConclusion::share, "share"},
}};

// A rule without `programs` or `modes` applies to all of them. It never applies in
// `excluded_modes`. The counters `of` have not `grown` if those of `reference` have changed too.
struct CounterRule {
  CounterConclusion conclusion = CounterConclusion::stopped;
  std::vector<std::string> programs;
  std::vector<std::string> modes, excluded_modes;
  std::vector<Counter> of, reference;
  std::uint64_t per_mille = 0;
  std::uint64_t min_packets =
      0;  // of `reference` for zero, frozen and missing, and of `of` for the others
  std::uint64_t min_packets_in_one_report = 0;  // the same in a log with one report; 0: not enough
  bool all_devices = false;  // the counters of all devices of the program must be 0
};

}  // namespace manactl::diag
