// SPDX-License-Identifier: MIT
//
// Rates of a run from its intervals: the median of steady traffic, the rates by the rule of LISA,
// and the rates around the servicing of a device.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datapath/analysis/statistics.h"
#include "datapath/measure/trial.h"

namespace manactl::datapath {

struct Summary {
  std::vector<double> rates;  // packets per second of the intervals that count
  Estimate rate;              // computed from `rates`
  // Intervals that do not count: warm-up, ramp, first and last, those before the first packet or
  // outside of a receiver's traffic, and those in which a device was absent.
  std::size_t left_out = 0;
  std::vector<std::string> reasons;  // why the result is noisy; empty if it is not noisy

  bool noisy() const { return !reasons.empty(); }
};

// CPU time that the run lost to others; negative: unknown.
struct Disturbance {
  double stolen = -1;  // share of CPU time that the hypervisor gave to others
  double waited = -1;  // share of the workers' time in which they were preempted
};

// The intervals from the beginning to the end of the traffic. In modes that generate packets, it
// begins with the first packet and does not end. In the others, the run lasts longer than that of
// the remote sender: the traffic is where the rate is at least a share of its peak, because a few
// stray packets, such as ARP, arrive before and after it.
std::span<const Interval> traffic_in(Mode mode, std::span<const Interval> intervals);

// The highest rate of strays, such as ARP, in packets per second.
inline constexpr double kMaxStrayRate = 100;

// The highest rate of an interval that may contain only strays and no traffic: a share of the peak
// rate, but at most kMaxStrayRate.
double max_stray_rate(Mode mode, std::span<const Interval> intervals);

// The packets that a receiver counted before and after its traffic and in its outages, except those
// in the intervals next to traffic. 0 in modes that generate packets.
std::uint64_t stray_packets(Mode mode, std::span<const Interval> intervals);

// True if the run lost more than 1 % of its CPU time.
bool is_disturbed(const Disturbance& disturbance);

// The intervals that count for a rate. Leaves out the disturbed ones, and the first and the last
// interval with traffic if another one remains; of two, the first one, unless the last one is a
// fragment. Intervals in which traffic began or ended within the run never count.
std::vector<const Interval*> steady_intervals(Mode mode,
                                              std::span<const Interval> intervals,
                                              double steady_after);

// Computes the rates of the steady intervals.
Summary summarize(Mode mode,
                  const std::vector<Interval>& intervals,
                  double steady_after,
                  const Disturbance& disturbance);

// Rates by the rule of LISA, Microsoft's test framework for Linux VMs, for comparison with results
// of LISA. It leaves out the intervals before the first packet, and the first and last that remain.
struct LisaRate {
  double maximum = 0, average = 0, minimum = 0;  // packets per second
};

// The rate of sent or received packets over all trials; nullopt if LISA leaves out all intervals.
std::optional<LisaRate> lisa_rate(const std::vector<Trial>& trials, Count Sample::* direction);

// Packets per second of a trial before, during and after the absence of a device, such as a VF that
// the host removed for servicing: the means of the intervals in which no device was removed or
// returned. A rate is empty if there is no such interval with a usable queue.
struct Servicing {
  std::optional<double> before, during, after;
  double seconds = 0;  // in which at least one device was absent, from the times of the events
};

// Returns nullopt for a trial without events.
std::optional<Servicing> servicing_of(Mode mode, const Trial& trial);

}  // namespace manactl::datapath
