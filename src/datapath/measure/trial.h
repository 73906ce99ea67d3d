// SPDX-License-Identifier: MIT
//
// One trial: what was requested and what was counted. Sent packets are those that the device has
// completed, if its driver reports that.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_words.h"
#include "datapath/measure/histogram.h"
#include "datapath/mode.h"

namespace manactl::datapath {

// A requested rate for all queues of one port together.
struct Rate {
  enum class Unit { packets, bits, percent };  // packets/s, bit/s (with FCS), % of the link speed
  Unit unit = Unit::packets;
  double value = 0;
};

inline constexpr EnumWords<Rate::Unit, 3> kRateUnits = {{
    {Rate::Unit::packets, "packets/s"},
    {Rate::Unit::bits, "bit/s"},
    {Rate::Unit::percent, "%"},
}};

struct TrialPlan {
  double seconds = 10;
  double interval_seconds = 1;
  double warmup_seconds = 0;  // at the start; not part of the result's rate
  std::optional<Rate> rate;   // absent: unlimited
  double ramp_seconds = 0;    // time in which the rate rises from zero

  // Seconds until the traffic is as requested.
  double steady_after() const { return std::max(warmup_seconds, ramp_seconds); }
};

// A count that may be unknown: empty if neither the engine nor the driver reports it. Like
// std::optional, but not larger than a number, because a result has millions of them.
class ReportedCount {
 public:
  constexpr ReportedCount() = default;

  constexpr ReportedCount(std::uint64_t count) : count_(count) {}

  constexpr ReportedCount(std::nullopt_t) {}

  constexpr ReportedCount(const std::optional<std::uint64_t>& count)
      : count_(count.value_or(kUnknown)) {}

  constexpr bool has_value() const { return count_ != kUnknown; }

  constexpr explicit operator bool() const { return has_value(); }

  constexpr std::uint64_t operator*() const { return count_; }  // only if it has a value

  constexpr std::uint64_t value_or(std::uint64_t other) const {
    return has_value() ? count_ : other;
  }

  constexpr bool operator==(const ReportedCount&) const = default;

 private:
  static constexpr std::uint64_t kUnknown = UINT64_MAX;
  std::uint64_t count_ = kUnknown;
};

// Return an empty count if one of both is empty. A difference is 0 if the counter went backwards.
ReportedCount sum_of(const ReportedCount& one, const ReportedCount& other);
ReportedCount difference_of(const ReportedCount& now, const ReportedCount& before);

// Counts of one direction.
struct Count {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;      // with FCS
  ReportedCount missed = 0;     // tx: rejected attempts; rx: dropped for lack of descriptors
  ReportedCount no_buffer = 0;  // rx: dropped for lack of a packet buffer
  ReportedCount errors = 0;     // completed with an error

  Count& operator+=(const Count& other);
  Count operator-(const Count& before) const;  // a difference is 0 if its counter went backwards
};

// Sets the number of packets, and scales the bytes so that the mean size stays the same.
void set_packets(Count& count, std::uint64_t packets);

// Removes the packets that the device completed with an error, which were not sent. Drivers that
// also report rejected packets as errors count those twice; the two counters are not read at the
// same time, so a small excess of errors is ignored.
void exclude_failed(Count& sent);

// Packets by the path that they took.
struct PathPackets {
  std::uint64_t vf = 0, synthetic = 0;
};

struct PathCounters {
  PathPackets tx, rx;
};

// The work that the workers did.
struct Effort {
  std::uint64_t cycles = 0;        // CPU cycles of those visits to a queue that moved packets
  ReportedCount instructions = 0;  // in user space, including polling
  std::uint64_t polls = 0;         // calls into the driver
  std::uint64_t empty_polls = 0;   // polls that moved nothing
  std::uint64_t full_bursts = 0;   // polls that moved a whole burst

  Effort& operator+=(const Effort& other);
  Effort operator-(const Effort& before) const;
};

struct Sample {
  double seconds = 0;
  Count tx, rx;
  Effort effort;

  Sample& operator+=(const Sample& other);  // adds everything except seconds
};

// Counts in the direction that a mode measures: received packets if it receives, else sent ones.
const Count& headline(Mode mode, const Sample& sample);

struct Interval {
  Sample total;
  std::vector<Sample> queues;  // port by port, queue by queue
  bool disturbed = false;      // at times, a device was absent or no packets arrived
  // Devices were absent, so that no queue could be used in the whole interval: it has no rate.
  bool absent = false;
};

struct Event {
  double at_seconds = 0;  // since the start of the trial, in steps of 10 ms
  std::string device;
  enum class Kind { removed, returned } kind = Kind::removed;
};

inline constexpr EnumWords<Event::Kind, 2> kEventKinds = {{
    {Event::Kind::removed, "removed"},
    {Event::Kind::returned, "returned"},
}};

// Reordered and unrelated replies. (Lost replies are the sent minus the received packets.)
struct ReplyCounts {
  std::uint64_t reordered = 0;  // arrived after the reply to a later request of the same sender
  // Not a reply, a reply to a request of an earlier trial, or a further reply to the same request.
  std::uint64_t unrelated = 0;
};

struct Trial {
  TrialPlan plan;
  // Counts of received packets, and of posted packets that did not fail.
  std::vector<Interval> intervals;
  std::vector<Sample> queues;  // counts of completed packets in the whole trial, port by port
  // The sum of the queues, unless a note states otherwise: some losses are counted only per port.
  Sample total;
  std::vector<std::optional<PathCounters>> paths;  // port by port; only net_netvsc counts them
  std::optional<Histogram> latency;                // nanoseconds; only if the mode measures latency
  ReplyCounts replies;                             // only if the mode measures latency
  std::vector<Event> events;
  std::vector<std::string> notes;
  bool interrupted = false;  // stopped early
};

// Callbacks while a trial runs, in the thread that called run(). Each may be empty.
struct Progress {
  std::function<void()> started;  // just before the first packet
  std::function<void(const Interval&)> interval;
  std::function<void(const Event&)> event = {};  // called when the event is noticed
  // Called about every 10 ms, first right after the workers have started. True ends the trial as if
  // its time were over.
  std::function<bool()> is_over = {};
};

}  // namespace manactl::datapath
