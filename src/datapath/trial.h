// SPDX-License-Identifier: MIT
//
// One stretch of traffic: what was asked for and what was counted. All counts are of packets that
// the device completed, where it can tell.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datapath/histogram.h"

namespace manactl::datapath {

// fwd sends back what it receives; rtt sends requests and takes the time of their return.
enum class Mode { tx, rx, txrx, fwd, rtt };

std::string_view name_of(Mode mode);
bool sends(Mode mode);
bool receives(Mode mode);

// Of one port, all its queues together.
struct Rate {
  enum class Unit { packets, bits, percent };  // per second; bits with FCS; of the link's speed
  Unit unit = Unit::packets;
  double value = 0;
};

struct TrialPlan {
  double seconds = 10;
  double interval_seconds = 1;
  double warmup_seconds = 0;  // at the start; these intervals say nothing of the rate
  std::optional<Rate> rate;   // absent: as fast as it goes
  double ramp_seconds = 0;    // at the start, from nothing to the rate

  // From here on the traffic is what was asked for.
  double steady_after() const { return std::max(warmup_seconds, ramp_seconds); }
};

// One direction.
struct Count {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;      // with FCS
  std::uint64_t missed = 0;     // tx: not taken by the device; rx: dropped for want of descriptors
  std::uint64_t no_buffer = 0;  // rx: dropped for want of a packet buffer
  std::uint64_t errors = 0;     // completed with an error

  Count& operator+=(const Count& other);
  Count operator-(const Count& before) const;  // a counter that went back counts 0
};

// Packets by the way they took.
struct Ways {
  std::uint64_t vf = 0, synthetic = 0;
};

struct PathCount {
  Ways tx, rx;
};

// What the workers did for it.
struct Effort {
  std::uint64_t cycles = 0;        // of the visits to a queue that moved something
  std::uint64_t instructions = 0;  // in user space, of all the time; 0: the CPU does not tell
  std::uint64_t polls = 0;         // calls of the device
  std::uint64_t empty_polls = 0;   // of these, moved nothing
  std::uint64_t full_bursts = 0;   // of these, moved as much as was asked

  Effort& operator+=(const Effort& other);
  Effort operator-(const Effort& before) const;
};

struct Sample {
  double seconds = 0;
  Count tx, rx;
  Effort effort;

  Sample& operator+=(const Sample& other);  // all but seconds
};

// The direction that a mode is about: sent packets for tx, received ones for all others.
const Count& headline(Mode mode, const Sample& sample);

struct Interval {
  Sample total;
  std::vector<Sample> queues;  // port by port, queue by queue
  bool disturbed = false;      // a device left or came back in it, or was away all the time
};

struct Event {
  double at_seconds = 0;
  std::string device;
  enum class Kind { removed, returned } kind = Kind::removed;
};

// Of those that came; how many did not is the difference of sent and received packets.
struct Answers {
  std::uint64_t reordered = 0;  // came after an answer to a later request of the same sender
  std::uint64_t strangers = 0;  // packets that are no answers, or of an earlier trial
};

struct Trial {
  TrialPlan plan;
  std::vector<Interval> intervals;  // in their order; what was handed over and received
  std::vector<Sample> queues;       // whole trial, port by port; what was completed
  // Sum of the queues unless a note says why not; losses are counted by the device, which may not
  // know the queue.
  Sample total;
  std::vector<std::optional<PathCount>> paths;  // port by port, where the driver (net_netvsc) tells
  std::optional<Histogram> latency;             // rtt: nanoseconds
  Answers answers;                              // rtt
  std::vector<Event> events;
  std::vector<std::string> notes;
  bool interrupted = false;  // stopped before its time: totals are what was measured
};

// Told while a trial runs, in the thread that called run(); each may be empty.
struct Progress {
  std::function<void()> started;  // everything is set up, and packets flow from now on
  std::function<void(const Interval&)> interval;
  std::function<void(const Event&)> event = {};  // before the interval in which it was noticed
};

}  // namespace manactl::datapath
